CORE_SOURCES += %D%/borders.c %D%/borders.h %D%/context.c %D%/context.h %D%/counts.c \
	%D%/counts.h %D%/hooks.h %D%/level.c %D%/level.h %D%/live.h %D%/context_memory.c %D%/context_memory.h \
	%D%/preemption.c %D%/preemption.h %D%/rate.c %D%/rate.h %D%/stalls.c %D%/stalls.h %D%/state.c %D%/state.h %D%/thread.c %D%/thread.h %D%/threads.c \
	%D%/threads.h %D%/timeline.c %D%/timeline.h
