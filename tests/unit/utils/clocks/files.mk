check_PROGRAMS += %D%/test_clocks

%C%_test_clocks_SOURCES = %D%/test_clocks.c
%C%_test_clocks_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_clocks_LDADD = $(SUMMARY) -lm
