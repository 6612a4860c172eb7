CORE_SOURCES += %D%/arena.c %D%/arena.h %D%/claims.c %D%/claims.h %D%/clock.c %D%/clock.h \
	%D%/config.c %D%/config.h %D%/file_numbers.h %D%/floating.h %D%/linkage.c %D%/linkage.h \
	%D%/message.c %D%/message.h %D%/modmap.c %D%/modmap.h %D%/neighbours.c %D%/neighbours.h \
	%D%/own_stack.c %D%/own_stack.h %D%/peek.c %D%/peek.h %D%/quiet.c %D%/quiet.h %D%/raw_signal.c \
	%D%/raw_signal.h %D%/secure.c %D%/secure.h %D%/utf8.c %D%/utf8.h %D%/whereabouts.c \
	%D%/whereabouts.h
