libsummary_la_SOURCES += %D%/gap_samples.c %D%/gap_samples.h %D%/gaps.c %D%/gaps.h
libcommand_la_SOURCES += %D%/feed.c %D%/feed.h %D%/instances.c %D%/instances.h %D%/outcome.c \
	%D%/outcome.h %D%/outcome_maxima.c %D%/outcome_maxima.h %D%/outcome_pairs.c %D%/outcome_pairs.h %D%/waits.c %D%/waits.h
