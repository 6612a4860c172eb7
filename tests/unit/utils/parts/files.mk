check_PROGRAMS += %D%/test_parts

%C%_test_parts_SOURCES = %D%/test_parts.c %D%/part_maker.c %D%/part_maker.h $(summary_maker)
%C%_test_parts_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_parts_LDADD = $(SUMMARY) -lm
