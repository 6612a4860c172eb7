/* See signal_return.h. */
#include "arch/aarch64/signal_return.h"

/* mov x8, #SYS_rt_sigreturn; svc #0 */
const unsigned char arch_signal_return_code[8] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};

/*
 * Unwinders recognise these instructions as the end of a signal frame, provided that no
 * call-frame information covers the instruction before them.
 */
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        "nop\n"
        ".globl arch_signal_return\n"
        ".hidden arch_signal_return\n"
        ".type arch_signal_return, %function\n"
        "arch_signal_return:\n"
        "mov x8, #139\n"
        "svc #0\n"
        ".size arch_signal_return, . - arch_signal_return\n"
        ".popsection\n");
