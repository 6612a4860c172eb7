CORE_SOURCES += %D%/attach.c %D%/attach.h %D%/hooks.c %D%/life.h %D%/lifecycle.c %D%/lifecycle.h \
	%D%/seccomp.c \
	%D%/spawn.c %D%/spawn.h %D%/unload.c %D%/unload.h
