check_PROGRAMS += %D%/test_read_ahead %D%/test_messages

%C%_test_messages_SOURCES = %D%/test_messages.c
%C%_test_messages_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_messages_LDADD = $(SUMMARY) -lm

%C%_test_read_ahead_SOURCES = %D%/test_read_ahead.c
%C%_test_read_ahead_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_read_ahead_LDADD = $(SUMMARY) -lm

if HAVE_OTF2
check_PROGRAMS += %D%/test_event_order
%C%_test_event_order_SOURCES = %D%/test_event_order.c
%C%_test_event_order_CPPFLAGS = $(UTILS_CPPFLAGS) $(OTF2_CPPFLAGS)
%C%_test_event_order_LDADD = ../../utils/libcommand.la -lm
endif
