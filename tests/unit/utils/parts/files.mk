check_PROGRAMS += %D%/test_parts

%C%_test_parts_SOURCES = %D%/test_parts.c %D%/part_maker.c %D%/part_maker.h $(summary_maker)
%C%_test_parts_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_parts_LDADD = $(SUMMARY) -lm

check_PROGRAMS += %D%/test_unite_part
%C%_test_unite_part_SOURCES = %D%/test_unite_part.c %D%/part_maker.c %D%/part_maker.h \
	$(summary_maker)
%C%_test_unite_part_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_unite_part_LDADD = $(SUMMARY) -lm

check_PROGRAMS += %D%/test_renumber
%C%_test_renumber_SOURCES = %D%/test_renumber.c
%C%_test_renumber_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_renumber_LDADD = $(SUMMARY) -lm

check_PROGRAMS += %D%/test_alive
%C%_test_alive_SOURCES = %D%/test_alive.c
%C%_test_alive_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_alive_LDADD = $(SUMMARY) -lm
