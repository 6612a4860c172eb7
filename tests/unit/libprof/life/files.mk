# Of the runtime as it is preloaded.
if !SANITIZERS
check_PROGRAMS += %D%/test_unload
endif
%C%_test_unload_SOURCES = %D%/test_unload.c %D%/unload_plugin.h
%C%_test_unload_CFLAGS = $(OPTIMIZED_CFLAGS)
%C%_test_unload_LDFLAGS = -pthread
%C%_test_unload_LDADD = $(PLAIN_RUNTIME) -lm
EXTRA_%C%_test_unload_DEPENDENCIES = $(unload_plugins)
EXTRA_DIST += %D%/unload_plugin.c

# Frames of other sizes, code of the same.
unload_plugins = %D%/unload_plugin_a.so %D%/unload_plugin_b.so %D%/unload_plugin_c.so \
	%D%/unload_plugin_d.so
unload_plugin_source = $(srcdir)/%D%/unload_plugin.c
unload_plugin_flags = -std=gnu11 -g -O2 -fPIC -shared
CLEANFILES += $(unload_plugins)

%D%/unload_plugin_a.so: $(unload_plugin_source) $(srcdir)/%D%/unload_plugin.h
	$(AM_V_GEN)$(CC) $(unload_plugin_flags) -DROOM=1000 -o $@ $(unload_plugin_source)

%D%/unload_plugin_b.so: $(unload_plugin_source) $(srcdir)/%D%/unload_plugin.h
	$(AM_V_GEN)$(CC) $(unload_plugin_flags) -DROOM=2000 -o $@ $(unload_plugin_source)

%D%/unload_plugin_c.so: $(unload_plugin_source) $(srcdir)/%D%/unload_plugin.h
	$(AM_V_GEN)$(CC) $(unload_plugin_flags) -DROOM=3000 -o $@ $(unload_plugin_source)

%D%/unload_plugin_d.so: $(unload_plugin_source) $(srcdir)/%D%/unload_plugin.h
	$(AM_V_GEN)$(CC) $(unload_plugin_flags) -DROOM=4000 -o $@ $(unload_plugin_source)

if HAVE_TSAN
check_PROGRAMS += %D%/test_races
%C%_test_races_CFLAGS = $(TSAN_CFLAGS)
%C%_test_races_LDFLAGS = -fsanitize=thread
%C%_test_races_LDADD = $(TSAN_RUNTIME)
endif

check_PROGRAMS += %D%/test_spawn
%C%_test_spawn_SOURCES = %D%/test_spawn.c $(timed_thread)
%C%_test_spawn_LDFLAGS = -pthread
%C%_test_spawn_LDADD = $(RUNTIME)

check_PROGRAMS += %D%/test_thread_end
%C%_test_thread_end_LDFLAGS = -pthread
%C%_test_thread_end_LDADD = $(RUNTIME)
