/* See candidate.h. */
#include "mainloop/candidate.h"

#include "detect/choice.h"
#include "mainloop/named.h"

uint64_t candidate_passes_async(const struct thread *thread, unsigned number)
{
    const struct candidate *candidate = &thread->search->candidates[number];
    const struct loop *loop = loops_get(&thread->search->loops, number);
    if (candidate->serial == 0 || candidate->serial != loop->serial || candidate->passes < 2 ||
        !thread->iterations->series[search_series(number)].clustering)
        return 0;
    return clustering_iterations(thread->iterations->series[search_series(number)].clustering);
}

/* Whether the function of node BASE occurs once more above or below BASE on a call path. */
static bool recurs_async(const struct cct *tree, uint32_t base)
{
    const struct node *function = &tree->nodes[base];
    for (uint32_t node = 1; node < tree->node_count; node++) {
        const struct node *other = &tree->nodes[node];
        if (other->kind != NODE_FUNCTION || other->key != function->key || node == base)
            continue;
        const uint32_t upper = node < base ? node : base;
        uint32_t at = node < base ? base : node;
        /* Children have higher numbers than their parents. */
        while (at > upper)
            at = tree->nodes[at].parent;
        if (at == upper)
            return true;
    }
    return false;
}

bool candidate_is_erratic_async(const struct thread *thread, unsigned number)
{
    const struct clustering *clustering =
        thread->iterations->series[search_series(number)].clustering;
    const struct loop *loop = loops_get(&thread->search->loops, number);
    return 2 * (uint64_t)clustering_classes(clustering) >
               candidate_passes_async(thread, number) &&
           recurs_async(&thread->tree, thread->tree.nodes[loop->header].parent);
}

/* Whether loop NUMBER has taken most of the time since costs were last reduced. */
static bool is_busy(const struct search *search, unsigned number, int64_t ns)
{
    const int64_t period_ns = ns - search->cost.measure_ns;
    return period_ns >= SEARCH_PERIOD_LEAST_NS &&
           search->candidates[number].recent_ns >= period_ns / 2;
}

bool candidate_is_main(struct search *search, unsigned number, int64_t ns)
{
    const struct candidate *candidate = &search->candidates[number];
    const struct loop *loop = loops_get(&search->loops, number);
    if (candidate->serial != loop->serial || loop->ignored)
        return false;
    if (named_is_set_async())
        return loop->serial > 0;
    return loop->certain &&
           (candidate->passes >= SEARCH_SURE ||
            (candidate->passes >= SEARCH_FEW && candidate->time_ns >= SEARCH_FEW_NS)) &&
           (candidate->time_ns >= (ns - search->begin_ns) / 2 || is_busy(search, number, ns));
}

/*
 * Whether loop NUMBER was come into again and again in a loop around it that may be the main
 * one itself, which would be shown then.
 */
static bool is_inside_main(struct search *search, unsigned number, int64_t ns)
{
    if (loops_get(&search->loops, number)->runs < SEARCH_SURE)
        return false;
    if (search->candidates[number].minor)
        return true;
    for (uint32_t left = search->candidates[number].within; left; left &= left - 1) {
        const unsigned around = (unsigned)__builtin_ctz(left);
        if (around != number && candidate_is_main(search, around, ns))
            return true;
    }
    return false;
}

/*
 * Whether loop NUMBER has been run many times, and each run has few of its passes.  One that
 * has most of them in one run, or that the code does not tell from the loop around it, is shown
 * in place of that loop (choice_make).
 */
static bool is_part(struct search *search, unsigned number)
{
    const struct candidate *candidate = &search->candidates[number];
    const struct loop *loop = loops_get(&search->loops, number);
    return candidate->serial == loop->serial && loop->runs >= SEARCH_SURE &&
           (loop->certain || !loop->beside) && 4 * loop->most < candidate->passes &&
           4 * candidate->run < candidate->passes;
}

