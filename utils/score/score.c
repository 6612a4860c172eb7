/* Visits, times and costs by function.  See score.h. */
#include "score/score.h"

#include "accuracy/accuracy.h"
#include "base/base.h"
#include "common/format.h"
#include "query/query.h"
#include "score/score_sums.h"
#include "suggest/suggest.h"

#include <stdlib.h>
#include <string.h>

static const char *const type_names[SCORE_TYPES] = {
    [SCORE_ALL] = "ALL", [SCORE_USR] = "USR",     [SCORE_COM] = "COM",
    [SCORE_MPI] = "MPI", [SCORE_PHASE] = "PHASE", [SCORE_SAMPLED] = "SAMPLED"};

const char *score_type_name(enum score_type type)
{
    return type_names[type];
}

/* What is needed only while a score is made. */
struct making {
    struct score *score;
    struct path_tree *tree;
    struct function_list *list;
    enum score_type *type_of;  /* by function of `list` */
    uint32_t *place_of;        /* by function of `list`: in score->functions, or SUMMARY_NONE */
    bool *is_time, *is_sample; /* by metric */
    uint32_t visits;           /* the metric */
    long double mpi_ns, phase_ns, sample_ns; /* mean cost of each */
};

bool score_is_instrumented(const struct score_function *function)
{
    return function->type == SCORE_USR || function->type == SCORE_COM;
}

static const struct region_entry *region_of(const struct summary *summary, uint32_t node)
{
    return &summary->regions[summary->nodes[node].region];
}

static bool is_instrumented(const struct region_entry *region)
{
    return region->kind == REGION_FUNCTION && strcmp(region->group, FORMAT_TOLD_GROUP) == 0;
}

/* By node: whether MPI is called below it.  For the caller to free(). */
static bool *find_paths_to_mpi(const struct summary *summary)
{
    bool *leads = allocate(summary->node_count, sizeof *leads);
    for (size_t n = summary->node_count; n-- > 1;)
        leads[summary->nodes[n].parent] |=
            leads[n] || region_of(summary, (uint32_t)n)->kind == REGION_MPI;
    return leads;
}

/* A function is what any of its call paths is: a name may stand for several functions. */
static void find_types(struct making *making)
{
    const struct summary *summary = making->score->summary;
    bool *leads = find_paths_to_mpi(summary);
    for (size_t f = 0; f < making->list->count; f++)
        making->type_of[f] = SCORE_SAMPLED;
    for (uint32_t n = 0; n < summary->node_count; n++) {
        const struct region_entry *region = region_of(summary, n);
        enum score_type *type =
            &making->type_of[making->list->of_path[making->tree->of_node[n]]];
        if (region->kind == REGION_MPI)
            *type = SCORE_MPI;
        else if (region->kind == REGION_PHASE)
            *type = SCORE_PHASE;
        else if (is_instrumented(region))
            *type = leads[n] || *type == SCORE_COM ? SCORE_COM : SCORE_USR;
    }
    free(leads);
}

/* Makes a place for each function whose visits are known. */
static void make_places(struct making *making)
{
    struct score *score = making->score;
    const struct function_list *list = making->list;
    score->functions = allocate(list->count + 1, sizeof *score->functions);
    for (size_t f = 0; f < list->count; f++) {
        making->place_of[f] = SUMMARY_NONE;
        if (making->type_of[f] == SCORE_SAMPLED)
            continue;
        making->place_of[f] = (uint32_t)score->count;
        score->functions[score->count++] =
            (struct score_function){.name = list->items[f].name,
                                    .number = making->place_of[f],
                                    .type = making->type_of[f]};
        score->instrumented += score_is_instrumented(&score->functions[score->count - 1]);
    }
}

/* The function that NODE counts for, or SUMMARY_NONE. */
static uint32_t place_of_node(const struct making *making, uint32_t node)
{
    const uint32_t f = making->list->of_path[making->tree->of_node[node]];
    const enum score_type type = making->type_of[f];
    if ((type == SCORE_USR || type == SCORE_COM) &&
        !is_instrumented(region_of(making->score->summary, node)))
        return SUMMARY_NONE;
    return making->place_of[f];
}

static long double cost_of(const struct making *making, enum score_type type)
{
    switch (type) {
    case SCORE_USR:
    case SCORE_COM:
        return making->score->visit_ns;
    case SCORE_MPI:
        return making->mpi_ns;
    case SCORE_PHASE:
        return making->phase_ns;
    default:
        return 0;
    }
}

/* VISITS of a region, and the events that a trace has of them. */
static void add_visits(struct score_sums *sums, long double visits, long double each_ns)
{
    sums->visits += visits;
    sums->cost_s += visits * each_ns / 1e9L;
    sums->bytes += visits * TRACE_EVENT_BYTES;
}

