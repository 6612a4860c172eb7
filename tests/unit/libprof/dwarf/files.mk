check_PROGRAMS += \
	%D%/test_ehframe
%C%_test_ehframe_LDADD = $(RUNTIME)

# Compared with libunwind, register by register.
if HAVE_LIBUNWIND
if ARCH_X86_64
check_PROGRAMS += %D%/test_cfi
%C%_test_cfi_SOURCES = %D%/test_cfi.c %D%/libunwind_rules.c %D%/libunwind_rules.h
%C%_test_cfi_LDADD = $(RUNTIME) -lunwind-x86_64
endif
endif
