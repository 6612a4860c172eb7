check_PROGRAMS += test_compare

test_compare_SOURCES = %D%/test_compare.c
test_compare_CPPFLAGS = $(UTILS_CPPFLAGS)
test_compare_LDADD = $(SUMMARY) -lm
