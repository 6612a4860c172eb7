check_PROGRAMS += test_tar

test_tar_SOURCES = %D%/test_tar.c
test_tar_CPPFLAGS = $(UTILS_CPPFLAGS)
test_tar_LDADD = $(SUMMARY) -lm
