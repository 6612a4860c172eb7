check_PROGRAMS += %D%/test_tar

%C%_test_tar_SOURCES = %D%/test_tar.c
%C%_test_tar_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_tar_LDADD = $(SUMMARY) -lm
