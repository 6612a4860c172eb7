CORE_SOURCES += %D%/mpi_entry.h %D%/mpi_file_rules.h %D%/mpi_fortran_calls.h %D%/mpi_neighborhood.h %D%/mpi_objects.h %D%/mpi_rules.h
MPI_SOURCES += %D%/mpi_file_rules.c %D%/mpi_neighborhood.c %D%/mpi_objects.c %D%/mpi_rules.c %D%/wrappers.h
ENTRY_SOURCES += %D%/mpi_by_hand.c %D%/mpi_entry.c %D%/mpi_requests.c %D%/mpi_start_end.c \
	%D%/mpi_wrap.c %D%/mpich_attributes.c
