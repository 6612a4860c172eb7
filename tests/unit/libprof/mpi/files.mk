check_PROGRAMS += \
	%D%/test_mpi_rules \
	%D%/test_requests \
	%D%/test_topologies
%C%_test_mpi_rules_LDADD = $(RUNTIME)
%C%_test_requests_LDADD = $(RUNTIME)
# What the runtime writes, the command reads.
%C%_test_topologies_LDADD = $(RUNTIME) $(SUMMARY)

if HAVE_TSAN
check_PROGRAMS += %D%/test_requests_races
%C%_test_requests_races_SOURCES = %D%/test_requests.c
%C%_test_requests_races_CFLAGS = $(TSAN_CFLAGS)
%C%_test_requests_races_LDFLAGS = -fsanitize=thread
%C%_test_requests_races_LDADD = $(TSAN_RUNTIME)
endif
