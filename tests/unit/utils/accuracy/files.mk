check_PROGRAMS += %D%/test_figures %D%/test_job_cost %D%/test_quality

%C%_test_figures_SOURCES = %D%/test_figures.c $(summary_maker)
%C%_test_figures_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_figures_LDADD = $(SUMMARY) -lm

%C%_test_job_cost_SOURCES = %D%/test_job_cost.c $(summary_maker)
%C%_test_job_cost_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_job_cost_LDADD = $(SUMMARY) -lm

%C%_test_quality_SOURCES = %D%/test_quality.c $(summary_maker)
%C%_test_quality_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_quality_LDADD = $(SUMMARY) -lm
