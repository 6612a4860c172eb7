check_PROGRAMS += \
	%D%/test_choice \
	%D%/test_code \
	%D%/test_loops
# Counters are followed in the machine code of one processor; loops are turned in any, but the test's
# code is that of one.
if ARCH_X86_64
check_PROGRAMS += %D%/test_counter %D%/test_turning
endif
%C%_test_choice_LDADD = $(DETECT)
%C%_test_code_LDADD = $(DETECT)
%C%_test_counter_LDADD = $(DETECT)
%C%_test_loops_LDADD = $(DETECT)
%C%_test_turning_LDADD = $(DETECT)
