check_PROGRAMS += %D%/test_suggest

%C%_test_suggest_SOURCES = %D%/test_suggest.c $(findings_checks)
%C%_test_suggest_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_suggest_LDADD = $(SUMMARY) -lm
