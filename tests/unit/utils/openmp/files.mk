check_PROGRAMS += %D%/test_openmp

%C%_test_openmp_SOURCES = %D%/test_openmp.c $(summary_maker) $(summary_reading)
%C%_test_openmp_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_openmp_LDADD = $(SUMMARY) -lm
