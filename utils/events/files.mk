libsummary_la_SOURCES += %D%/event_file.c %D%/event_file.h %D%/events.h %D%/job_choice.c %D%/job_choice.h \
	%D%/job_trace.c %D%/job_trace.h
