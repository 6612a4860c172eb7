check_PROGRAMS += test_algebra

test_algebra_SOURCES = %D%/test_algebra.c $(summary_maker)
test_algebra_CPPFLAGS = $(UTILS_CPPFLAGS)
test_algebra_LDADD = $(SUMMARY) -lm
