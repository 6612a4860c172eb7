check_PROGRAMS += \
	%D%/test_iteration
%C%_test_iteration_LDADD = $(RUNTIME)
