check_PROGRAMS += %D%/test_search
%C%_test_search_SOURCES = %D%/test_search.c $(timed_thread)
%C%_test_search_LDADD = $(RUNTIME)
