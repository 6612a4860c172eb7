check_PROGRAMS += %D%/test_gaps

%C%_test_gaps_SOURCES = %D%/test_gaps.c
%C%_test_gaps_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_gaps_LDADD = $(SUMMARY) -lm
