check_PROGRAMS += test_plot

test_plot_SOURCES = %D%/test_plot.c $(summary_maker)
test_plot_CPPFLAGS = $(UTILS_CPPFLAGS)
test_plot_LDADD = $(SUMMARY) -lm
