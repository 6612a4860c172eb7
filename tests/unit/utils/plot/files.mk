check_PROGRAMS += %D%/test_plot

%C%_test_plot_SOURCES = %D%/test_plot.c $(summary_maker)
%C%_test_plot_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_plot_LDADD = $(SUMMARY) -lm
