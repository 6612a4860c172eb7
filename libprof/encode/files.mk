CORE_SOURCES += %D%/location.c %D%/location.h %D%/snapshot_profile.c %D%/snapshot_profile.h
MPI_SOURCES += %D%/facts.c %D%/facts.h
