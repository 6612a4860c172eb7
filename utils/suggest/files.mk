libsummary_la_SOURCES += %D%/borders.c %D%/borders.h %D%/groups.c %D%/groups.h %D%/suggest.c \
	%D%/suggest.h %D%/suggest_json.c %D%/suggest_text.c %D%/trace_size.c %D%/trace_size.h
