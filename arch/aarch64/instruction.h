/*
 * Machine code (A64), instruction by instruction: where each leads (Arm Architecture Reference
 * Manual for A-profile, chapter C4, "Branches, Exception Generating and System instructions").
 *
 * No globals, no input or output; needs no such processor, so that it is tested on all.
 */
#ifndef TSPROF_ARCH_INSTRUCTION_H
#define TSPROF_ARCH_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an instruction leads. */
enum way {
    WAY_ON,      /* to the next one; calls count as this */
    WAY_BRANCH,  /* to its target or to the next one */
    WAY_JUMP,    /* to its target */
    WAY_END,     /* out of the function */
    WAY_ANYWHERE /* to a computed address */
};

enum { INSTRUCTION_NOWHERE = UINT32_MAX };

struct instruction {
    uint32_t length; /* bytes */
    uint32_t target; /* of a branch or jump: bytes from the start of the code;
                        INSTRUCTION_NOWHERE if that is outside the code */
    uint32_t callee; /* of a call of a known address: bytes from the start of the code, modulo
                        2^32; INSTRUCTION_NOWHERE if it is none */
    enum way way;
};

/*
 * Reads the instruction that begins at byte AT of the SIZE bytes of CODE; AT < SIZE.  Returns
 * false, and leaves *READ undefined, if there is no valid instruction or one that no compiler
 * emits.
 */
bool instruction_read(const unsigned char *code, size_t size, size_t at,
                      struct instruction *read);

#endif
