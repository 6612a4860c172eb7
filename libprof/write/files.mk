CORE_SOURCES += %D%/describe.c %D%/describe.h %D%/merge.c %D%/merge.h %D%/output.c %D%/output.h \
	%D%/place_threads.c %D%/place_threads.h %D%/publish.c %D%/publish.h %D%/shown_loops.c %D%/shown_loops.h \
	%D%/used_paths.c %D%/used_paths.h %D%/write.h %D%/zstd.c %D%/zstd.h
CORE_SOURCES += %D%/write_trace.c %D%/write_trace.h
