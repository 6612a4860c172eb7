CORE_SOURCES += %D%/cfi.c %D%/cfi.h %D%/ehframe.c %D%/ehframe.h %D%/landing.c %D%/landing.h
