libcommand_la_SOURCES += %D%/collect.c %D%/collect.h %D%/timeline.c %D%/timeline.h %D%/write_block.c \
	%D%/write_block.h
