check_PROGRAMS += test_hostile_summary test_sections test_summary

test_hostile_summary_SOURCES = %D%/test_hostile_summary.c $(summary_maker) $(summary_reading)
test_hostile_summary_CPPFLAGS = $(UTILS_CPPFLAGS)
test_hostile_summary_LDADD = $(SUMMARY) -lm

test_sections_SOURCES = %D%/test_sections.c $(summary_maker)
test_sections_CPPFLAGS = $(UTILS_CPPFLAGS)
test_sections_LDADD = $(SUMMARY) -lm

test_summary_SOURCES = %D%/test_summary.c $(summary_maker) $(summary_reading)
test_summary_CPPFLAGS = $(UTILS_CPPFLAGS)
test_summary_LDADD = $(SUMMARY) -lm
