check_PROGRAMS += test_parts

test_parts_SOURCES = %D%/test_parts.c %D%/part_maker.c %D%/part_maker.h $(summary_maker)
test_parts_CPPFLAGS = $(UTILS_CPPFLAGS)
test_parts_LDADD = $(SUMMARY) -lm
