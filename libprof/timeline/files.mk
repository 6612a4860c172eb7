CORE_SOURCES += %D%/borders.c %D%/borders.h %D%/live.h
MPI_SOURCES += %D%/level.c %D%/level.h %D%/thread.c %D%/thread.h
