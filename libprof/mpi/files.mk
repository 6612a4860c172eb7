CORE_SOURCES += %D%/fortran_calls.c %D%/fortran_calls.h %D%/requests.c %D%/requests.h
MPI_SOURCES += %D%/call_memory.h %D%/measure.c %D%/measure.h %D%/mpi_fortran_calls.h %D%/mpi_neighborhood.c \
	%D%/mpi_neighborhood.h %D%/mpi_real.c %D%/mpi_real.h %D%/mpi_rules.c %D%/mpi_rules.h \
	%D%/ompi_objects.def %D%/throttle.h %D%/topology.c %D%/topology.h
ENTRY_SOURCES += %D%/mpi_by_hand.c %D%/mpi_entry.c %D%/mpi_entry.h %D%/mpi_requests.c \
	%D%/mpi_wrap.c %D%/mpi_wrapper.h
