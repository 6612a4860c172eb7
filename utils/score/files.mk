libsummary_la_SOURCES += %D%/score.c %D%/score.h %D%/score_filter.c %D%/score_sums.h \
	%D%/score_table.c %D%/score_text.c
