check_PROGRAMS += \
	%D%/test_output_name
%C%_test_output_name_LDADD = $(RUNTIME)
