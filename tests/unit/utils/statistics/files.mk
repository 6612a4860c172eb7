check_PROGRAMS += %D%/test_fit

%C%_test_fit_SOURCES = %D%/test_fit.c
%C%_test_fit_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_fit_LDADD = $(SUMMARY) -lm
