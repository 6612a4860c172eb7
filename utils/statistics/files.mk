libsummary_la_SOURCES += %D%/fit.c %D%/fit.h %D%/robust.c %D%/robust.h %D%/statistics.h
