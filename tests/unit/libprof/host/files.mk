check_PROGRAMS += \
	%D%/test_arena \
	%D%/test_bus_guard \
	%D%/test_clock \
	%D%/test_config \
	%D%/test_coroutine \
	%D%/test_last_line \
	%D%/test_modmap \
	%D%/test_seccomp_filter \
	%D%/test_symbols
%C%_test_arena_LDADD = $(RUNTIME)
%C%_test_bus_guard_LDADD = $(RUNTIME)
%C%_test_clock_LDADD = $(RUNTIME)
%C%_test_config_LDADD = $(RUNTIME)
%C%_test_coroutine_LDADD = $(RUNTIME)
%C%_test_last_line_LDADD = $(RUNTIME)
%C%_test_modmap_LDADD = $(RUNTIME)
%C%_test_seccomp_filter_LDADD = $(RUNTIME)
%C%_test_symbols_LDADD = $(RUNTIME)
