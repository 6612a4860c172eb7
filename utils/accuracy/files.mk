libsummary_la_SOURCES += %D%/accuracy.h %D%/checks.c %D%/checks.h %D%/costs.c %D%/costs.h \
	%D%/failures.c %D%/failures.h %D%/job_cost.c %D%/job_cost.h %D%/outliers.c %D%/outliers.h \
	%D%/path_errors.c %D%/path_errors.h %D%/phantoms.c %D%/phantoms.h %D%/quality.c %D%/quality.h \
	%D%/sampling.c %D%/sampling.h %D%/slowest_rank.c %D%/slowest_rank.h \
	%D%/stalls.c %D%/stalls.h
