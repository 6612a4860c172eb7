check_PROGRAMS += \
	%D%/test_choice \
	%D%/test_code \
	%D%/test_loops \
	%D%/test_loops_given_up \
	%D%/test_loops_late
# Counters are followed in the machine code of one processor; loops are turned in any, but the test's
# code is that of one.
if ARCH_X86_64
check_PROGRAMS += %D%/test_counter %D%/test_turning
endif
%C%_test_choice_LDADD = $(DETECT)
%C%_test_code_LDADD = $(DETECT)
%C%_test_counter_LDADD = $(DETECT)
%C%_test_loops_SOURCES = %D%/test_loops.c %D%/loop_text.c %D%/loop_text.h %D%/loop_checks.h
%C%_test_loops_LDADD = $(DETECT)
%C%_test_loops_given_up_SOURCES = %D%/test_loops_given_up.c %D%/loop_text.c %D%/loop_text.h
%C%_test_loops_given_up_LDADD = $(DETECT)
%C%_test_loops_late_SOURCES = %D%/test_loops_late.c %D%/loop_text.c %D%/loop_text.h %D%/loop_checks.h
%C%_test_loops_late_LDADD = $(DETECT)
%C%_test_turning_LDADD = $(DETECT)
