check_PROGRAMS += %D%/test_search
%C%_test_search_SOURCES = %D%/test_search.c $(timed_thread)
%C%_test_search_LDADD = $(RUNTIME)
# Its functions are written for one processor.
if ARCH_X86_64
check_PROGRAMS += %D%/test_loop_code
endif
%C%_test_loop_code_LDADD = $(RUNTIME)
