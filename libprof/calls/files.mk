CORE_SOURCES += %D%/calls.h %D%/mpi_calls.c %D%/mpi_calls.def %D%/mpi_calls.h
