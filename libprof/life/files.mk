CORE_SOURCES += %D%/spawn.c %D%/spawn.h %D%/unload.c %D%/unload.h
MPI_SOURCES += %D%/lifecycle.c %D%/lifecycle.h
