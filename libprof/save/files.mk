CORE_SOURCES += %D%/part.c %D%/part.h %D%/part_end.c %D%/part_events.c %D%/part_events.h %D%/part_file.c %D%/part_file.h \
	%D%/part_image.c %D%/part_image.h %D%/part_log.c %D%/part_log.h %D%/part_mask.c %D%/part_names.c %D%/part_names.h %D%/part_process.c \
	%D%/part_process.h %D%/part_save.c %D%/part_save.h %D%/part_sink.c %D%/part_sink.h \
	%D%/part_snapshot.c %D%/part_snapshot.h %D%/part_thread.c %D%/part_thread.h \
	%D%/part_topologies.c %D%/part_topologies.h %D%/part_watch.c %D%/save.h
