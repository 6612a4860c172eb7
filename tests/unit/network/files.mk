check_PROGRAMS += %D%/test_packets
%C%_test_packets_SOURCES = %D%/test_packets.c $(top_srcdir)/network/packets.c $(top_srcdir)/network/packets.h
