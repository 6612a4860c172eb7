CORE_SOURCES += %D%/location.c %D%/location.h %D%/own_profile.c %D%/own_profile.h
MPI_SOURCES += %D%/facts.c %D%/facts.h
