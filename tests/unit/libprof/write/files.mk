check_PROGRAMS += \
	%D%/test_used_paths
%C%_test_used_paths_LDADD = $(RUNTIME)

check_PROGRAMS += %D%/test_merge
%C%_test_merge_SOURCES = %D%/test_merge.c $(timed_thread) $(read_back)
%C%_test_merge_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_merge_LDADD = $(RUNTIME) $(SUMMARY)
