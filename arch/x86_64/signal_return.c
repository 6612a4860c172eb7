/* See signal_return.h. */
#include "arch/x86_64/signal_return.h"

/* mov $SYS_rt_sigreturn, %rax; syscall */
const unsigned char arch_signal_return_code[9] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

/*
 * Unwinders recognise these instructions, byte by byte, as the end of a signal frame, provided
 * that no call-frame information covers the byte before them.
 */
__asm__(".text\n"
        ".p2align 4, 0x90\n"
        "nop\n"
        ".globl arch_signal_return\n"
        ".hidden arch_signal_return\n"
        ".type arch_signal_return, @function\n"
        "arch_signal_return:\n"
        "mov $15, %rax\n"
        "syscall\n"
        ".size arch_signal_return, . - arch_signal_return\n");
