CORE_SOURCES += %D%/cfi.c %D%/cfi.h %D%/dwarf.h %D%/ehframe.c %D%/ehframe.h %D%/lsda.c \
	%D%/lsda.h
