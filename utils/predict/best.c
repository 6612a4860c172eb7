/* See best.h. */
#include "predict/best.h"

#include "predict/apply.h"
#include "predict/candidates.h"

#include <stdlib.h>
#include <string.h>

/* How many changes are tried: the most promising ones, for each takes a simulation. */
enum { TRIES_FIRST = 120, TRIES_LATER = 24, TRIES_OF_THREAD = 8, TRIES_QUICKLY = 12 };
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
                      const struct candidates *candidates, size_t most, struct best *best)
{
    best->choices = allocate(candidates->count + 1, sizeof *best->choices);
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *candidate = &candidates->list[i];
        if (!is_worth(best->base_ns, candidate->most_ns))
            continue;
        if (best->tried == most) {
            best->left_out++;
            continue;
        }
        best->tried++;
        const uint64_t ns = try_one(study, search, &candidate->question);
        if (ns < best->base_ns && is_worth(best->base_ns, best->base_ns - ns))
            best->choices[best->choice_count++] =
                (struct choice){own_copy(&candidate->question), ns, candidate->most_ns};
    }
}

static int compare_choices(const void *a, const void *b)
{
    const struct choice *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns < other->ns ? -1 : 1;
    if (one->most_ns != other->most_ns)
        return one->most_ns < other->most_ns ? -1 : 1;
    return strcmp(one->question.where, other->question.where);
}

/* Whether OTHER, of the same kind, gains as good as all that ONE does, and is about less of the
 * run: one region of many, one rank, one call. */
static bool says_more(uint64_t base_ns, const struct choice *other, const struct choice *one)
{
    static const double as_good = 0.98;
    return one->question.kind == other->question.kind && other->most_ns < one->most_ns &&
           other->ns < base_ns &&
           (double)(base_ns - other->ns) >= as_good * (double)(base_ns - one->ns);
}

/* Leaves out those of which another one says more, or the same. */
static void leave_out_vague(struct best *best)
{
    bool *vague = allocate(best->choice_count + 1, sizeof *vague);
    size_t kept = 0;
    for (size_t i = 0; i < best->choice_count; i++)
        for (size_t j = 0; j < best->choice_count && !vague[i]; j++) {
            const struct choice *one = &best->choices[i], *other = &best->choices[j];
            const bool is_same = j < i && one->question.kind == other->question.kind &&
                                 one->ns == other->ns && one->most_ns == other->most_ns;
            vague[i] = is_same || says_more(best->base_ns, other, one);
        }
    for (size_t i = 0; i < best->choice_count; i++) {
        if (vague[i])
            free(best->choices[i].question.where);
        else
            best->choices[kept++] = best->choices[i];
    }
    best->choice_count = kept;
    free(vague);
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
    candidates_add_call(study, best->domino[best->domino_length - 1].call,
                        best->domino[best->domino_length - 1].wait_ns, &one);
    best->choices = reallocate(best->choices, best->choice_count + 1, sizeof *best->choices);
    best->choices[best->choice_count++] =
        (struct choice){own_copy(&one.list[0].question), best->domino_ns, one.list[0].most_ns};
    candidates_free(&one);
}

/* The change that is best on top of those that are kept.  False: none is worth it. */
static bool find_next(struct study *study, struct whatif_search *search, struct choice *best)
{
    struct candidates candidates;
    const uint64_t base_ns = whatif_search_ns(search);
    bool found = false;
    candidates_find(study, search, true, &candidates);
    *best = (struct choice){.ns = base_ns};
    for (size_t i = 0; i < candidates.count && i < TRIES_LATER; i++) {
        const struct candidate *candidate = &candidates.list[i];
        if (candidate->most_ns <= base_ns - best->ns)
            break;
        const struct choice choice = {candidate->question,
                                      try_one(study, search, &candidate->question),
                                      candidate->most_ns};
        if (choice.ns < best->ns || (found && says_more(base_ns, &choice, best))) {
            *best = choice;
            found = true;
        }
    }
    if (found)
        best->question = own_copy(&best->question);
    candidates_free(&candidates);
    return found;
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
         (struct choice){own_copy(&best->choices[0].question), best->choices[0].ns, 0});
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

static void sort_choices(struct best *best)
{
    if (best->choice_count > 0)
        qsort(best->choices, best->choice_count, sizeof *best->choices, compare_choices);
    leave_out_vague(best);
}

/* On the way to all that is best; MOST candidates are tried. */
static void find_choices(struct study *study, struct whatif_search *search, size_t most,
                         struct best *best)
{
    struct candidates candidates;
    *best = (struct best){.base_ns = whatif_search_ns(search)};
    candidates_find(study, search, true, &candidates);
    try_first(study, search, &candidates, most, best);
    candidates_free(&candidates);
}

bool best_find(struct study *study, const struct whatif_changes *changes, struct best *best)
{
    struct whatif_search *search = whatif_search(study->whatif, changes);
    *best = (struct best){0};
    if (!search)
        return false;
    find_choices(study, search, TRIES_FIRST, best);
    find_domino(study, search, best);
    add_domino(study, best);
    sort_choices(best);
    find_sequence(study, search, best);
    whatif_search_free(search);
    return true;
}

bool best_find_quickly(struct study *study, struct best *best)
{
    struct whatif_search *search = whatif_search(study->whatif, NULL);
    *best = (struct best){0};
    if (!search)
        return false;
    find_choices(study, search, TRIES_QUICKLY, best);
    sort_choices(best);
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
