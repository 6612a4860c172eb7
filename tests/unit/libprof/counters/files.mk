check_PROGRAMS += \
	%D%/test_event_names
%C%_test_event_names_LDADD = $(RUNTIME)
