libsummary_la_SOURCES += %D%/dependencies.c %D%/dependencies.h %D%/logical_clock.c %D%/logical_clock.h \
	%D%/message_gates.c %D%/message_gates.h %D%/operation_gates.c %D%/operation_gates.h
libcommand_la_SOURCES += %D%/clocks.c %D%/clocks.h
