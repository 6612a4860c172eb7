ARCH_SOURCES += %D%/alias_table.c %D%/alias_table.h %D%/call_code.c %D%/call_code.h %D%/effect.c %D%/effect.h %D%/entry.h \
	%D%/floating.h %D%/instruction.c %D%/instruction.h %D%/jump.h %D%/model.c %D%/model.h %D%/registers.h %D%/relocation.h \
	%D%/signal_return.c %D%/signal_return.h %D%/stack_switch.c %D%/stack_switch.h %D%/stub_table.c %D%/stub_table.h \
	%D%/switch_code.c %D%/switch_code.h %D%/syscall_entry.h %D%/ticks.h
