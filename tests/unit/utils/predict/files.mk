check_PROGRAMS += %D%/test_questions

%C%_test_questions_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_questions_LDADD = $(SUMMARY) -lm
