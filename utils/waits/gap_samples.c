/* See gap_samples.h. */
#include "waits/gap_samples.h"

#include "replay/hash.h"

#include <stdlib.h>

/* The samples of all gaps between two call paths count as so many of each gap. */
#define COMMON_SAMPLES 2.0

/* So many call paths of samples are told apart between two calls, those with most. */
enum { SHARES_MOST = 32 };

/* Where samples were, of those between two call paths. */
struct share {
    uint32_t context;
    uint32_t own;    /* samples of the gap that is divided */
    double weight;   /* samples */
    double position; /* sum of where in their gaps they were, from 0 to 1 */
};

struct shares {
    struct share *list;
    size_t count, room;
};

/* All gaps of a thread between two call paths. */
struct kind {
    uint32_t thread;
    uint64_t from, to;
    struct shares shares;
    double samples;
};

struct gap_samples {
    const struct trace *trace;
    struct kind *kinds;
    size_t kind_count, kind_room;
    struct index index;
    struct shares parts;   /* of the gap that is divided */
    struct functions path; /* of a context */
    size_t first;          /* of that, what lies below the functions open throughout a gap */
    uint64_t gap_number;
    uint64_t *shown_in; /* by context: the last gap in which a sample has shown it */
};

void functions_add(struct functions *functions, uint32_t region)
{
    functions->regions =
        grow_list(functions->regions, functions->count, &functions->room, sizeof region);
    functions->regions[functions->count++] = region;
}

struct gap_samples *gap_samples_create(const struct trace *trace)
{
    struct gap_samples *samples = allocate(1, sizeof *samples);
    samples->trace = trace;
    samples->shown_in = allocate(trace->context_count + 1, sizeof *samples->shown_in);
    return samples;
}

void gap_samples_free(struct gap_samples *samples)
{
    for (size_t i = 0; i < samples->kind_count; i++)
        free(samples->kinds[i].shares.list);
    free(samples->kinds);
    free(samples->parts.list);
    free(samples->path.regions);
    free(samples->shown_in);
    index_free(&samples->index);
    free(samples);
}

/* Puts the functions of CONTEXT into `path`; the root stands for the program. */
static void find_path(struct gap_samples *samples, uint32_t context)
{
    const struct trace_context *contexts = samples->trace->contexts;
    struct functions *path = &samples->path;
    path->count = 0;
    for (uint32_t at = context; contexts[at].parent != TRACE_NONE &&
                                contexts[at].region < samples->trace->region_count;
         at = contexts[at].parent)
        functions_add(path, contexts[at].region);
    for (size_t i = 0, j = path->count; i + 1 < j; i++) {
        const uint32_t outer = path->regions[--j];
        path->regions[j] = path->regions[i];
        path->regions[i] = outer;
    }
}

/* How many functions of `path`, from the outermost on, are FUNCTIONS, which may have loops
 * between them: those are not in contexts.  *ALL says whether all of FUNCTIONS are there. */
static size_t count_common(const struct gap_samples *samples, const struct functions *functions,
                           bool *all)
{
    const struct functions *path = &samples->path;
    size_t same = 0, i = 0;
    for (; i < functions->count; i++)
        if (same < path->count && path->regions[same] == functions->regions[i])
            same++;
        else if (!samples->trace->regions[functions->regions[i]].is_phase)
            break;
    *all = i == functions->count;
    return same;
}

/* Whether CONTEXT lies below what was open throughout GAP, and not in MPI. */
static bool find_below(struct gap_samples *samples, const struct gap *gap, uint32_t context)
{
    bool below;
    find_path(samples, context);
    samples->first = count_common(samples, gap->base, &below);
    for (size_t i = samples->first; below && i < samples->path.count; i++)
        below = !samples->trace->regions[samples->path.regions[i]].is_mpi;
    return below;
}

struct sought {
    const struct gap_samples *samples;
    uint32_t thread;
    uint64_t from, to;
};

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct kind *one = &sought->samples->kinds[number];
    return one->thread == sought->thread && one->from == sought->from && one->to == sought->to;
}

/* Where the number of the kind is kept; a 0 if it is not known. */
static uint32_t *find_slot(struct gap_samples *samples, uint32_t thread, uint64_t from,
                           uint64_t to)
{
    const struct sought sought = {samples, thread, from, to};
    reserve_index(&samples->index, samples->kind_count + 1);
    return index_slot(&samples->index, hash_mix(hash_mix(from, to), thread), is_same, &sought);
}

static struct kind *add_kind(struct gap_samples *samples, const struct gap *gap)
{
    uint32_t *slot = find_slot(samples, gap->thread, gap->from, gap->to);
    if (*slot == 0) {
        samples->kinds = grow_list(samples->kinds, samples->kind_count, &samples->kind_room,
                                   sizeof *samples->kinds);
        samples->kinds[samples->kind_count++] =
            (struct kind){.thread = gap->thread, .from = gap->from, .to = gap->to};
        *slot = (uint32_t)samples->kind_count;
    }
    return &samples->kinds[*slot - 1];
}

