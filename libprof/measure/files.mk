CORE_SOURCES += %D%/call_memory.h %D%/fortran_calls.c %D%/fortran_calls.h %D%/measure.c \
	%D%/measure.h %D%/requests.c %D%/requests.h %D%/throttle.h
