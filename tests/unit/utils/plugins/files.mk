check_PROGRAMS += %D%/test_answers

%C%_test_answers_SOURCES = %D%/test_answers.c
%C%_test_answers_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_answers_LDADD = $(SUMMARY) -lm
