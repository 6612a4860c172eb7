check_PROGRAMS += \
	%D%/test_choice \
	%D%/test_code \
	%D%/test_loops
# Counters are followed in the machine code of one processor.
if ARCH_X86_64
check_PROGRAMS += %D%/test_counter
endif
%C%_test_choice_LDADD = $(DETECT)
%C%_test_code_LDADD = $(DETECT)
%C%_test_counter_LDADD = $(DETECT)
%C%_test_loops_LDADD = $(DETECT)
