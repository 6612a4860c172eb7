CORE_SOURCES += %D%/decisions.c %D%/decisions.h %D%/filter_file.c %D%/filter_file.h \
	%D%/filtered.c %D%/filtered.h %D%/early.c %D%/early.h %D%/enter.c %D%/enter.h %D%/inlined.c \
	%D%/path.c %D%/path.h %D%/quick.c %D%/quick.h %D%/recorded.c %D%/recorded.h \
	%D%/region_memory.h %D%/regions.c %D%/regions.h %D%/telling.h
ENTRY_SOURCES += %D%/cyg_profile.c
