check_PROGRAMS += \
	%D%/test_decisions \
	%D%/test_filtered
%C%_test_decisions_LDADD = $(RUNTIME)
%C%_test_filtered_SOURCES = %D%/test_filtered.c $(timed_thread)
%C%_test_filtered_LDADD = $(RUNTIME) -lm
