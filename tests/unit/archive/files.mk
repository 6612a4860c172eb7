# Tests of writing archives.
if HAVE_OTF2
check_PROGRAMS += %D%/test_safe_writes
%C%_test_safe_writes_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CPPFLAGS)
%C%_test_safe_writes_SOURCES = %D%/test_safe_writes.c libprof/alone.h
%C%_test_safe_writes_LDADD = $(RUNTIME)
check_PROGRAMS += %D%/test_call_stack
%C%_test_call_stack_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CPPFLAGS)
%C%_test_call_stack_SOURCES = %D%/test_call_stack.c
%C%_test_call_stack_LDADD = $(RUNTIME)
check_PROGRAMS += %D%/test_events
%C%_test_events_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CPPFLAGS)
%C%_test_events_SOURCES = %D%/test_events.c
%C%_test_events_LDADD = $(RUNTIME)
endif

# Which iterations are in them.
check_PROGRAMS += %D%/test_choose
%C%_test_choose_SOURCES = %D%/test_choose.c
%C%_test_choose_LDADD = $(RUNTIME)
