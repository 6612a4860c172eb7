check_PROGRAMS += \
	%D%/test_alias_tables \
	%D%/test_branch \
	%D%/test_recipe
%C%_test_alias_tables_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
%C%_test_alias_tables_LDADD = $(RUNTIME)
%C%_test_branch_LDADD = $(RUNTIME)
%C%_test_recipe_LDADD = $(RUNTIME)

# Walks are compared with libunwind's own, in optimized code and without sanitizers, which change
# the stack, so with these there are no such tests.  (With flags of its own the runtime's plain copy
# is linked.)  libgcc comes first so that exceptions are thrown by it and not by libunwind.
unwind_sources = %D%/unwind_judge.c %D%/unwind_judge.h %D%/unwind_world.c %D%/unwind_world.h \
	%D%/unwind_patterns.h %D%/unwind_patterns_plain.c %D%/unwind_patterns_framed.c \
	%D%/unwind_exceptions_plain.cc %D%/unwind_exceptions_framed.cc
EXTRA_DIST += %D%/unwind_bare.c %D%/unwind_bare.h %D%/unwind_library.c %D%/unwind_patterns.inc \
	%D%/unwind_exceptions.inc
CLEANFILES += %D%/unwind_bare.o %D%/unwind_library.so

if !SANITIZERS
if ARCH_X86_64
check_PROGRAMS += %D%/test_kept
endif
endif
%C%_test_kept_CFLAGS = $(OPTIMIZED_CFLAGS)
%C%_test_kept_LDFLAGS =
%C%_test_kept_LDADD = $(PLAIN_RUNTIME) -lm

# The exceptions of GCC's library and those of libunwind, which takes its place where it is linked.
if !SANITIZERS
check_PROGRAMS += %D%/test_alias
endif
%C%_test_alias_SOURCES = %D%/test_alias.c %D%/alias_frames.cc %D%/alias_frames.h
%C%_test_alias_CFLAGS = $(OPTIMIZED_CFLAGS)
%C%_test_alias_CXXFLAGS = -g -O2
%C%_test_alias_LDFLAGS =
%C%_test_alias_LDADD = $(PLAIN_RUNTIME) -lm

if HAVE_LIBUNWIND
if !SANITIZERS
check_PROGRAMS += %D%/test_alias_libunwind %D%/test_unwind %D%/test_unwind_aliases
# A program can make the processor stop after each of its own instructions.
if ARCH_X86_64
check_PROGRAMS += %D%/test_unwind_steps
endif
endif

%C%_test_unwind_SOURCES = %D%/test_unwind.c $(unwind_sources)
%C%_test_unwind_CFLAGS = $(OPTIMIZED_CFLAGS)
%C%_test_unwind_CXXFLAGS = -g -O2
%C%_test_unwind_LDFLAGS =
%C%_test_unwind_LDADD = $(PLAIN_RUNTIME) -lgcc_s -lunwind -lm

%C%_test_unwind_aliases_SOURCES = %D%/test_unwind.c $(unwind_sources)
%C%_test_unwind_aliases_CPPFLAGS = $(AM_CPPFLAGS) -DALIASES=1
%C%_test_unwind_aliases_CFLAGS = $(OPTIMIZED_CFLAGS)
%C%_test_unwind_aliases_CXXFLAGS = -g -O2
%C%_test_unwind_aliases_LDFLAGS =
%C%_test_unwind_aliases_LDADD = $(PLAIN_RUNTIME) -lgcc_s -lunwind -lm

%C%_test_unwind_steps_SOURCES = %D%/test_unwind_steps.c $(unwind_sources)
EXTRA_%C%_test_unwind_steps_DEPENDENCIES = %D%/unwind_library.so
%C%_test_unwind_steps_CFLAGS = $(OPTIMIZED_CFLAGS)
%C%_test_unwind_steps_CXXFLAGS = -g -O2
%C%_test_unwind_steps_LDFLAGS =
%C%_test_unwind_steps_LDADD = %D%/unwind_bare.o $(PLAIN_RUNTIME) -lgcc_s -lunwind -lm

%C%_test_alias_libunwind_SOURCES = $(%C%_test_alias_SOURCES)
%C%_test_alias_libunwind_CFLAGS = $(OPTIMIZED_CFLAGS)
%C%_test_alias_libunwind_CXXFLAGS = -g -O2
%C%_test_alias_libunwind_LDFLAGS = -Wl,--no-as-needed
%C%_test_alias_libunwind_LDADD = $(PLAIN_RUNTIME) -lunwind -lm
endif

%D%/unwind_bare.o: $(srcdir)/%D%/unwind_bare.c $(srcdir)/%D%/unwind_bare.h
	$(AM_V_CC)$(CC) -std=gnu11 -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables \
	  -fno-exceptions -c -o $@ $(srcdir)/%D%/unwind_bare.c

%D%/unwind_library.so: $(srcdir)/%D%/unwind_library.c
	$(AM_V_GEN)$(CC) -std=gnu11 -g -O2 -fPIC -shared -Wl,-z,lazy \
	  -Wl,--no-ld-generated-unwind-info -o $@ $(srcdir)/%D%/unwind_library.c

# The same for many millions of walks and instructions.
stress: $(check_PROGRAMS)
	TEST_UNWIND_WALKS=10000000 %D%/test_unwind
	TEST_UNWIND_WALKS=10000000 %D%/test_unwind_aliases
	TEST_UNWIND_STEPS=10000000 %D%/test_unwind_steps
	TEST_UNLOAD_ROUNDS=100000 libprof/life/test_unload
	TEST_CFI=all libprof/dwarf/test_cfi

.PHONY: stress