/* Samples are taken of all functions, and cost the same whatever they find. */
static void add_samples(const struct making *making, long double samples, long double *bytes)
{
    struct score_sums *sums = &making->score->types[SCORE_SAMPLED];
    sums->cost_s += samples * making->sample_ns / 1e9L;
    sums->bytes += samples * TRACE_EVENT_BYTES;
    bytes[SCORE_SAMPLED] += samples * TRACE_EVENT_BYTES;
}

/* Adds what LOCATION has; its bytes in a trace to BYTES, by type. */
static void add_location(const struct making *making, const struct location *location,
                         long double *bytes)
{
    struct score *score = making->score;
    for (size_t i = 0; i < location->whole.count; i++) {
        const struct cell *cell = &location->whole.cells[i];
        const uint32_t place = score->of_node[cell->node];
        struct score_function *function =
            place == SUMMARY_NONE ? NULL : &score->functions[place];
        const enum score_type type = function ? function->type : SCORE_SAMPLED;
        const long double value = (long double)cell->value;
        if (making->is_time[cell->metric]) {
            const long double time_s = shown_value(score->summary, cell->metric, value, 1);
            score->types[type].time_s += time_s;
            if (function)
                function->sums.time_s += time_s;
        } else if (cell->metric == making->visits && function) {
            add_visits(&score->types[type], value, cost_of(making, type));
            add_visits(&function->sums, value, cost_of(making, type));
            bytes[type] += value * TRACE_EVENT_BYTES;
        } else if (making->is_sample[cell->metric]) {
            add_samples(making, value, bytes);
        }
    }
}

/* Takes the BYTES of a rank as the most if they are, and clears them. */
static void end_rank(struct score *score, long double *bytes)
{
    bytes[SCORE_ALL] = 0;
    for (int type = SCORE_USR; type < SCORE_TYPES; type++)
        bytes[SCORE_ALL] += bytes[type];
    for (int type = 0; type < SCORE_TYPES; type++) {
        if (bytes[type] > score->types[type].most_bytes)
            score->types[type].most_bytes = bytes[type];
        bytes[type] = 0;
    }
}

static void add_all(struct making *making)
{
    struct score *score = making->score;
    const struct summary *summary = score->summary;
    long double bytes[SCORE_TYPES] = {0};
    for (size_t l = 0; l < summary->location_count; l++) {
        add_location(making, &summary->locations[l], bytes);
        if (l + 1 == summary->location_count ||
            summary->locations[l + 1].rank != summary->locations[l].rank)
            end_rank(score, bytes);
    }
    for (int type = SCORE_USR; type < SCORE_TYPES; type++) {
        score->types[SCORE_ALL].visits += score->types[type].visits;
        score->types[SCORE_ALL].time_s += score->types[type].time_s;
        score->types[SCORE_ALL].cost_s += score->types[type].cost_s;
        score->types[SCORE_ALL].bytes += score->types[type].bytes;
    }
}

