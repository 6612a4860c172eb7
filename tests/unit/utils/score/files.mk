check_PROGRAMS += %D%/test_score

%C%_test_score_SOURCES = %D%/test_score.c
%C%_test_score_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_score_LDADD = $(SUMMARY) -lm
