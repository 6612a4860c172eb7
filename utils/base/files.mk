libsummary_la_SOURCES += %D%/base.h %D%/error.c %D%/error.h %D%/index.c %D%/index.h \
	%D%/memory.c %D%/memory.h
