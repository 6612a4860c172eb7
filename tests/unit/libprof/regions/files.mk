check_PROGRAMS += \
	%D%/test_decisions
%C%_test_decisions_LDADD = $(RUNTIME)
