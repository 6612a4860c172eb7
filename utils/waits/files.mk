libsummary_la_SOURCES += %D%/gap_samples.c %D%/gap_samples.h %D%/gaps.c %D%/gaps.h \
	%D%/join.c %D%/join.h %D%/join_bounds.c %D%/join_check.c %D%/join_definitions.c %D%/join_parts.h %D%/join_profile.c %D%/join_series.c %D%/join_tables.c
libcommand_la_SOURCES += %D%/feed.c %D%/feed.h %D%/instances.c %D%/instances.h %D%/mpi_roles.c %D%/mpi_roles.h %D%/outcome.c \
	%D%/outcome.h %D%/outcome_maxima.c %D%/outcome_maxima.h %D%/outcome_pairs.c %D%/outcome_pairs.h %D%/shared_waits.c %D%/waits.c %D%/waits.h
