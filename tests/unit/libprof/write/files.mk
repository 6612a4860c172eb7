check_PROGRAMS += \
	%D%/test_usage
%C%_test_usage_LDADD = $(RUNTIME)
