CORE_SOURCES += %D%/arena.c %D%/arena.h %D%/bus_guard.c %D%/bus_guard.h %D%/claims.c \
	%D%/claims.h %D%/claims_old.c %D%/clock.c %D%/clock.h %D%/config.c %D%/config.h \
	%D%/coroutine.c %D%/coroutine.h %D%/descriptors.h %D%/got.c %D%/got.h %D%/host.h \
	%D%/job_processes.c %D%/job_processes.h %D%/last_line.c %D%/last_line.h \
	%D%/message.c %D%/message.h %D%/modmap.c %D%/modmap.h \
	%D%/other_libc.h %D%/own_stack.c %D%/own_stack.h %D%/peek.c %D%/peek.h %D%/processor.c \
	%D%/processor.h %D%/quiet.c %D%/quiet.h %D%/raw_file.c %D%/raw_file.h %D%/raw_signal.c %D%/raw_signal.h \
	%D%/seccomp_filter.c %D%/seccomp_filter.h %D%/secure.c %D%/secure.h %D%/source_place.c \
	%D%/source_place.h
