check_PROGRAMS += \
	%D%/test_counts
%C%_test_counts_LDADD = $(RUNTIME)
