check_PROGRAMS += \
	%D%/test_used_paths
%C%_test_used_paths_LDADD = $(RUNTIME)
