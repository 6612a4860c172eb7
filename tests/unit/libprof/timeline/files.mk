check_PROGRAMS += \
	%D%/test_context \
	%D%/test_counts \
	%D%/test_preemption \
	%D%/test_stalls \
	%D%/test_timeline
%C%_test_context_SOURCES = %D%/test_context.c $(timed_thread)
%C%_test_context_LDADD = $(RUNTIME)
%C%_test_counts_LDADD = $(RUNTIME)
%C%_test_preemption_LDADD = $(RUNTIME)

%C%_test_stalls_SOURCES = %D%/test_stalls.c $(timed_thread)
%C%_test_stalls_LDADD = $(RUNTIME)

%C%_test_timeline_SOURCES = %D%/test_timeline.c $(timed_thread)
%C%_test_timeline_LDADD = $(RUNTIME)
