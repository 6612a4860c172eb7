/*
 * Machine code for exported functions that must leave all their arguments untouched.
 *
 * ARCH_ENTRY(symbol, wrapper, fits, ask) defines the function SYMBOL, which jumps to WRAPPER if
 * the byte FITS is not 0.  Otherwise it jumps to ASK to learn where to go, and passes it the
 * address of three distances, each relative to its own place: to the wrapper, to the function's
 * name, and to a word of zeros.
 *
 * ARCH_ENTRY_ASK(ask, target) defines ASK, which calls TARGET with that address, restores all
 * registers that can hold arguments, and jumps to the address that TARGET returns.
 *
 * They use x16 and x17, which belong to nobody between a call and the function.  "hint #34" is
 * bti c: calls may come here where indirect jumps are checked.
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
            ".type " #symbol ", %function\n" #symbol ":\n"                                     \
            ".cfi_startproc\n"                                                                 \
            "hint #34\n"                                                                       \
            "adrp x16, " #fits "\n"                                                            \
            "ldrb w16, [x16, :lo12:" #fits "]\n"                                               \
            "cbz w16, 6f\n"                                                                    \
            "b " #wrapper "\n"                                                                 \
            "6: adrp x16, 2b\n"                                                                \
            "add x16, x16, :lo12:2b\n"                                                         \
            "b " #ask "\n"                                                                     \
            ".cfi_endproc\n"                                                                   \
            ".size " #symbol ", . - " #symbol "\n"                                             \
            ".popsection\n")

#define ARCH_ENTRY_ASK(ask, target)                                                            \
    __asm__(".pushsection .text\n"                                                             \
            ".p2align 4\n"                                                                     \
            ".type " #ask ", %function\n"                                                      \
            ".globl " #ask "\n"                                                                \
            ".hidden " #ask "\n"                                                               \
            "" #ask ":\n"                                                                      \
            ".cfi_startproc\n"                                                                 \
            "stp x29, x30, [sp, #-224]!\n"                                                     \
            ".cfi_def_cfa_offset 224\n"                                                        \
            ".cfi_offset x29, -224\n"                                                          \
            ".cfi_offset x30, -216\n"                                                          \
            "mov x29, sp\n"                                                                    \
            "stp x0, x1, [sp, #16]\n"                                                          \
            "stp x2, x3, [sp, #32]\n"                                                          \
            "stp x4, x5, [sp, #48]\n"                                                          \
            "stp x6, x7, [sp, #64]\n"                                                          \
            "str x8, [sp, #80]\n"                                                              \
            "stp q0, q1, [sp, #96]\n"                                                          \
            "stp q2, q3, [sp, #128]\n"                                                         \
            "stp q4, q5, [sp, #160]\n"                                                         \
            "stp q6, q7, [sp, #192]\n"                                                         \
            "mov x0, x16\n"                                                                    \
            "bl " #target "\n"                                                                 \
            "mov x16, x0\n"                                                                    \
            "ldp x0, x1, [sp, #16]\n"                                                          \
            "ldp x2, x3, [sp, #32]\n"                                                          \
            "ldp x4, x5, [sp, #48]\n"                                                          \
            "ldp x6, x7, [sp, #64]\n"                                                          \
            "ldr x8, [sp, #80]\n"                                                              \
            "ldp q0, q1, [sp, #96]\n"                                                          \
            "ldp q2, q3, [sp, #128]\n"                                                         \
            "ldp q4, q5, [sp, #160]\n"                                                         \
            "ldp q6, q7, [sp, #192]\n"                                                         \
            "ldp x29, x30, [sp], #224\n"                                                       \
            ".cfi_def_cfa_offset 0\n"                                                          \
            ".cfi_restore x29\n"                                                               \
            ".cfi_restore x30\n"                                                               \
            "br x16\n"                                                                         \
            ".cfi_endproc\n"                                                                   \
            ".size " #ask ", . - " #ask "\n"                                                   \
            ".popsection\n")

#endif
