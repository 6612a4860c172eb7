MPI_SOURCES += %D%/found.c %D%/found.h
CORE_SOURCES += %D%/loop_code.c %D%/loop_code.h
MPI_SOURCES += %D%/search.c %D%/search.h %D%/slices.c %D%/slices.h %D%/candidate.c %D%/candidate.h
