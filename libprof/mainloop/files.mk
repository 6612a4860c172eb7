MPI_SOURCES += %D%/found.c %D%/found.h
CORE_SOURCES += %D%/loop_code.c %D%/loop_code.h
MPI_SOURCES += %D%/seek.c %D%/seek.h %D%/slices.c %D%/slices.h %D%/sought.c %D%/sought.h
