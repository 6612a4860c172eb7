check_PROGRAMS += \
	%D%/test_choice \
	%D%/test_code \
	%D%/test_counter \
	%D%/test_loops
%C%_test_choice_LDADD = $(DETECT)
%C%_test_code_LDADD = $(DETECT)
%C%_test_counter_LDADD = $(DETECT)
%C%_test_loops_LDADD = $(DETECT)
