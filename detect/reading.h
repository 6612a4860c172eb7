/*
 * Reads the code of a function and makes a graph of its blocks (code.h), in pieces: a large
 * function takes too long to be read at once while a program waits.
 *
 * For the files of this folder.  No memory but what the caller gives.
 */
#ifndef TSPROF_READING_H
#define TSPROF_READING_H

#include "detect/code.h"
#include "detect/flow.h"
#include "detect/nesting.h"
#include "detect/turning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An instruction that does not just continue with the next one. */
struct reading_jump {
    uint32_t end, target;
    uint8_t way; /* enum way */
};

/* At most one of each for every byte.  Elements are initialised when they are first used. */
struct reading_room {
    struct reading_jump jumps[CODE_BYTES_MOST];
    uint8_t kinds[CODE_BYTES_MOST];
    struct nesting_mark nesting[CODE_BYTES_MOST];
    struct turning_mark turning[CODE_BYTES_MOST];
    uint32_t path[CODE_BYTES_MOST], landings[CODE_BYTES_MOST];
};

enum reading_stage {
    READING_INSTRUCTIONS,
    READING_LEADERS,
    READING_BLOCKS,
    READING_TARGETS,
    READING_USED,
    READING_LOOPS,
    READING_JUMPS,
    READING_TURNING, /* where no jump is computed */
    READING_ENDED
};

/* A function that is being read. */
struct reading {
    const unsigned char *code;
    uint32_t size;
    struct code_block *blocks;
    uint32_t most, count; /* of them */
    struct reading_room *room;
    uint32_t jump_count;
    struct flow flow;
    struct nesting nesting;
    struct turning turning;
    enum reading_stage stage;
    uint32_t at;      /* how far the stage has come */
    uint32_t to;      /* what it looks at there */
    uint8_t computed; /* jumps to computed addresses that were looked at */
    bool is_refused;  /* the code cannot be understood, or there is no room */
    uint64_t steps;   /* taken so far, but for those of `flow` */
};

/*
 * Begins to read a function, which has CODE of so many BYTES, 1 to CODE_BYTES_MOST, into
 * BLOCKS, which has room for MOST.  MARKS and STACK have room for all blocks.  All of them and
 * ROOM are in use until the end.
 */
void reading_begin(struct reading *reading, const unsigned char *code, size_t bytes,
                   struct code_block *blocks, uint32_t most, struct reading_room *room,
                   struct flow_mark *marks, uint32_t *stack);

/*
 * Goes on for some STEPS, and a few hundred more, or as many as it has blocks where a loop
 * turns out to be entered in the middle of its body.  Returns whether the function is read.
 */
bool reading_go_on(struct reading *reading, uint64_t steps);

/* What it has taken so far: see code_steps. */
uint64_t reading_steps(const struct reading *reading);

/* How many blocks there are once it is read; 0: see code_read. */
uint32_t reading_blocks(const struct reading *reading);

#endif
