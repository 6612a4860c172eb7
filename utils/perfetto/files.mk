libcommand_la_SOURCES += %D%/call_facts.c %D%/call_facts.h %D%/perfetto.c %D%/perfetto.h \
	%D%/event_choice.c %D%/event_choice.h
