check_PROGRAMS += test_figures test_quality

test_figures_SOURCES = %D%/test_figures.c $(summary_maker)
test_figures_CPPFLAGS = $(UTILS_CPPFLAGS)
test_figures_LDADD = $(SUMMARY) -lm

test_quality_SOURCES = %D%/test_quality.c $(summary_maker)
test_quality_CPPFLAGS = $(UTILS_CPPFLAGS)
test_quality_LDADD = $(SUMMARY) -lm
