/* See best.h. */
#include "predict/best.h"

#include "predict/apply.h"
#include "predict/candidates.h"

#include <stdlib.h>
#include <string.h>

/* How many changes are tried: the most promising ones, for each takes a simulation. */
enum { TRIES_FIRST = 120, TRIES_LATER = 24, TRIES_OF_THREAD = 8 };
/* What gains less than this share of the time is not worth telling. */
static const double least_share = 0.002;

static struct question own_copy(const struct question *question)
{
    struct question copy = *question;
    const size_t length = strlen(question->where);
    copy.where = allocate(length + 1, 1);
    memcpy(copy.where, question->where, length);
    copy.argument = copy.where;
    return copy;
}

static uint64_t try_one(struct study *study, struct whatif_search *search,
                        const struct question *question)
{
    struct error ignored;
    if (!apply_question(study, question, whatif_search_changes(search), &ignored))
        return whatif_search_ns(search);
    return whatif_search_try(search);
}

static bool is_worth(uint64_t base_ns, uint64_t gain_ns)
{
    return (double)gain_ns > least_share * (double)base_ns;
}

static void try_first(struct study *study, struct whatif_search *search,
                      const struct candidates *candidates, struct best *best)
{
    best->choices = allocate(candidates->count + 1, sizeof *best->choices);
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *candidate = &candidates->list[i];
        if (!is_worth(best->base_ns, candidate->most_ns))
            continue;
        if (best->tried == TRIES_FIRST) {
            best->left_out++;
            continue;
        }
        best->tried++;
        const uint64_t ns = try_one(study, search, &candidate->question);
        if (ns < best->base_ns && is_worth(best->base_ns, best->base_ns - ns))
            best->choices[best->choice_count++] =
                (struct choice){own_copy(&candidate->question), ns};
    }
}

/* Of those that gain the same, what says more is first: one rank, one iteration, one call, or a
 * longer call path. */
static unsigned precision(const struct question *question)
{
    return (question->ordinal != UINT64_MAX ? 4 : 0) + (question->rank != UINT32_MAX ? 2 : 0) +
           (strrchr(question->where, ':') ? 1 : 0);
}

static int compare_choices(const void *a, const void *b)
{
    const struct choice *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns < other->ns ? -1 : 1;
    const unsigned left = precision(&one->question), right = precision(&other->question);
    return left > right   ? -1
           : left < right ? 1
                          : strcmp(one->question.where, other->question.where);
}

/* Whether ONE gains as good as nothing more than OTHER, which is of the same kind. */
static bool is_same_gain(const struct best *best, const struct choice *one,
                         const struct choice *other)
{
    const double least = (double)(best->base_ns - other->ns);
    const double gap = (double)one->ns - (double)other->ns;
    return one->question.kind == other->question.kind && gap <= 0.001 * least &&
           gap >= -0.001 * least;
}

/* Keeps one of those that are the same by another name. */
static void leave_out_same(struct best *best)
{
    size_t kept = 0;
    for (size_t i = 0; i < best->choice_count; i++) {
        if (kept > 0 && is_same_gain(best, &best->choices[i], &best->choices[kept - 1])) {
            free(best->choices[i].question.where);
            continue;
        }
        best->choices[kept++] = best->choices[i];
    }
    best->choice_count = kept;
}

/* The domino path with most gain; threads that have no wait on the critical path gain nothing.
 */
static void find_domino(struct study *study, struct whatif_search *search, struct best *best)
{
    size_t count;
    const struct whatif_crossing *crossings = whatif_search_crossings(search, &count);
    struct whatif_domino known = {allocate(count + 1, sizeof(uint64_t))};
    bool *is_done = allocate(study->trace->thread_count + 1, sizeof *is_done);
    best->domino_ns = best->base_ns;
    for (size_t i = 0; i < count; i++) {
        const uint32_t thread = whatif_call(study->whatif, crossings[i].call).thread;
        struct whatif_crossing path[DOMINO_MOST];
        uint64_t ns;
        if (is_done[thread])
            continue;
        is_done[thread] = true;
        const size_t length =
            whatif_domino(search, &known, thread, TRIES_OF_THREAD, path, DOMINO_MOST, &ns);
        if (length == 0 || ns >= best->domino_ns)
            continue;
        best->domino_ns = ns;
        best->domino_length = length;
        memcpy(best->domino, path, sizeof path);
    }
    free(known.known_ns);
    free(is_done);
}

