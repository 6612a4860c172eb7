check_PROGRAMS += %D%/test_found_loops

%C%_test_found_loops_SOURCES = %D%/test_found_loops.c
%C%_test_found_loops_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_found_loops_LDADD = $(SUMMARY) -lm
