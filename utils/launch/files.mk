libsummary_la_SOURCES += %D%/elf_needed.c %D%/elf_needed.h %D%/launch.c %D%/launch.h \
	%D%/linked.c %D%/linked.h %D%/preload.c %D%/preload.h %D%/refusal.c %D%/refusal.h
