check_PROGRAMS += %D%/test_compare

%C%_test_compare_SOURCES = %D%/test_compare.c
%C%_test_compare_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_compare_LDADD = $(SUMMARY) -lm
