check_PROGRAMS += \
	%D%/test_mpi_rules
%C%_test_mpi_rules_LDADD = $(RUNTIME)
