CORE_SOURCES += %D%/counters.c %D%/counters.h %D%/event_names.c %D%/event_names.h %D%/papi.c \
	%D%/papi.h
