/* See stub_table.h. */
#include "arch/aarch64/stub_table.h"

/* A row of struct stub_instruction, in a function without a frame. */
#define I(mask, bits)                                                                          \
    {                                                                                          \
        0, 4, 0, mask, bits                                                                    \
    }
/* Likewise, where DEPTH bytes are on the stack, with the caller's frame pointer at the lowest.
 */
#define F(depth, mask, bits)                                                                   \
    {                                                                                          \
        depth, 4, depth, mask, bits                                                            \
    }
#define ALL 0xffffffffu

#define BTI_C     I(ALL, 0xd503245f)
#define NOP       I(ALL, 0xd503201f)
#define RET       I(ALL, 0xd65f03c0)
#define BR_X16    I(ALL, 0xd61f0200)
#define BR_X17    I(ALL, 0xd61f0220)
#define ADRP(r)   I(0x9f00001f, 0x90000000 | r)
#define ADD(r)    I(0xffc003ff, 0x91000000 | (r) << 5 | r) /* add xR, xR, #... */
#define LDR(t, n) I(0xffc003ff, 0xf9400000 | (n) << 5 | t) /* ldr xT, [xN, #...] */
#define CBZ(r)    I(0xff00001f, 0xb4000000 | r)
#define B_EQ      I(0xff00001f, 0x54000000)
/* adrp x16; ldr x17, [x16]; add x16; br x17 */
#define ENTRY ADRP(16), LDR(17, 16), ADD(16), BR_X17
/* The same where pointers are authenticated: autia1716 comes before the jump. */
#define AUTHENTICATED_ENTRY ADRP(16), LDR(17, 16), ADD(16), I(ALL, 0xd503219f), BR_X17
/* An instruction after x16 and x30 were put on the stack; both are still in place. */
#define BINDS(mask, bits)                                                                      \
    {                                                                                          \
        16, 4, 0, mask, bits                                                                   \
    }
#define BIND                                                                                   \
    I(ALL, 0xa9bf7bf0), BINDS(0x9f00001f, 0x90000010), BINDS(0xffc003ff, 0xf9400211),          \
        BINDS(0xffc003ff, 0x91000210), BINDS(ALL, 0xd61f0220)
/* adrp; ldr of a hook's address into xR; cbz; mov x16, xR; br x16 */
#define TAIL_HOOK(r) ADRP(r), LDR(r, r), CBZ(r), I(ALL, 0xaa0003f0 | (r) << 16), BR_X16

/* stp x29, x30, [sp, #-16]!; mov x29, sp; bl; ldp x29, x30, [sp], #16; ret */
#define CALL_ONE                                                                               \
    I(ALL, 0xa9bf7bfd), F(16, ALL, 0x910003fd), F(16, 0xfc000000, 0x94000000),                 \
        F(16, ALL, 0xa8c17bfd), RET

const struct stub_instruction stub_table[][STUB_INSTRUCTIONS_MOST] = {
    /*
     * The PLT entry of a function, and the one that binds functions at their first call; those
     * that begin with bti are for where indirect jumps must land on that.
     */
    {BTI_C, AUTHENTICATED_ENTRY},
    {BTI_C, ENTRY},
    {BTI_C, BIND},
    {AUTHENTICATED_ENTRY},
    {ENTRY},
    {BIND},
    /* _init and _fini, and what the first calls */
    {CALL_ONE},
    {I(ALL, 0xa9bf7bfd), F(16, ALL, 0x910003fd), F(16, ALL, 0xa8c17bfd), RET},
    {ADRP(0), LDR(0, 0), CBZ(0), I(0xfc000000, 0x14000000), RET},
    /* deregister_tm_clones: two addresses; cmp; b.eq */
    {ADRP(0), ADD(0), ADRP(1), ADD(1), I(ALL, 0xeb00003f), B_EQ, TAIL_HOOK(1), RET},
    /* register_tm_clones: two addresses; half of the difference; cbz */
    {ADRP(0), ADD(0), ADRP(1), ADD(1), I(ALL, 0xcb000021), I(ALL, 0xd37ffc22),
     I(ALL, 0x8b810c41), I(ALL, 0x9341fc21), CBZ(1), TAIL_HOOK(2), RET},
    /*
     * __do_global_dtors_aux, which runs a module's destructors: stp x29, x30, [sp, #-32]!; mov
     * x29, sp; str x19, [sp, #16]; adrp x19; ldrb w0, [x19]; cbnz w0; adrp x0; ldr x0, [x0];
     * cbz x0; adrp x0; ldr x0, [x0]; bl; bl; mov w0, #1; strb w0, [x19]; ldr x19, [sp, #16];
     * ldp; ret
     */
    {I(ALL, 0xa9be7bfd), F(32, ALL, 0x910003fd), F(32, ALL, 0xf9000bf3),
     F(32, 0x9f00001f, 0x90000013), F(32, 0xffc003ff, 0x39400260),
     F(32, 0xff00001f, 0x35000000), F(32, 0x9f00001f, 0x90000000),
     F(32, 0xffc003ff, 0xf9400000), F(32, 0xff00001f, 0xb4000000),
     F(32, 0x9f00001f, 0x90000000), F(32, 0xffc003ff, 0xf9400000),
     F(32, 0xfc000000, 0x94000000), F(32, 0xfc000000, 0x94000000), F(32, ALL, 0x52800020),
     F(32, 0xffc003ff, 0x39000260), F(32, ALL, 0xf9400bf3), F(32, ALL, 0xa8c27bfd), RET},
    /* frame_dummy */
    {I(0xfc000000, 0x14000000), NOP, NOP, NOP},
};

const size_t stub_count = sizeof stub_table / sizeof stub_table[0];
