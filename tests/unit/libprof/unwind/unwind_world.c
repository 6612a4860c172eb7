/* See unwind_world.h. */
#include "unwind_world.h"

#include <signal.h>
#include <stdlib.h>

struct world world = {.strand_bytes = 1 << 20};
char world_signal_stack[1 << 18];

struct pattern_counter *pattern_counters;
bool pattern_counting = true;

uint32_t pick(uint32_t bound)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % bound);
}

static struct coroutine {
    ucontext_t context;
    struct strand strand;
    struct coroutine *resumer; /* NULL: not running */
    char *stack;
} coroutines[STRANDS];

static struct coroutine *running = &coroutines[0];
struct strand *strand = &coroutines[0].strand;

static void continue_with(struct coroutine *next)
{
    struct coroutine *self = running;
    running = next;
    strand = &next->strand;
    swapcontext(&self->context, &next->context);
}

static void yield_strand(void)
{
    struct coroutine *resumer = running->resumer;
    running->resumer = NULL;
    continue_with(resumer);
}

static void run_coroutine(void)
{
    for (;;) {
        go(2);
        yield_strand();
    }
}

static bool is_inside(const struct coroutine *coroutine)
{
    return world.inside && (coroutine - coroutines) % 2 == 0;
}

static void prepare(struct coroutine *coroutine)
{
    size_t number = (size_t)(coroutine - coroutines);
    coroutine->stack = is_inside(coroutine)
                           ? world.inside + (number / 2 - 1) * world.strand_bytes
                           : malloc(world.strand_bytes);
    getcontext(&coroutine->context);
    coroutine->context.uc_stack.ss_sp = coroutine->stack;
    coroutine->context.uc_stack.ss_size = world.strand_bytes;
    coroutine->context.uc_link = pick(2) ? &coroutines[0].context : NULL;
    makecontext(&coroutine->context, run_coroutine, 0);
    if (world.prepared)
        world.prepared(&coroutine->context);
}

void switch_strand(int depth)
{
    struct coroutine *other = &coroutines[1 + pick(STRANDS - 1)];
    if (strand->in_handler) {
        go(depth - 1);
    } else if (running != &coroutines[0] && pick(2)) {
        yield_strand();
    } else if (other != running && !other->resumer) {
        if (!other->stack)
            prepare(other);
        other->resumer = running;
        continue_with(other);
    }
}

void go(int depth)
{
    ENTER(go);
    for (uint32_t i = 1 + pick(2); i > 0; i--) {
        if (depth <= 0) {
            look();
            continue;
        }
        if (world.over)
            return;
        const pattern *patterns = pick(2) ? patterns_plain : patterns_framed;
        patterns[pick(PATTERN_COUNT)](depth);
    }
}

__attribute__((noipa)) static void on_signal(int number, siginfo_t *info, void *context)
{
    ENTER(on_signal);
    struct strand *mine = strand;
    (void)number;
    (void)info;
    mine->in_handler = true;
    if (world.signalled)
        world.signalled(context);
    if (world.stepped)
        trap_every_instruction();
    look();
    if (pick(4) == 0)
        go(2);
    look();
    mine->in_handler = false;
}

void world_start(void)
{
    stack_t stack = {.ss_sp = world_signal_stack, .ss_size = sizeof world_signal_stack};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags |= SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
}

void world_free(void)
{
    for (struct coroutine *each = coroutines + 1; each < coroutines + STRANDS; each++) {
        if (!is_inside(each))
            free(each->stack);
        *each = (struct coroutine){.stack = NULL};
    }
}
