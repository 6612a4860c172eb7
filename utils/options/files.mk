libsummary_la_SOURCES += %D%/options.c
libcommand_la_SOURCES += %D%/command.h %D%/options.h
