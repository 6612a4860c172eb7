libsummary_la_SOURCES += %D%/base.h %D%/error.c %D%/error.h \
	%D%/memory.c %D%/memory.h
