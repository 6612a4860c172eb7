/* See call_stack.h. */
#include "archive/call_stack.h"

#include <stdlib.h>

void call_stack_begin(struct call_stack *stack, const struct program *program)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < program->node_count; i++)
        if (program->nodes[i].depth > deepest)
            deepest = program->nodes[i].depth;
    *stack =
        (struct call_stack){.program = program, .capacity = deepest + CALL_STACK_LOOPS + 1};
    stack->frames = calloc(stack->capacity, sizeof *stack->frames);
    stack->wanted = calloc(stack->capacity, sizeof *stack->wanted);
    if (!stack->frames || !stack->wanted)
        stack->failed = true;
}

bool call_stack_free(struct call_stack *stack)
{
    free(stack->frames);
    free(stack->wanted);
    return stack->failed;
}

void call_stack_seen(struct call_stack *stack, int64_t ns)
{
    stack->seen_ns = ns;
}

/* Leaves the innermost frames until DEPTH are left. */
static void leave_to(struct call_stack *stack, struct out *out, int64_t ns, uint32_t depth)
{
    while (stack->depth > depth)
        OUT(out, Leave, out_time(out, ns), stack->frames[--stack->depth].region);
}

/* The same where it is known that they were left by NS. */
static void leave_by(struct call_stack *stack, struct out *out, int64_t ns, uint32_t depth)
{
    int64_t at_ns = stack->seen_ns;
    while (stack->depth > depth) {
        if (stack->frames[stack->depth - 1].told)
            at_ns = ns;
        leave_to(stack, out, at_ns, stack->depth - 1);
    }
}

void call_stack_leave_all(struct call_stack *stack, struct out *out, int64_t ns)
{
    leave_to(stack, out, ns, 0);
    stack->loop_count = 0;
}

/* Puts the path to NODE into `wanted`, with the loops that are open on it; returns its length.
 */
static uint32_t find_wanted(struct call_stack *stack, uint32_t node)
{
    const struct program_node *nodes = stack->program->nodes;
    uint32_t length = nodes[node].depth;
    /* First without loops: the root is not a function. */
    for (uint32_t at = node; at != PROGRAM_ROOT; at = nodes[at].parent)
        stack->wanted[nodes[at].depth - 1] = (struct frame){at, nodes[at].region, 0, 0, false};
    for (uint32_t i = 0; i < stack->loop_count; i++) {
        const struct open_loop *loop = &stack->loops[i];
        uint32_t at = 0;
        while (at < length && (stack->wanted[at].node != loop->node || stack->wanted[at].loop))
            at++;
        /* Behind other loops of the same function, which are around this one. */
        while (at + 1 < length && stack->wanted[at + 1].loop &&
               stack->wanted[at + 1].node == loop->node)
            at++;
        if (at == length)
            continue;
        for (uint32_t j = length++; j > at + 1; j--)
            stack->wanted[j] = stack->wanted[j - 1];
        stack->wanted[at + 1] = (struct frame){loop->node, loop->region, i + 1, 0, false};
    }
    return length;
}

/* How many of the frames that are open are on the path in `wanted`, which is LENGTH long. */
static uint32_t count_same(const struct call_stack *stack, uint32_t length)
{
    uint32_t same = 0;
    while (same < stack->depth && same < length &&
           stack->frames[same].node == stack->wanted[same].node &&
           stack->frames[same].loop == stack->wanted[same].loop)
        same++;
    return same;
}

void call_stack_meet(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node)
{
    if (stack->failed)
        return;
    uint32_t kept = count_same(stack, find_wanted(stack, node));
    /* A stack that could not be walked to its end says nothing of what tells itself. */
    for (uint32_t i = kept; i < stack->depth; i++)
        if (stack->frames[i].series || stack->frames[i].told)
            kept = i + 1;
    leave_to(stack, out, stack->seen_ns, kept);
    stack->seen_ns = ns;
}

void call_stack_go(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node)
{
    if (stack->failed)
        return;
    const uint32_t length = find_wanted(stack, node);
    leave_to(stack, out, stack->seen_ns, count_same(stack, length));
    for (; stack->depth < length; stack->depth++) {
        stack->frames[stack->depth] = stack->wanted[stack->depth];
        OUT(out, Enter, out_time(out, ns), stack->frames[stack->depth].region);
    }
    stack->seen_ns = ns;
}

void call_stack_enter(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node)
{
    const struct program_node *entered = &stack->program->nodes[node];
    if (stack->failed)
        return;
    call_stack_go(stack, out, ns, entered->parent);
    stack->frames[stack->depth++] = (struct frame){node, entered->region, 0, 0, true};
    OUT(out, Enter, out_time(out, ns), entered->region);
}

void call_stack_leave(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node)
{
    uint32_t at = stack->depth;
    while (at > 0 && (stack->frames[at - 1].node != node || stack->frames[at - 1].loop))
        at--;
    if (at > 0) {
        leave_by(stack, out, ns, at);
        leave_to(stack, out, ns, at - 1);
    }
    stack->seen_ns = ns;
}

void call_stack_begin_loop(struct call_stack *stack, struct out *out, int64_t ns, uint32_t node,
                           uint32_t region, uint64_t series)
{
    if (stack->loop_count == CALL_STACK_LOOPS)
        return;
    /* The function first, then the loop in it. */
    call_stack_go(stack, out, ns, node);
    stack->loops[stack->loop_count++] = (struct open_loop){node, region, series};
    call_stack_go(stack, out, ns, node);
}

void call_stack_name(struct call_stack *stack, uint64_t series)
{
    if (stack->depth > 0)
        stack->frames[stack->depth - 1].series = series + 1;
}

void call_stack_end(struct call_stack *stack, struct out *out, int64_t ns, uint64_t series)
{
    uint32_t at = stack->depth;
    while (at > 0 && stack->frames[at - 1].series != series + 1)
        at--;
    if (at > 0) {
        /* The functions in it may have been left long ago. */
        leave_by(stack, out, ns, at);
        leave_to(stack, out, ns, at - 1);
    }
    if (stack->loop_count > 0 && stack->loops[stack->loop_count - 1].series == series)
        stack->loop_count--;
    stack->seen_ns = ns;
}
