# What reads code of one processor reads it on any other: its sources are part of the test.
check_PROGRAMS += %D%/test_a64
