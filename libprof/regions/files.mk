CORE_SOURCES += %D%/early.c %D%/early.h %D%/enter.c %D%/enter.h %D%/path.c %D%/path.h \
	%D%/region_memory.h %D%/regions.c %D%/regions.h
ENTRY_SOURCES += %D%/cyg_profile.c