static int most_expensive_first(const void *a, const void *b)
{
    const struct score_function *left = a, *right = b;
    if (left->sums.cost_s != right->sums.cost_s)
        return left->sums.cost_s > right->sums.cost_s ? -1 : 1;
    if (left->sums.visits != right->sums.visits)
        return left->sums.visits > right->sums.visits ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Sorts the functions, and has `of_node` follow. */
static void sort_functions(struct score *score)
{
    uint32_t *now = allocate(score->count + 1, sizeof *now);
    qsort(score->functions, score->count, sizeof *score->functions, most_expensive_first);
    for (size_t i = 0; i < score->count; i++)
        now[score->functions[i].number] = (uint32_t)i;
    for (size_t n = 0; n < score->summary->node_count; n++)
        if (score->of_node[n] != SUMMARY_NONE)
            score->of_node[n] = now[score->of_node[n]];
    free(now);
}

static long double mean_ns(const struct cost_part *part)
{
    return part->known && part->count > 0 ? part->seconds * 1e9L / (long double)part->count : 0;
}

/* What a visit of an instrumented function costs, and how that is known. */
static void find_cost(struct score *score, double given_ns)
{
    long double entries = 0, spent_ns = 0;
    for (size_t l = 0; l < score->summary->location_count; l++) {
        const struct location *location = &score->summary->locations[l];
        const uint64_t telling_ns = location_cost(location, "telling_ns");
        if (telling_ns == 0)
            continue;
        entries += (long double)location_cost(location, "entries");
        spent_ns += (long double)telling_ns;
    }
    const bool measured = entries > 0 && spent_ns > 0;
    score->source = given_ns > 0 ? SCORE_GIVEN : measured ? SCORE_MEASURED : SCORE_ASSUMED;
    score->visit_ns = given_ns > 0 ? given_ns
                      : measured   ? (double)(spent_ns / entries)
                                   : SCORE_ASSUMED_NS;
}

/* What everything else costs, as `tsprof info` has it. */
static void find_other_costs(struct making *making)
{
    const struct options all = {
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
    struct selection selection;
    struct error error;
    if (!selection_make(&selection, making->score->summary, &all, &error))
        return;
    const struct costs costs = costs_of(&selection);
    making->mpi_ns = mean_ns(&costs.calls);
    making->phase_ns = mean_ns(&costs.markers);
    making->sample_ns = mean_ns(&costs.samples);
    selection_free(&selection);
}

static void find_metrics(struct making *making)
{
    const struct summary *summary = making->score->summary;
    const uint32_t time = summary_metric(summary, "time");
    const uint32_t samples = summary_metric(summary, "samples");
    making->visits = summary_metric(summary, "visits");
    making->is_time = allocate(summary->metric_count + 1, sizeof *making->is_time);
    making->is_sample = allocate(summary->metric_count + 1, sizeof *making->is_sample);
    for (uint32_t m = 0; m < summary->metric_count; m++) {
        making->is_time[m] = metric_is_part(summary, m, time);
        making->is_sample[m] = samples != SUMMARY_NONE && metric_is_part(summary, m, samples);
    }
}

/* Whether the filter hides the function that NODE stands for. */
static bool is_hidden(const struct score *score, uint32_t node)
{
    const uint32_t place = node == SUMMARY_NONE ? SUMMARY_NONE : score->of_node[node];
    return place != SUMMARY_NONE && score->functions[place].hidden;
}

struct thread_visits score_thread_visits(const struct score *score,
                                         const struct location *location)
{
    const uint32_t metric = summary_metric(score->summary, "visits");
    struct thread_visits visits = {0};
    for (size_t i = 0; i < location->whole.count; i++) {
        const struct cell *cell = &location->whole.cells[i];
        const uint32_t place = score->of_node[cell->node];
        if (cell->metric != metric || place == SUMMARY_NONE ||
            !score_is_instrumented(&score->functions[place]))
            continue;
        if (score->functions[place].hidden) {
            visits.hidden += (long double)cell->value;
            continue;
        }
        visits.kept += (long double)cell->value;
        if (is_hidden(score, score->summary->nodes[cell->node].parent))
            visits.walked += (long double)cell->value;
    }
    const long double nameless =
        (long double)location_cost(location, "entries") - visits.kept - visits.hidden;
    visits.nameless = nameless > 0 ? nameless : 0;
    return visits;
}

static void find_nameless(struct score *score)
{
    for (size_t l = 0; l < score->summary->location_count; l++)
        score->nameless += score_thread_visits(score, &score->summary->locations[l]).nameless;
}

static bool can_be_scored(const struct summary *summary, struct error *error)
{
    if (summary->derived)
        return error_set(error,
                         "%s: was calculated from other summaries, so what measuring cost is "
                         "not known",
                         summary->path);
    if (summary_is_of_trace(summary))
        return error_set(error,
                         "%s: was made from a trace, so what measuring cost is not known; the "
                         "summary of the run says it",
                         summary->path);
    if (summary_metric(summary, "time") == SUMMARY_NONE ||
        summary_metric(summary, "visits") == SUMMARY_NONE)
        return error_set(error, "%s: has no metric \"time\", or none \"visits\"",
                         summary->path);
    return true;
}

/* Fills in all but the choice. */
static void fill(struct making *making, double given_ns)
{
    struct score *score = making->score;
    const struct summary *summary = score->summary;
    find_cost(score, given_ns);
    find_other_costs(making);
    find_metrics(making);
    find_types(making);
    make_places(making);
    for (uint32_t n = 0; n < summary->node_count; n++)
        score->of_node[n] = place_of_node(making, n);
    add_all(making);
    sort_functions(score);
    find_nameless(score);
}

struct score *score_make(const struct summary *summary, double given_ns, struct error *error)
{
    if (!can_be_scored(summary, error))
        return NULL;
    struct score *score = allocate(1, sizeof *score);
    struct making making = {.score = score, .tree = path_tree_build(summary)};
    score->summary = summary;
    score->of_node = allocate(summary->node_count + 1, sizeof *score->of_node);
    making.list = functions_of(making.tree);
    making.type_of = allocate(making.list->count + 1, sizeof *making.type_of);
    making.place_of = allocate(making.list->count + 1, sizeof *making.place_of);
    fill(&making, given_ns);
    score_share_now(score);
    free(making.type_of);
    free(making.place_of);
    free(making.is_time);
    free(making.is_sample);
    functions_free(making.list);
    path_tree_free(making.tree);
    return score;
}

void score_free(struct score *score)
{
    if (!score)
        return;
    free(score->functions);
    free(score->of_node);
    free(score);
}