/*
 * Whether loop AROUND reads commands, some of which are computations, as far as is known:
 * choice_make has the rule.  Then the loops inside it are shown, not itself.
 */
static bool is_interpreter(struct search *search, unsigned around)
{
    int64_t time_ns = 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct candidate *candidate = &search->candidates[i];
        const struct loop *loop = loops_get(&search->loops, i);
        const uint64_t most = loop->most > candidate->run ? loop->most : candidate->run;
        if (candidate->serial == loop->serial && candidate->within >> around & 1 &&
            most >= CHOICE_FEW && 2 * most > candidate->passes)
            time_ns += candidate->time_ns;
    }
    return time_ns >= search->candidates[around].time_ns / 2;
}

/*
 * Whether loop AROUND will be shown, since it has had many passes that took half of the time,
 * and has run loop NUMBER half as often as it has passed, or more.
 */
static bool is_part_of(const struct thread *thread, unsigned number, unsigned around,
                       int64_t ns)
{
    struct search *search = thread->search;
    const struct candidate *outer = &search->candidates[around];
    const struct loop *loop = loops_get(&search->loops, around);
    return around != number && outer->serial == loop->serial && !loop->ignored &&
           outer->passes >= SEARCH_MANY &&
           2 * loops_get(&search->loops, number)->runs >= outer->passes &&
           outer->time_ns >= (ns - search->begin_ns) / 2 && !is_interpreter(search, around) &&
           (search->candidates[number].minor || (candidate_passes_async(thread, around) > 0 &&
                                                 !candidate_is_erratic_async(thread, around)));
}

bool candidate_is_minor(const struct thread *thread, unsigned number, int64_t ns)
{
    struct search *search = thread->search;
    uint32_t left = search->candidates[number].within;
    if (left == 0 || named_is_set_async() || !is_part(search, number))
        return false;
    for (; left; left &= left - 1)
        if (is_part_of(thread, number, (unsigned)__builtin_ctz(left), ns))
            return true;
    return false;
}

bool candidate_has_minor(const struct search *search, unsigned number)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (search->candidates[i].minor && search->candidates[i].within >> number & 1)
            return true;
    return false;
}

/* Whether the passes of loop NUMBER are long enough for profiles. */
static bool is_long_enough(const struct search *search, unsigned number)
{
    const struct candidate *candidate = &search->candidates[number];
    return candidate->time_ns - candidate->own_ns >=
           (int64_t)candidate->passes * SEARCH_PASS_LEAST_NS;
}

bool candidate_is_sure(struct search *search, unsigned number, int64_t ns)
{
    if (candidate_is_main(search, number, ns))
        return named_is_set_async() ||
               (is_long_enough(search, number) && !is_inside_main(search, number, ns));
    return is_long_enough(search, number) && candidate_has_minor(search, number) &&
           !search->candidates[number].minor;
}

bool candidate_is_any(struct search *search, int64_t ns,
                      bool (*is)(struct search *, unsigned, int64_t))
{
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (is(search, i, ns))
            return true;
    return false;
}

uint32_t candidate_kept(struct search *search, int64_t ns)
{
    const int64_t half_ns = (ns - search->begin_ns) / 2;
    uint32_t kept = 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct candidate *candidate = &search->candidates[i];
        const struct loop *loop = loops_get(&search->loops, i);
        if (candidate->serial && candidate->serial == loop->serial && !loop->ignored &&
            (candidate->time_ns >= half_ns || is_busy(search, i, ns) ||
             candidate_is_main(search, i, ns)))
            kept |= UINT32_C(1) << i;
    }
    return kept;
}

bool candidate_is_worth_it(struct search *search, unsigned number, int64_t ns)
{
    const struct candidate *candidate = &search->candidates[number];
    return candidate->serial && candidate->passes >= CHOICE_PASSES_SURE &&
           candidate->time_ns >= (ns - search->begin_ns) / CHOICE_SHARE;
}
