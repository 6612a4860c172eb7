/* Standing before the C library's syscall function, and leaving no frame behind. */
#ifndef TSPROF_ARCH_SYSCALL_ENTRY_H
#define TSPROF_ARCH_SYSCALL_ENTRY_H

#include <linux/audit.h>
#include <sys/syscall.h>

/* What seccomp filters call this processor. */
#define ARCH_AUDIT AUDIT_ARCH_X86_64

/* The system calls by which the C library's functions for files with a name work, as a list. */
#define ARCH_FILE_CALLS(call)                                                                  \
    call(access), call(mkdir), call(readlink), call(rmdir), call(unlink)

_Static_assert(SYS_prctl == 157 && SYS_seccomp == 317, "the numbers below");

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
            ".type syscall, @function\n"                                                       \
            "syscall:\n"                                                                       \
            ".cfi_startproc\n"                                                                 \
            "endbr64\n"                                                                        \
            "mov " #real "(%rip), %rax\n"                                                      \
            "test %rax, %rax\n"                                                                \
            "je 1f\n"                                                                          \
            "cmp $157, %rdi\n"                                                                 \
            "je 1f\n"                                                                          \
            "cmp $317, %rdi\n"                                                                 \
            "je 1f\n"                                                                          \
            "jmp *%rax\n"                                                                      \
            "1:\n"                                                                             \
            "push %rdi\n"                                                                      \
            ".cfi_adjust_cfa_offset 8\n"                                                       \
            "push %rsi\n"                                                                      \
            ".cfi_adjust_cfa_offset 8\n"                                                       \
            "push %rdx\n"                                                                      \
            ".cfi_adjust_cfa_offset 8\n"                                                       \
            "push %rcx\n"                                                                      \
            ".cfi_adjust_cfa_offset 8\n"                                                       \
            "push %r8\n"                                                                       \
            ".cfi_adjust_cfa_offset 8\n"                                                       \
            "push %r9\n"                                                                       \
            ".cfi_adjust_cfa_offset 8\n"                                                       \
            "sub $8, %rsp\n"                                                                   \
            ".cfi_adjust_cfa_offset 8\n"                                                       \
            "call " #before "\n"                                                               \
            "add $8, %rsp\n"                                                                   \
            ".cfi_adjust_cfa_offset -8\n"                                                      \
            "pop %r9\n"                                                                        \
            ".cfi_adjust_cfa_offset -8\n"                                                      \
            "pop %r8\n"                                                                        \
            ".cfi_adjust_cfa_offset -8\n"                                                      \
            "pop %rcx\n"                                                                       \
            ".cfi_adjust_cfa_offset -8\n"                                                      \
            "pop %rdx\n"                                                                       \
            ".cfi_adjust_cfa_offset -8\n"                                                      \
            "pop %rsi\n"                                                                       \
            ".cfi_adjust_cfa_offset -8\n"                                                      \
            "pop %rdi\n"                                                                       \
            ".cfi_adjust_cfa_offset -8\n"                                                      \
            "jmp *" #real "(%rip)\n"                                                           \
            ".cfi_endproc\n"                                                                   \
            ".size syscall, . - syscall\n"                                                     \
            ".popsection\n")

#endif