/* The end of the domino path is a choice like others. */
static void add_domino(struct study *study, struct best *best)
{
    struct candidates one = {0};
    if (best->domino_length == 0 || !is_worth(best->base_ns, best->base_ns - best->domino_ns))
        return;
    candidates_add_call(study, best->domino[best->domino_length - 1].call, 1, &one);
    best->choices = reallocate(best->choices, best->choice_count + 1, sizeof *best->choices);
    best->choices[best->choice_count++] =
        (struct choice){own_copy(&one.list[0].question), best->domino_ns};
    candidates_free(&one);
}

/* The change that is best on top of those that are kept.  False: none is worth it. */
static bool find_next(struct study *study, struct whatif_search *search, struct choice *choice)
{
    struct candidates candidates;
    const uint64_t base_ns = whatif_search_ns(search);
    const struct candidate *found = NULL;
    candidates_find(study, search, true, &candidates);
    *choice = (struct choice){.ns = base_ns};
    for (size_t i = 0; i < candidates.count && i < TRIES_LATER; i++) {
        const struct candidate *candidate = &candidates.list[i];
        if (candidate->most_ns <= base_ns - choice->ns)
            break;
        const uint64_t ns = try_one(study, search, &candidate->question);
        if (ns < choice->ns) {
            found = candidate;
            choice->ns = ns;
        }
    }
    if (found)
        choice->question = own_copy(&found->question);
    candidates_free(&candidates);
    return found != NULL;
}

static void keep(struct study *study, struct whatif_search *search, struct best *best,
                 struct choice choice)
{
    struct error ignored;
    best->sequence[best->sequence_length++] = choice;
    apply_question(study, &choice.question, whatif_search_changes(search), &ignored);
    if (!whatif_search_keep(search))
        out_of_memory();
}

/* What is best after the first is done, and so on. */
static void find_sequence(struct study *study, struct whatif_search *search, struct best *best)
{
    struct choice next;
    if (best->choice_count == 0)
        return;
    keep(study, search, best,
         (struct choice){own_copy(&best->choices[0].question), best->choices[0].ns});
    while (best->sequence_length < SEQUENCE_MOST) {
        const uint64_t before_ns = whatif_search_ns(search);
        if (!find_next(study, search, &next))
            return;
        if (!is_worth(best->base_ns, before_ns - next.ns)) {
            free(next.question.where);
            return;
        }
        keep(study, search, best, next);
    }
}

bool best_find(struct study *study, const struct whatif_changes *changes, struct best *best)
{
    struct candidates candidates;
    *best = (struct best){0};
    struct whatif_search *search = whatif_search(study->whatif, changes);
    if (!search)
        return false;
    best->base_ns = whatif_search_ns(search);
    candidates_find(study, search, true, &candidates);
    try_first(study, search, &candidates, best);
    candidates_free(&candidates);
    find_domino(study, search, best);
    add_domino(study, best);
    if (best->choice_count > 0)
        qsort(best->choices, best->choice_count, sizeof *best->choices, compare_choices);
    leave_out_same(best);
    find_sequence(study, search, best);
    whatif_search_free(search);
    return true;
}

void best_free(struct best *best)
{
    for (size_t i = 0; i < best->choice_count; i++)
        free(best->choices[i].question.where);
    for (size_t i = 0; i < best->sequence_length; i++)
        free(best->sequence[i].question.where);
    free(best->choices);
}
