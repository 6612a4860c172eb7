tsprof_SOURCES = %D%/main.c
libcommand_la_SOURCES += %D%/cmd_algebra.c %D%/cmd_compare.c %D%/cmd_compress.c \
	%D%/cmd_config.c %D%/cmd_exec.c %D%/cmd_export.c %D%/cmd_html.c %D%/cmd_info.c \
	%D%/cmd_list.c %D%/cmd_merge.c %D%/cmd_plot.c %D%/cmd_report.c %D%/cmd_run.c %D%/cmd_score.c %D%/cmd_suggest.c %D%/cmd_waits.c %D%/cmd_whatif.c \
	%D%/commands.c %D%/command.h %D%/open_subject.c %D%/open_subject.h %D%/write_waits.c %D%/write_waits.h
