/*
 * Answers questions about loops by reading the machine code of a function: which loops are
 * around a call, and whether the function must begin another pass of one on the way from a call
 * to the next.
 *
 * Instructions (instruction.h) are decoded from the function's first byte on, and joined to
 * basic blocks, whose loops are found when the function is read (nesting.h).  A jump to a
 * computed address may lead to any block that no other jump leads to; on the way from a call to
 * the next also to any in the innermost loop around it, and where it is asked whether there is
 * a way at all, anywhere.
 *
 * Edges taken by exceptions are not seen: nothing is known of code that only they lead to.
 *
 * No globals, no memory but what the caller gives, no input or output; reads nothing but CODE.
 */
#ifndef TSPROF_CODE_H
#define TSPROF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_BYTES_MOST = 1 << 16, CODE_ENTRIES_MOST = 15 };

/* Working memory of all functions here; most of it is never touched. */
struct code_memory;
size_t code_memory_bytes(void);

/*
 * Touches what the first small functions take of MEMORY, which is zero, so that reading them
 * does not wait for page faults.
 */
void code_memory_touch(struct code_memory *memory);

/*
 * What all answers that were found in MEMORY have taken, in steps of some 0.9 to 1.4 ns,
 * counted on from whatever its content was at first.
 */
uint64_t code_steps(const struct code_memory *memory);

/* A basic block: consecutive instructions that are entered at the first of them only. */
struct code_block {
    uint32_t start;  /* offset in bytes from the function's start */
    uint32_t target; /* the block that its last instruction may jump to; UINT32_MAX: none */
    uint8_t way;     /* enum way of its last instruction */
    uint8_t jump;    /* its number, plus one, if it ends in a jump to a computed address */
    bool is_entered; /* a block is known to lead here */
    bool is_used;    /* the function's first block leads here */
    uint32_t jumps;  /* numbers of such jumps in the same innermost loop, a set */
    uint32_t loop;   /* the block at which the innermost loop around it is entered; UINT32_MAX:
                      * it is in none */
    uint32_t outer;  /* of such a block: the one of the next loop further out */
};

/*
 * Reads a function, which has CODE of so many BYTES, into BLOCKS, which has room for MOST.
 * Returns how many there are; 0 if the code cannot be decoded, takes too long to understand, or
 * there is no room.  MEMORY has
 * code_memory_bytes, aligned for any type, with any content.
 */
uint32_t code_read(const unsigned char *code, size_t bytes, struct code_block *blocks,
                   uint32_t most, struct code_memory *memory);

/*
 * The same in pieces: begins to read CODE.  It is in use until the end, and so are BLOCKS and
 * MEMORY: questions about other functions need a memory of their own meanwhile.  Returns false
 * if there is no code or too much.
 */
bool code_read_begin(const unsigned char *code, size_t bytes, struct code_block *blocks,
                     uint32_t most, struct code_memory *memory);

/*
 * Goes on with that for so many STEPS, of some 10 instructions each, and mostly a few hundred
 * more at most (detect/reading.h).  Returns whether that was the end; then COUNT gets what
 * code_read returns.
 */
bool code_read_go_on(struct code_memory *memory, uint64_t steps, uint32_t *count);

/*
 * Finds the loops around the instruction at byte AT of the function that has COUNT BLOCKS.
 * AROUND receives at most MOST offsets from the function's start at which these loops are
 * entered, innermost first.  Returns the number of loops; -1 if it is not known how the
 * instruction is reached.
 */
int code_loops_around(const struct code_block *blocks, uint32_t count, uint32_t at,
                      uint32_t *around, unsigned most);

/* How a function gets from one of its instructions to another. */
struct code_way {
    bool known;
    bool late;     /* it is not known yet; to be asked again */
    bool possible; /* without having been called again */
    bool same;  /* they are one instruction; for users, one that calls now this and now that */
    bool apart; /* for users: both are made by one call of a function, from parts that lie apart
                 */
    uint32_t crossed; /* by entry: bit N is set if every way leads through entry N */
    uint32_t unseen;  /* by entry: bit N is set if some do and others do not */
};

/*
 * Finds out how the function gets from behind the instruction at byte FROM to the one at byte
 * TO, and whether it has to pass the ENTRIES of loops on the way (ENTRY_COUNT offsets,
 * CODE_ENTRIES_MOST at most, as code_loops_around has found them).
 */
struct code_way code_way_between(const struct code_block *blocks, uint32_t count, uint32_t from,
                                 uint32_t to, const uint32_t *entries, unsigned entry_count,
                                 struct code_memory *memory);

/*
 * Which of the ENTRIES of loops (ENTRY_COUNT offsets, CODE_ENTRIES_MOST at most) may be passed
 * unseen, a set: the function can get from the instruction at byte FROM to the one at byte TO
 * without coming by any of the SITES, which are SITE_COUNT instructions, FROM and TO perhaps
 * among them, both through that entry and otherwise; then who sees nothing but the sites cannot
 * tell whether it passed there.  All of them where it takes too long to find out.
 */
uint32_t code_unseen(const struct code_block *blocks, uint32_t count, uint32_t from,
                     uint32_t to, const uint32_t *entries, unsigned entry_count,
                     const uint32_t *sites, unsigned site_count, struct code_memory *memory);

/*
 * Whether the loop that is entered at byte ENTRY does but one of several things in each pass,
 * and a jump to a computed address chooses which: as an interpreter's does, whose program has
 * loops of its own.  The things are calls at the SITES, SITE_COUNT instructions.
 */
bool code_is_dispatcher(const struct code_block *blocks, uint32_t count, uint32_t entry,
                        const uint32_t *sites, unsigned site_count, struct code_memory *memory);

#endif
