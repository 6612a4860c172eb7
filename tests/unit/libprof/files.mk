# A measured thread whose clock a test sets, and tests in processes of their own: for tests of the
# runtime's rooms.
timed_thread = %D%/timed_thread.c %D%/timed_thread.h %D%/alone.h

# What the runtime writes, read by the command's reader.
read_back = %D%/read_back.c %D%/read_back.h
