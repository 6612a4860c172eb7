MPI_SOURCES += %D%/mpi_calls.c %D%/mpi_calls.def %D%/mpi_calls.h
