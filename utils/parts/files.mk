libsummary_la_SOURCES += %D%/alive.c %D%/alive.h %D%/live_threads.c %D%/live_threads.h %D%/live_threads_text.c \
	%D%/merge_parts.c %D%/merge_parts.h %D%/part_reading.c %D%/part_reading.h %D%/part_define.c \
	%D%/part_define.h %D%/part_events.c %D%/part_events.h %D%/part_files.c %D%/part_files.h %D%/part_log_reading.c %D%/part_log_reading.h \
	%D%/part_notes.c %D%/part_notes.h %D%/part_place_thread.c %D%/part_place_thread.h \
	%D%/part_snapshot.c %D%/part_snapshot.h %D%/parts.h %D%/renumber.c %D%/renumber.h \
	%D%/subject.c %D%/subject.h %D%/unite_part.c %D%/unite_part.h
