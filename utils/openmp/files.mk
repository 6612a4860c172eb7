libsummary_la_SOURCES += %D%/openmp.c %D%/openmp.h %D%/runtime_nodes.c %D%/runtime_nodes.h
