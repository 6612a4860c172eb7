check_PROGRAMS += %D%/test_hostile_summary %D%/test_saved_map %D%/test_sections %D%/test_summary

%C%_test_hostile_summary_SOURCES = %D%/test_hostile_summary.c $(summary_maker) $(summary_reading)
%C%_test_hostile_summary_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_hostile_summary_LDADD = $(SUMMARY) -lm

%C%_test_saved_map_SOURCES = %D%/test_saved_map.c %D%/../../compress/random_iterations.h
%C%_test_saved_map_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_saved_map_LDADD = $(SUMMARY) -lm

%C%_test_sections_SOURCES = %D%/test_sections.c $(summary_maker)
%C%_test_sections_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_sections_LDADD = $(SUMMARY) -lm

%C%_test_summary_SOURCES = %D%/test_summary.c $(summary_maker) $(summary_reading)
%C%_test_summary_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_summary_LDADD = $(SUMMARY) -lm
