libsummary_la_SOURCES += %D%/graph.c %D%/graph.h %D%/report.c %D%/report.h \
	%D%/report_clocks.c %D%/report_culprits.c %D%/report_efficiency.c %D%/report_efficiency_line.c %D%/report_findings.c %D%/report_iterations.c %D%/report_joined.c %D%/report_metrics.c %D%/report_callers.c %D%/report_flat.c %D%/report_names.c \
	%D%/report_origin.c %D%/report_paths.c %D%/report_rows.c %D%/report_rows.h %D%/report_samples.c %D%/report_trust.c %D%/report_waits.c \
	%D%/style.c %D%/style.h %D%/waiting.c %D%/waiting.h
# It needs OTF2, which what unit tests link does without.
libcommand_la_SOURCES += %D%/report_trace.c
