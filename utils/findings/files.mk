libsummary_la_SOURCES += %D%/finding.h %D%/findings.c %D%/findings.h %D%/findings_binding.c %D%/findings_binding.h \
	%D%/findings_cause.c %D%/findings_correct.c %D%/findings_correct.h %D%/findings_drifts.c \
	%D%/findings_gains.c %D%/findings_gains.h %D%/findings_idle_ranks.c %D%/findings_imbalance.c %D%/findings_inside.c %D%/findings_inside.h \
	%D%/findings_iterations.c \
	%D%/findings_json.c %D%/findings_levels.c %D%/findings_levels.h %D%/findings_look.c %D%/findings_look.h \
	%D%/findings_master.c %D%/findings_properties.c %D%/findings_properties.h \
	%D%/findings_moving_rank.c %D%/findings_overhead.c %D%/findings_means.c %D%/findings_means.h %D%/findings_overhead.h %D%/findings_paths.c %D%/findings_paths.h %D%/findings_ranks.c %D%/findings_ranks.h %D%/findings_run.c %D%/findings_run.h \
	%D%/findings_slow_ranks.c %D%/findings_spans.c %D%/findings_statements.c %D%/findings_text.c %D%/findings_turns.c \
	%D%/properties.def %D%/ranking.c %D%/ranking.h %D%/thresholds.c %D%/thresholds.h
