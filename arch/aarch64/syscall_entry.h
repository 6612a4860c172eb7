/* Standing before the C library's syscall function, and leaving no frame behind. */
#ifndef TSPROF_ARCH_SYSCALL_ENTRY_H
#define TSPROF_ARCH_SYSCALL_ENTRY_H

#include <linux/audit.h>
#include <sys/syscall.h>

/* What seccomp filters call this processor. */
#define ARCH_AUDIT AUDIT_ARCH_AARCH64

/* The system calls by which the C library's functions for files with a name work, as a list. */
#define ARCH_FILE_CALLS(call) call(faccessat), call(mkdirat), call(readlinkat), call(unlinkat)

_Static_assert(SYS_prctl == 167 && SYS_seccomp == 277, "the numbers below");

/*
 * Defines syscall(), which jumps to where the variable REAL points.  If that is NULL, or the
 * system call is prctl or seccomp, BEFORE is called first, with the first
 * four arguments of syscall(), and must set REAL.  A jump, and not a call, since a program may
 * make its system call in such a way that there is no stack to return on.
 */
#define ARCH_SYSCALL_ENTRY(before, real)                                                       \
    __asm__(".pushsection .text\n"                                                             \
            ".p2align 4\n"                                                                     \
            ".globl syscall\n"                                                                 \
            ".type syscall, %function\n"                                                       \
            "syscall:\n"                                                                       \
            ".cfi_startproc\n"                                                                 \
            "hint #34\n"                                                                       \
            "adrp x16, " #real "\n"                                                            \
            "ldr x16, [x16, :lo12:" #real "]\n"                                                \
            "cbz x16, 1f\n"                                                                    \
            "cmp x0, #167\n"                                                                   \
            "b.eq 1f\n"                                                                        \
            "cmp x0, #277\n"                                                                   \
            "b.eq 1f\n"                                                                        \
            "br x16\n"                                                                         \
            "1:\n"                                                                             \
            "stp x29, x30, [sp, #-80]!\n"                                                      \
            ".cfi_def_cfa_offset 80\n"                                                         \
            ".cfi_offset x29, -80\n"                                                           \
            ".cfi_offset x30, -72\n"                                                           \
            "mov x29, sp\n"                                                                    \
            "stp x0, x1, [sp, #16]\n"                                                          \
            "stp x2, x3, [sp, #32]\n"                                                          \
            "stp x4, x5, [sp, #48]\n"                                                          \
            "str x6, [sp, #64]\n"                                                              \
            "bl " #before "\n"                                                                 \
            "ldp x0, x1, [sp, #16]\n"                                                          \
            "ldp x2, x3, [sp, #32]\n"                                                          \
            "ldp x4, x5, [sp, #48]\n"                                                          \
            "ldr x6, [sp, #64]\n"                                                              \
            "ldp x29, x30, [sp], #80\n"                                                        \
            ".cfi_def_cfa_offset 0\n"                                                          \
            ".cfi_restore x29\n"                                                               \
            ".cfi_restore x30\n"                                                               \
            "adrp x16, " #real "\n"                                                            \
            "ldr x16, [x16, :lo12:" #real "]\n"                                                \
            "br x16\n"                                                                         \
            ".cfi_endproc\n"                                                                   \
            ".size syscall, . - syscall\n"                                                     \
            ".popsection\n")

#endif
