/*
 * Machine code for exported functions that must leave all their arguments untouched.
 *
 * ARCH_ENTRY(symbol, wrapper, fits, ask) defines the function SYMBOL, which jumps to WRAPPER if
 * the byte FITS is not 0.  Otherwise it jumps to ASK to learn where to go, and passes it the
 * address of three distances, each relative to its own place: to the wrapper, to the function's
 * name, and to a word of zeros.
 *
 * ARCH_ENTRY_ASK(ask, target) defines ASK, which calls TARGET with that address, restores all
 * registers that can hold arguments, and jumps to the address that TARGET returns.  (%rax tells
 * a variadic function how many arguments are in vector registers.)
 */
#ifndef TSPROF_ARCH_ENTRY_H
#define TSPROF_ARCH_ENTRY_H

#define ARCH_ENTRY(symbol, wrapper, fits, ask)                                                 \
    __asm__(".pushsection .rodata\n"                                                           \
            "1: .string \"" #symbol "\"\n"                                                     \
            ".p2align 2\n"                                                                     \
            "2: .long " #wrapper " - 2b\n"                                                     \
            "3: .long 1b - 3b\n"                                                               \
            "4: .long 5f - 4b\n"                                                               \
            ".popsection\n"                                                                    \
            ".pushsection .bss\n"                                                              \
            ".p2align 3\n"                                                                     \
            "5: .zero 8\n"                                                                     \
            ".popsection\n"                                                                    \
            ".pushsection .text\n"                                                             \
            ".p2align 4\n"                                                                     \
            ".globl " #symbol "\n"                                                             \
            ".type " #symbol ", @function\n" #symbol ":\n"                                     \
            ".cfi_startproc\n"                                                                 \
            "cmpb $0, " #fits "(%rip)\n"                                                       \
            "jne " #wrapper "\n"                                                               \
            "leaq 2b(%rip), %r11\n"                                                            \
            "jmp " #ask "\n"                                                                   \
            ".cfi_endproc\n"                                                                   \
            ".size " #symbol ", . - " #symbol "\n"                                             \
            ".popsection\n")

#define ARCH_ENTRY_ASK(ask, target)                                                            \
    __asm__(".pushsection .text\n"                                                             \
            ".p2align 4\n"                                                                     \
            ".type " #ask ", @function\n"                                                      \
            ".globl " #ask "\n"                                                                \
            ".hidden " #ask "\n"                                                               \
            "" #ask ":\n"                                                                      \
            ".cfi_startproc\n"                                                                 \
            "pushq %rbp\n"                                                                     \
            ".cfi_def_cfa_offset 16\n"                                                         \
            ".cfi_offset %rbp, -16\n"                                                          \
            "movq %rsp, %rbp\n"                                                                \
            ".cfi_def_cfa_register %rbp\n"                                                     \
            "subq $192, %rsp\n"                                                                \
            "movq %rdi, -8(%rbp)\n"                                                            \
            "movq %rsi, -16(%rbp)\n"                                                           \
            "movq %rdx, -24(%rbp)\n"                                                           \
            "movq %rcx, -32(%rbp)\n"                                                           \
            "movq %r8, -40(%rbp)\n"                                                            \
            "movq %r9, -48(%rbp)\n"                                                            \
            "movq %rax, -56(%rbp)\n"                                                           \
            "movups %xmm0, -80(%rbp)\n"                                                        \
            "movups %xmm1, -96(%rbp)\n"                                                        \
            "movups %xmm2, -112(%rbp)\n"                                                       \
            "movups %xmm3, -128(%rbp)\n"                                                       \
            "movups %xmm4, -144(%rbp)\n"                                                       \
            "movups %xmm5, -160(%rbp)\n"                                                       \
            "movups %xmm6, -176(%rbp)\n"                                                       \
            "movups %xmm7, -192(%rbp)\n"                                                       \
            "movq %r11, %rdi\n"                                                                \
            "call " #target "\n"                                                               \
            "movq %rax, %r11\n"                                                                \
            "movq -8(%rbp), %rdi\n"                                                            \
            "movq -16(%rbp), %rsi\n"                                                           \
            "movq -24(%rbp), %rdx\n"                                                           \
            "movq -32(%rbp), %rcx\n"                                                           \
            "movq -40(%rbp), %r8\n"                                                            \
            "movq -48(%rbp), %r9\n"                                                            \
            "movq -56(%rbp), %rax\n"                                                           \
            "movups -80(%rbp), %xmm0\n"                                                        \
            "movups -96(%rbp), %xmm1\n"                                                        \
            "movups -112(%rbp), %xmm2\n"                                                       \
            "movups -128(%rbp), %xmm3\n"                                                       \
            "movups -144(%rbp), %xmm4\n"                                                       \
            "movups -160(%rbp), %xmm5\n"                                                       \
            "movups -176(%rbp), %xmm6\n"                                                       \
            "movups -192(%rbp), %xmm7\n"                                                       \
            "leave\n"                                                                          \
            ".cfi_def_cfa %rsp, 8\n"                                                           \
            ".cfi_restore %rbp\n"                                                              \
            "jmp *%r11\n"                                                                      \
            ".cfi_endproc\n"                                                                   \
            ".size " #ask ", . - " #ask "\n"                                                   \
            ".popsection\n")

#endif
