findings_checks = %D%/findings_checks.c %D%/findings_checks.h %D%/findings_maker.c \
	%D%/findings_maker.h

check_PROGRAMS += %D%/test_findings %D%/test_findings_ranks %D%/test_findings_run %D%/test_findings_gains \
	%D%/test_findings_inside %D%/test_findings_paths %D%/test_properties %D%/test_ranking

%C%_test_findings_SOURCES = %D%/test_findings.c $(findings_checks)
%C%_test_findings_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_findings_LDADD = $(SUMMARY) -lm

%C%_test_findings_ranks_SOURCES = %D%/test_findings_ranks.c $(findings_checks)
%C%_test_findings_ranks_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_findings_ranks_LDADD = $(SUMMARY) -lm

%C%_test_findings_run_SOURCES = %D%/test_findings_run.c $(findings_checks)
%C%_test_findings_run_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_findings_run_LDADD = $(SUMMARY) -lm

%C%_test_properties_SOURCES = %D%/test_properties.c $(findings_checks)
%C%_test_properties_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_properties_LDADD = $(SUMMARY) -lm

%C%_test_findings_gains_SOURCES = %D%/test_findings_gains.c $(findings_checks)
%C%_test_findings_gains_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_findings_gains_LDADD = $(SUMMARY) -lm

%C%_test_ranking_SOURCES = %D%/test_ranking.c $(findings_checks)
%C%_test_ranking_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_ranking_LDADD = $(SUMMARY) -lm

%C%_test_findings_paths_SOURCES = %D%/test_findings_paths.c $(findings_checks)
%C%_test_findings_paths_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_findings_paths_LDADD = $(SUMMARY) -lm

%C%_test_findings_inside_SOURCES = %D%/test_findings_inside.c $(findings_checks)
%C%_test_findings_inside_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_findings_inside_LDADD = $(SUMMARY) -lm
