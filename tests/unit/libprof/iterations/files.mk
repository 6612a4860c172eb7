check_PROGRAMS += \
	%D%/test_follow \
	%D%/test_iteration \
	%D%/test_watch
%C%_test_iteration_LDADD = $(RUNTIME)

%C%_test_follow_SOURCES = %D%/test_follow.c $(timed_thread)
%C%_test_follow_LDADD = $(RUNTIME)

%C%_test_watch_SOURCES = %D%/test_watch.c $(timed_thread)
%C%_test_watch_LDADD = $(RUNTIME)

# It counts instructions.
if ARCH_X86_64
check_PROGRAMS += %D%/test_pieces
endif
%C%_test_pieces_SOURCES = %D%/test_pieces.c $(timed_thread)
%C%_test_pieces_LDADD = $(RUNTIME)
