CORE_SOURCES += %D%/part.c %D%/part.h %D%/part_file.c %D%/part_file.h %D%/part_log.c \
	%D%/part_log.h %D%/part_names.c %D%/part_names.h %D%/part_sink.c %D%/part_sink.h %D%/save.h
