check_PROGRAMS += %D%/test_gaps %D%/test_join %D%/test_mpi_roles

%C%_test_gaps_SOURCES = %D%/test_gaps.c
%C%_test_gaps_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_gaps_LDADD = $(SUMMARY) -lm

%C%_test_join_SOURCES = %D%/test_join.c
%C%_test_join_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_join_LDADD = $(SUMMARY) -lm

%C%_test_mpi_roles_SOURCES = %D%/test_mpi_roles.c
%C%_test_mpi_roles_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_mpi_roles_LDADD = ../../utils/libcommand.la -lm
