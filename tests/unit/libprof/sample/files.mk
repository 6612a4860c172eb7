check_PROGRAMS += \
	%D%/test_in_step \
	%D%/test_jumps \
	%D%/test_limit \
	%D%/test_poisson \
	%D%/test_timer
%C%_test_in_step_LDADD = $(RUNTIME)
%C%_test_jumps_LDADD = $(RUNTIME)
%C%_test_limit_LDADD = $(RUNTIME)
%C%_test_poisson_LDADD = $(RUNTIME)
%C%_test_timer_LDADD = $(RUNTIME)
