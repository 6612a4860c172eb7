libcommand_la_SOURCES += %D%/info.c %D%/info.h %D%/info_checks.c %D%/info_content.c \
	%D%/info_cost.c %D%/info_counters.c %D%/info_json.c %D%/info_loops.c %D%/info_notes.c %D%/info_phases.c \
	%D%/info_quality.c %D%/info_run.c %D%/info_setup.c %D%/info_stalls.c %D%/info_system.c %D%/info_threads.c %D%/info_trace.c
