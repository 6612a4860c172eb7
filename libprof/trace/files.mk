CORE_SOURCES += %D%/chunk_file.c %D%/chunk_file.h %D%/chunks.c %D%/chunks.h %D%/novelty.c %D%/novelty.h %D%/objects.c %D%/objects.h \
	%D%/record.h %D%/recorder.c %D%/recorder.h %D%/stream.c %D%/stream.h %D%/trace.h
