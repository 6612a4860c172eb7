libsummary_la_SOURCES += %D%/callpath.c %D%/callpath.h %D%/counted.c %D%/counted.h \
	%D%/efficiency.c %D%/efficiency.h \
	%D%/found_loops.c %D%/found_loops.h %D%/frames.c %D%/frames.h %D%/functions.c %D%/functions.h %D%/imbalance.h %D%/iterations.c %D%/largest.c %D%/largest.h \
	%D%/iterations.h %D%/paths.c %D%/paths.h %D%/places.c %D%/places.h \
	%D%/presence.c %D%/presence.h %D%/query.h \
	%D%/rank_values.c %D%/rank_values.h %D%/restrict.c %D%/restrict.h %D%/scope.c \
	%D%/scope.h %D%/select.c %D%/select.h %D%/stretch.h %D%/sums.c %D%/sums.h \
	%D%/sweep.c %D%/sweep.h %D%/unevenness.c %D%/unevenness.h %D%/unsampled.c \
	%D%/unsampled.h
