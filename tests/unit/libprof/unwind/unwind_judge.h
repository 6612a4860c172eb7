/*
 * What judges walks: the walker under test with all it needs, a stack as somebody else found
 * it, and whether both agree.
 */
#ifndef TSPROF_UNWIND_JUDGE_H
#define TSPROF_UNWIND_JUDGE_H

#include "tree/cct.h"
#include "tree/profile.h"
#include "unwind/walker.h"

#include <stdbool.h>
#include <ucontext.h>

enum { FRAMES_MOST = 2000, NODES = 1 << 19 };

/* A stack, innermost frame first. */
struct reference {
    uintptr_t pc[FRAMES_MOST]; /* as for a look-up: less one where it is a return address */
    bool trampoline[FRAMES_MOST];
    size_t count;
};

extern struct cct tree;
extern struct profile profile;
extern struct walker *walker;
extern struct walk_scratch *scratch;
extern struct stack_bounds bounds;
extern const struct anchor no_anchor;

/* The walker, its memory, and the bounds of the calling thread's stack; false without memory.
 */
bool judge_start(void);
/* Empties the tree, the profile and the walker's memory. */
void start_over(void);

/* Appends a frame, unless it is an alias; EXACT: IP is no return address. */
void add_frame(struct reference *reference, uintptr_t ip, bool exact);

/* Whether the call path of NODE is the REFERENCE; of a walk that failed, its inner part. */
bool agrees(const struct reference *reference, uint32_t node, bool partly);

/* Whether the REFERENCE, of which nothing more is known, is the inner part of NODE's path. */
bool begins_like(const struct reference *reference, uint32_t node);

/* Counts a wrong path and shows the first few. */
void show(const struct reference *reference, uint32_t node);
extern unsigned long wrong;

/* The registers of the caller of a function whose frame address is FRAME. */
struct registers caller_of(const uintptr_t *frame);
struct registers registers_of(const ucontext_t *context);
uintptr_t aux_of(const ucontext_t *context);

/* The start of the function around PC by the unwind tables, 0 if unknown. */
uintptr_t function_of(uintptr_t pc);

/* The function of a node, as an address. */
uintptr_t function_of_node(uint32_t node);

#endif
