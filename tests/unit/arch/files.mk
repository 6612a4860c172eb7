# What reads code of one processor reads it on any other: its sources are part of the test.
check_PROGRAMS += %D%/test_a64
# What an instruction changes is known of one processor's.
if ARCH_X86_64
check_PROGRAMS += %D%/test_x86_64
endif
%C%_test_x86_64_LDADD = $(DETECT)
