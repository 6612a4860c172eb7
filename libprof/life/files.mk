CORE_SOURCES += %D%/spawn.c %D%/spawn.h %D%/unload.c %D%/unload.h
MPI_SOURCES += %D%/attach.c %D%/attach.h %D%/hooks.c %D%/lifecycle.c %D%/lifecycle.h
ENTRY_SOURCES += %D%/mpi_start_end.c
