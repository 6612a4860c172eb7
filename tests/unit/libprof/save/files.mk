check_PROGRAMS += \
	%D%/test_part
%C%_test_part_LDADD = $(RUNTIME)
