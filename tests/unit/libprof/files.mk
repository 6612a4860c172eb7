# A measured thread whose clock a test sets: for tests of the runtime's rooms.
timed_thread = %D%/timed_thread.c %D%/timed_thread.h