static void add_share(struct shares *shares, struct share share)
{
    for (size_t i = 0; i < shares->count; i++)
        if (shares->list[i].context == share.context) {
            shares->list[i].own += share.own;
            shares->list[i].weight += share.weight;
            shares->list[i].position += share.position;
            return;
        }
    shares->list = grow_list(shares->list, shares->count, &shares->room, sizeof *shares->list);
    shares->list[shares->count++] = share;
}

/* Adds the samples of GAP that can be in it; returns how many. */
static size_t add_samples(struct gap_samples *samples, const struct gap *gap,
                          struct shares *shares)
{
    size_t count = 0;
    for (size_t i = 0; i < gap->sample_count; i++) {
        const struct sample *sample = &gap->samples[i];
        if (!find_below(samples, gap, sample->context))
            continue;
        const double position =
            (double)(sample->ns - gap->begin_ns) / (double)(gap->end_ns - gap->begin_ns);
        add_share(shares, (struct share){sample->context, 1, 1, position});
        count++;
    }
    return count;
}

void gap_samples_learn(struct gap_samples *samples, const struct gap *gap)
{
    bool has_any = false;
    for (size_t i = 0; !has_any && i < gap->sample_count; i++)
        has_any = find_below(samples, gap, gap->samples[i].context);
    if (!has_any)
        return;
    struct kind *kind = add_kind(samples, gap);
    kind->samples += (double)add_samples(samples, gap, &kind->shares);
}

static int compare_weights(const void *a, const void *b)
{
    const struct share *one = a, *other = b;
    if (one->weight != other->weight)
        return one->weight > other->weight ? -1 : 1;
    return one->context < other->context ? -1 : one->context > other->context;
}

bool gap_samples_learnt(struct gap_samples *samples)
{
    for (size_t i = 0; i < samples->kind_count; i++) {
        struct shares *shares = &samples->kinds[i].shares;
        qsort(shares->list, shares->count, sizeof *shares->list, compare_weights);
        for (; shares->count > SHARES_MOST; shares->count--)
            samples->kinds[i].samples -= shares->list[shares->count - 1].weight;
    }
    return samples->kind_count > 0;
}

bool gap_samples_know(struct gap_samples *samples, uint32_t thread, uint64_t from, uint64_t to)
{
    return *find_slot(samples, thread, from, to) != 0;
}

static int compare_positions(const void *a, const void *b)
{
    const struct share *one = a, *other = b;
    const double first = one->position / one->weight, second = other->position / other->weight;
    if (first != second)
        return first < second ? -1 : 1;
    return one->context < other->context ? -1 : one->context > other->context;
}

/* Finds the `parts` of GAP; returns the sum of their weights. */
static double find_parts(struct gap_samples *samples, const struct gap *gap)
{
    const struct kind *kind =
        &samples->kinds[*find_slot(samples, gap->thread, gap->from, gap->to) - 1];
    const double factor = COMMON_SAMPLES / kind->samples;
    struct shares *parts = &samples->parts;
    parts->count = 0;
    for (size_t i = 0; i < kind->shares.count; i++) {
        const struct share *share = &kind->shares.list[i];
        add_share(parts, (struct share){share->context, 0, share->weight * factor,
                                        share->position * factor});
    }
    const size_t own = add_samples(samples, gap, parts);
    qsort(parts->list, parts->count, sizeof *parts->list, compare_positions);
    return COMMON_SAMPLES + (double)own;
}

/* How many functions of CONTEXT's `path`, the innermost, samples of the gap show for the first
 * time: each has been visited in the gap, at least once. */
static size_t count_visited(struct gap_samples *samples, uint32_t context,
                            const struct functions *begin, const struct functions *end)
{
    bool all;
    const size_t at_begin = count_common(samples, begin, &all),
                 at_end = count_common(samples, end, &all);
    const size_t known = at_begin > at_end ? at_begin : at_end;
    const size_t first = known > samples->first ? known : samples->first;
    size_t count = 0;
    while (first + count < samples->path.count &&
           samples->shown_in[context] != samples->gap_number) {
        samples->shown_in[context] = samples->gap_number;
        context = samples->trace->contexts[context].parent;
        count++;
    }
    return count;
}

void gap_samples_divide(struct gap_samples *samples, const struct gap *gap,
                        const struct functions *begin, const struct functions *end,
                        gap_visitor *visit, void *context)
{
    const double whole = find_parts(samples, gap);
    const double length = (double)(gap->end_ns - gap->begin_ns);
    double passed = 0;
    samples->gap_number++;
    for (size_t i = 0; i < samples->parts.count; i++) {
        const struct share *share = &samples->parts.list[i];
        const bool is_last = i + 1 == samples->parts.count;
        passed += share->weight;
        if (!find_below(samples, gap, share->context))
            continue;
        struct gap_part part = {.until_ns = is_last ? gap->end_ns
                                                    : gap->begin_ns +
                                                          (uint64_t)(length * passed / whole),
                                .own = share->own,
                                .regions = samples->path.regions + samples->first,
                                .region_count = samples->path.count - samples->first};
        if (share->own > 0)
            part.visit_count = count_visited(samples, share->context, begin, end);
        visit(context, &part);
    }
}
