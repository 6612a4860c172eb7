check_PROGRAMS += \
	%D%/test_cct \
	%D%/test_profile
%C%_test_cct_LDADD = $(RUNTIME)
%C%_test_profile_LDADD = $(RUNTIME)
