CORE_SOURCES += %D%/clock_offsets.h %D%/library.h %D%/mpi_real.h %D%/outside.c %D%/outside.h %D%/rank_tree.h %D%/topology.h %D%/undefined.c %D%/undefined.h %D%/world.h
MPI_SOURCES += %D%/clock_offsets.c %D%/mpi_real.c %D%/mpich_attributes.def %D%/ompi_objects.def %D%/rank_tree.c %D%/topology.c %D%/typed.h \
	%D%/world.c
