libsummary_la_SOURCES += %D%/answers.c %D%/answers.h %D%/child.c %D%/child.h %D%/guest.c \
	%D%/guest.h %D%/host.c %D%/host.h %D%/host_events.c %D%/link.c %D%/link.h %D%/plugins.c \
	%D%/plugins.h %D%/python.c %D%/python.h %D%/wire.c %D%/wire.h

# Part of the command, and for whoever writes patterns to read.
dist_pkgdata_DATA = %D%/tsprof_pattern.py
%D%/python.lo: %D%/tsprof_pattern.py
