check_PROGRAMS += \
	%D%/test_definitions \
	%D%/test_placement \
	%D%/test_ranges \
	%D%/test_symbol_table
%C%_test_definitions_LDADD = $(ASSEMBLE)
%C%_test_placement_LDADD = $(ASSEMBLE)
%C%_test_ranges_LDADD = $(ASSEMBLE)
%C%_test_symbol_table_LDADD = $(ASSEMBLE)
