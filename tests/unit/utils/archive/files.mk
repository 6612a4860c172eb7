check_PROGRAMS += %D%/test_messages

%C%_test_messages_SOURCES = %D%/test_messages.c
%C%_test_messages_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_messages_LDADD = $(SUMMARY) -lm
