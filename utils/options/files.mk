libsummary_la_SOURCES += %D%/options.c %D%/options.def %D%/options.h
