REPLAY_SOURCES += %D%/derived_grid.c %D%/derived_grid.h %D%/fronts.c %D%/fronts.h %D%/grid.c %D%/grid.h %D%/sources.c %D%/sources.h
