check_PROGRAMS += %D%/test_algebra

%C%_test_algebra_SOURCES = %D%/test_algebra.c $(summary_maker)
%C%_test_algebra_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_algebra_LDADD = $(SUMMARY) -lm

check_PROGRAMS += %D%/test_combine
%C%_test_combine_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_combine_LDADD = $(SUMMARY) -lm
