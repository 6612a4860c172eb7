check_PROGRAMS += \
	%D%/test_counters \
	%D%/test_event_names
%C%_test_counters_LDADD = $(RUNTIME)
%C%_test_event_names_LDADD = $(RUNTIME)
