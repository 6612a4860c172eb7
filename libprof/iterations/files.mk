CORE_SOURCES += %D%/annotations.c %D%/annotations.def %D%/annotations.h %D%/aside.c %D%/aside.h \
	%D%/compose.c %D%/compose.h %D%/follow.c \
	%D%/follow.h %D%/function_names.c %D%/function_names.h %D%/instance.c %D%/instance.h \
	%D%/iteration.c %D%/iteration.h %D%/iterations.h \
	%D%/matching.c %D%/matching.h %D%/nvtx.c %D%/pcontrol.c %D%/pcontrol.h %D%/phase.c %D%/phase.h \
	%D%/series.c %D%/series.h %D%/shortage.c %D%/shortage.h %D%/watch.c %D%/watch.h
ENTRY_SOURCES += %D%/markers.c
