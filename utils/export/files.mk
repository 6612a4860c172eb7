libsummary_la_SOURCES += %D%/flame.c %D%/flame.h
libcommand_la_SOURCES += %D%/export.h %D%/export_callers.c %D%/export_folded.c %D%/export_functions.c %D%/export_paths.c %D%/export_speedscope.c \
	%D%/export_rows.h %D%/export_size.c %D%/export_tables.c %D%/export_waits.c
