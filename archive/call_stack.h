/*
 * The functions, phases and loops that are open in a thread's events, the outermost first.
 * For this folder.
 */
#ifndef TSPROF_CALL_STACK_H
#define TSPROF_CALL_STACK_H

#include "archive/out.h"

enum { CALL_STACK_LOOPS = 16 };

/* Something that was entered: a node of the call tree, or a loop in it. */
struct frame {
    uint32_t node;
    uint32_t region;
    uint32_t loop;   /* 0: no loop; else its number among `loops`, plus 1 */
    uint64_t series; /* of an iteration or phase: its series, plus 1 */
    bool told;       /* it has said that it was entered, and will say when it is left */
};

/* A loop that passes of are open, in the function NODE. */
struct open_loop {
    uint32_t node, region;
    uint64_t series;
};

struct call_stack {
    const struct program *program;
    struct frame *frames, *wanted;
    uint32_t depth, capacity;
    struct open_loop loops[CALL_STACK_LOOPS];
    uint32_t loop_count;
    int64_t seen_ns; /* when the innermost frame was last seen */
    bool failed;
};

void call_stack_begin(struct call_stack *stack, const struct program *program);

/* Frees its memory; returns whether there was too little at some time. */
bool call_stack_free(struct call_stack *stack);

/* Leaves and enters so that at NS the thread is in NODE. */
void call_stack_go(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node);

/* The thread was seen in NODE at NS, which leaves what NODE is not in, and enters nothing. */
void call_stack_meet(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node);

/*
 * The function NODE says that it is entered at NS, or left: with it all that is open in it,
 * functions that tell at that time, others when they were last seen.  Nothing is left if it is
 * not open.
 */
void call_stack_enter(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node);
void call_stack_leave(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node);

/* What is open was seen at NS. */
void call_stack_seen(struct call_stack *stack, int64_t ns);

/* A pass of a loop in the function NODE begins; the loop is shown as REGION. */
void call_stack_begin_loop(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node,
                           uint32_t region, uint64_t series);

/* The innermost frame is an instance of SERIES. */
void call_stack_name(struct call_stack *stack, uint64_t series);

/* The innermost instance of SERIES ends at NS; nothing happens if none is open. */
void call_stack_end(struct call_stack *stack, struct out *out, int64_t ns, uint64_t series);

void call_stack_leave_all(struct call_stack *stack, struct out *out, int64_t ns);

#endif
