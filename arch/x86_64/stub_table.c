/* See stub_table.h. */
#include "arch/x86_64/stub_table.h"

/* A row of struct stub_instruction; BYTES is a string literal. */
#define I(depth, length, bytes)                                                                \
    {                                                                                          \
        depth, length, sizeof bytes - 1, false, bytes                                          \
    }
/* Likewise, after the caller's frame pointer was pushed. */
#define F(depth, length, bytes)                                                                \
    {                                                                                          \
        depth, length, sizeof bytes - 1, true, bytes                                           \
    }

#define ENDBR          I(8, 4, "\xf3\x0f\x1e\xfa")
#define PUSH_NUMBER    I(8, 5, "\x68")
#define PUSH_ENTRY     I(16, 6, "\xff\x35")
#define JUMP           I(16, 5, "\xe9")
#define JUMP_BND       I(16, 6, "\xf2\xe9")
#define JUMP_ENTRY     I(8, 6, "\xff\x25")
#define JUMP_ENTRY_BND I(8, 7, "\xf2\xff\x25")
#define NOP2           I(8, 2, "\x66\x90")
#define NOP5           I(8, 5, "\x0f\x1f\x44\0\0")
#define NOP6           I(8, 6, "\x66\x0f\x1f\x44\0\0")
#define NOP7           I(8, 7, "\x0f\x1f\x80\0\0\0\0")
#define SUB_8          I(8, 4, "\x48\x83\xec\x08")
#define ADD_8          I(16, 4, "\x48\x83\xc4\x08")
#define RET            I(8, 1, "\xc3")
/* mov hook(%rip), %rax; test %rax, %rax; je; call or jmp *%rax */
#define LOAD_HOOK(depth)                                                                       \
    I(depth, 7, "\x48\x8b\x05"), I(depth, 3, "\x48\x85\xc0"), I(depth, 2, "\x74")
#define CALL_HOOK LOAD_HOOK(16), I(16, 2, "\xff\xd0")
#define TAIL_HOOK LOAD_HOOK(8), I(8, 2, "\xff\xe0")

const struct stub_instruction stub_table[][STUB_INSTRUCTIONS_MOST] = {
    /*
     * The PLT entry of a function that is bound at its first call, and the one that binds it.
     */
    {JUMP_ENTRY, PUSH_NUMBER, JUMP},
    {PUSH_ENTRY, I(24, 6, "\xff\x25"), I(24, 4, "\x0f\x1f\x40\0")},
    /* The same where indirect jumps must land on endbr64. */
    {ENDBR, PUSH_NUMBER, JUMP_BND},
    {ENDBR, PUSH_NUMBER, JUMP, I(16, 2, "\x66\x90")},
    {PUSH_ENTRY, I(24, 7, "\xf2\xff\x25")},
    {ENDBR, JUMP_ENTRY_BND, NOP5},
    {ENDBR, JUMP_ENTRY, NOP6},
    /* The PLT entry of a function that is bound at the start. */
    {JUMP_ENTRY, NOP2},
    /* _init and _fini */
    {SUB_8, CALL_HOOK, ADD_8, RET},
    {ENDBR, SUB_8, CALL_HOOK, ADD_8, RET},
    {SUB_8, ADD_8, RET},
    {ENDBR, SUB_8, ADD_8, RET},
    /* deregister_tm_clones: lea; lea; cmp; je */
    {I(8, 7, "\x48\x8d\x3d"), I(8, 7, "\x48\x8d\x05"), I(8, 3, "\x48\x39\xf8"), I(8, 2, "\x74"),
     TAIL_HOOK, NOP7, RET},
    /* register_tm_clones: lea; lea; half of the difference; je */
    {I(8, 7, "\x48\x8d\x3d"), I(8, 7, "\x48\x8d\x35"), I(8, 3, "\x48\x29\xfe"),
     I(8, 3, "\x48\x89\xf0"), I(8, 4, "\x48\xc1\xee\x3f"), I(8, 4, "\x48\xc1\xf8\x03"),
     I(8, 3, "\x48\x01\xc6"), I(8, 3, "\x48\xd1\xfe"), I(8, 2, "\x74"), TAIL_HOOK, NOP6, RET},
    /*
     * __do_global_dtors_aux, which runs a module's destructors: cmpb; jne; push %rbp; cmpq; mov
     * %rsp, %rbp; je; mov; call; call; movb; pop %rbp; ret
     */
    {ENDBR, I(8, 7, "\x80\x3d"), I(8, 2, "\x75"), I(8, 1, "\x55"), F(16, 8, "\x48\x83\x3d"),
     F(16, 3, "\x48\x89\xe5"), F(16, 2, "\x74"), F(16, 7, "\x48\x8b\x3d"), F(16, 5, "\xe8"),
     F(16, 5, "\xe8"), F(16, 7, "\xc6\x05"), F(16, 1, "\x5d"), RET},
};

const size_t stub_count = sizeof stub_table / sizeof stub_table[0];
