/* The operators of the algebra.  See derive.h. */
#include "algebra/derive.h"

#include "accuracy/accuracy.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most decimal places that a mean may have more than its operands. */
#define MORE_PLACES 6

/* The most decimal places of a metric in a file. */
#define MOST_SCALE 18

/* Values that are closer than this to a whole number count as whole. */
#define WHOLE 0.5e-6L

struct derived_cell {
    uint32_t node, metric;
    long double value; /* in stored units of the operands */
};

struct derived_profile {
    struct derived_cell *cells;
    size_t count;
};

struct deriving {
    struct operands *operands;
    enum derivation derivation;
    struct summary *summary;
    struct path_tree *tree;           /* of nodes */
    struct path_values *total, *part; /* of one place: the result, and one operand's */
    size_t *owner;                    /* by metric: the operand that a join takes it from */
    struct derived_profile *profiles; /* by place */
    long double *factors;             /* by metric: what stored values are multiplied with */
};

const char *derivation_name(enum derivation derivation)
{
    static const char *const names[] = {
        [DERIVED_DIFFERENCE] = "difference", [DERIVED_MEAN] = "mean", [DERIVED_JOIN] = "join"};
    return names[derivation];
}

/* Finds the first operand that has each metric. */
static void find_owners(struct deriving *deriving)
{
    const struct operands *operands = deriving->operands;
    deriving->owner = allocate(deriving->summary->metric_count, sizeof *deriving->owner);
    for (size_t i = operands->count; i-- > 0;) {
        const struct translation *translation = operands->list[i].translation;
        for (size_t m = 0; m < translation->from->metric_count; m++)
            deriving->owner[translation->metric_of[m]] = i;
    }
}

/* Removes the values of metrics that a join does not take from OPERAND. */
static void keep_own(struct deriving *deriving, size_t operand)
{
    struct path_values *part = deriving->part;
    for (size_t i = 0; i < part->count; i++)
        for (size_t m = 0; m < part->metric_count; m++)
            if (deriving->owner[m] != operand)
                part->sums[(size_t)part->list[i] * part->metric_count + m] = 0;
}

static void add_operand(struct deriving *deriving, size_t operand,
                        const struct operand_place *place)
{
    const struct translation *translation = deriving->operands->list[operand].translation;
    struct path_map map = {translation->node_of, translation->metric_of, translation->factors};
    operand_fill(deriving->operands, operand, place, &map, METRICS_EXCLUSIVE, deriving->part);
    if (deriving->derivation == DERIVED_JOIN)
        keep_own(deriving, operand);
    bool minus = deriving->derivation == DERIVED_DIFFERENCE && operand > 0;
    path_values_combine(deriving->total, deriving->part, minus ? -1 : 1);
}

static long double value_of(const struct deriving *deriving, uint32_t node, size_t metric)
{
    const struct path_values *total = deriving->total;
    return total->sums[(size_t)node * total->metric_count + metric] /
           (long double)total->divisor;
}

static struct derived_profile derive_profile(struct deriving *deriving,
                                             const struct operand_place *place)
{
    struct path_values *total = deriving->total;
    struct derived_profile profile = {0};
    path_values_clear(total);
    for (size_t i = 0; i < deriving->operands->count; i++)
        add_operand(deriving, i, place);
    if (deriving->derivation == DERIVED_MEAN)
        total->divisor = deriving->operands->count;
    path_values_sort(total);
    for (size_t i = 0; i < total->count; i++)
        for (size_t m = 0; m < total->metric_count; m++)
            profile.count += value_of(deriving, total->list[i], m) != 0;
    profile.cells = allocate(profile.count, sizeof *profile.cells);
    profile.count = 0;
    for (size_t i = 0; i < total->count; i++)
        for (uint32_t m = 0; m < total->metric_count; m++) {
            long double value = value_of(deriving, total->list[i], m);
            if (value != 0)
                profile.cells[profile.count++] =
                    (struct derived_cell){total->list[i], m, value};
        }
    return profile;
}

/* By metric, the root of its tree.  All metrics of a tree have the same scale. */
static uint32_t *find_roots(const struct summary *summary)
{
    uint32_t *roots = allocate(summary->metric_count, sizeof *roots);
    for (uint32_t m = 0; m < summary->metric_count; m++)
        roots[m] =
            summary->metrics[m].parent == SUMMARY_NONE ? m : roots[summary->metrics[m].parent];
    return roots;
}

/* By root of a metric tree: the largest value on a location, and whether any value is
 * fractional. */
struct extent {
    long double *largest;
    bool *broken;
};

static struct extent find_extent(const struct deriving *deriving, const uint32_t *roots)
{
    size_t metrics = deriving->summary->metric_count;
    struct extent extent = {allocate(metrics, sizeof *extent.largest),
                            allocate(metrics, sizeof *extent.broken)};
    long double *sums = allocate(metrics, sizeof *sums);
    for (size_t p = 0; p < deriving->operands->place_count; p++) {
        memset(sums, 0, metrics * sizeof *sums);
        for (size_t i = 0; i < deriving->profiles[p].count; i++) {
            const struct derived_cell *cell = &deriving->profiles[p].cells[i];
            uint32_t root = roots[cell->metric];
            sums[root] += fabsl(cell->value);
            extent.broken[root] |= fabsl(cell->value - roundl(cell->value)) > WHOLE;
        }
        for (size_t m = 0; m < metrics; m++)
            extent.largest[m] = fmaxl(extent.largest[m], sums[m]);
    }
    free(sums);
    return extent;
}

/*
 * Gives metric trees with fractional values as many more decimal places as fit.  Times do not
 * need them: they are in nanoseconds.
 */
static void choose_scales(struct deriving *deriving)
{
    struct summary *summary = deriving->summary;
    uint32_t *roots = find_roots(summary);
    struct extent extent = find_extent(deriving, roots);
    deriving->factors = allocate(summary->metric_count, sizeof *deriving->factors);
    for (size_t m = 0; m < summary->metric_count; m++) {
        struct metric_entry *metric = &summary->metrics[m];
        bool is_time = strcmp(summary->metrics[roots[m]].unit, "s") == 0 && metric->scale >= 9;
        bool more = extent.broken[roots[m]] && !is_time;
        deriving->factors[m] = 1;
        for (unsigned i = 0; more && i < MORE_PLACES && metric->scale < MOST_SCALE; i++) {
            if (extent.largest[roots[m]] * deriving->factors[m] > 0x1p58L)
                break;
            metric->scale++;
            deriving->factors[m] *= 10;
        }
    }
    free(extent.largest);
    free(extent.broken);
    free(roots);
}

/* VALUE as a stored integer, limited to the range of integers. */
static int64_t stored_value(long double value)
{
    value = roundl(value);
    return value >= 0x1p63L ? INT64_MAX : value <= -0x1p63L ? -INT64_MAX : (int64_t)value;
}

static void store_profile(const struct deriving *deriving, const struct derived_profile *from,
                          struct profile *profile)
{
    profile->cells =
        memory_pool_allocate(&deriving->summary->pool, from->count, sizeof *profile->cells);
    for (size_t i = 0; i < from->count; i++) {
        const struct derived_cell *cell = &from->cells[i];
        int64_t value = stored_value(cell->value * deriving->factors[cell->metric]);
        if (value != 0)
            profile->cells[profile->count++] = (struct cell){cell->node, cell->metric, value};
    }
}

static const char *keep(struct deriving *deriving, struct text *text)
{
    const char *kept = memory_pool_copy(&deriving->summary->pool, text_string(text),
                                        strlen(text_string(text)));
    text_free(text);
    return kept;
}

/* A location that is being made, and whether it has any part yet. */
struct making {
    struct deriving *deriving;
    struct location *location;
    bool begun;
};

typedef void visit_part(struct making *making, const struct operand *operand,
                        const struct location *part);

/* Calls VISIT for each location that is part of PLACE. */
static void for_each_part(struct making *making, const struct operand_place *place,
                          visit_part *visit)
{
    const struct operands *operands = making->deriving->operands;
    for (size_t i = 0; i < operands->count; i++) {
        const struct operand *operand = &operands->list[i];
        const struct rank_group *ranks = operand->selection.ranks;
        if (operands->ranks_fit && place->in[i])
            visit(making, operand, place->in[i]);
        for (size_t r = 0; r < operand->selection.rank_count && !operands->ranks_fit; r++)
            for (size_t t = 0; t < ranks[r].count; t++)
                visit(making, operand, &operand->summary->locations[ranks[r].first + t]);
    }
}

static void count_notes(struct making *making, const struct operand *operand,
                        const struct location *part)
{
    (void)operand;
    making->location->note_count += part->note_count + 1;
}

static void add_note(struct making *making, const struct operand *operand,
                     const struct location *part, const char *said)
{
    struct location *location = making->location;
    struct text note = {0};
    text_addf(&note, "in %s: ", operand->summary->path);
    if (!making->deriving->operands->ranks_fit) {
        place_add_name(&note, part);
        text_add(&note, ": ");
    }
    text_add(&note, said);
    location->notes[location->note_count++] = keep(making->deriving, &note);
}

/* Takes over the notes of PART, and what ended its measurement early. */
static void add_notes(struct making *making, const struct operand *operand,
                      const struct location *part)
{
    for (size_t i = 0; i < part->note_count; i++)
        add_note(making, operand, part, part->notes[i]);
    if (part->ending[0])
        add_note(making, operand, part, part->ending);
}

static void derive_notes(struct making *making, const struct operand_place *place)
{
    struct location *location = making->location;
    for_each_part(making, place, count_notes);
    location->notes = memory_pool_allocate(&making->deriving->summary->pool,
                                           location->note_count, sizeof *location->notes);
    location->note_count = 0;
    for_each_part(making, place, add_notes);
}

/* Finds the host that all parts are on, or none. */
static void find_host(struct making *making, const struct operand *operand,
                      const struct location *part)
{
    struct location *location = making->location;
    uint32_t host =
        part->host == SUMMARY_NONE ? SUMMARY_NONE : operand->translation->host_of[part->host];
    if (!making->begun) {
        location->host = host;
        location->start_ns = part->start_ns;
    } else if (location->host != host) {
        location->host = SUMMARY_NONE;
    }
    making->begun = true;
}

/* Adds the facts about counters that PART has. */
static void find_counted(struct making *making, const struct operand *operand,
                         const struct location *part)
{
    struct location *location = making->location;
    (void)operand;
    for (size_t i = 0; i < part->cost_count; i++) {
        const char *key = part->costs[i].key;
        uint64_t value;
        if (strncmp(key, "counter", 7) == 0 && !location_find_cost(location, key, &value) &&
            location->cost_count < 2 * making->deriving->summary->metric_count)
            location->costs[location->cost_count++] = (struct cost_fact){key, 0};
    }
}

/* Adds the cost facts that say what counters add up to, as every file has them. */
static void derive_counted(struct making *making, const struct operand_place *place)
{
    struct summary *summary = making->deriving->summary;
    struct location *location = making->location;
    int64_t *values = allocate(summary->metric_count, sizeof *values);
    profile_add_sums(&location->whole, values);
    location->costs = memory_pool_allocate(&summary->pool, 2 * summary->metric_count,
                                           sizeof *location->costs);
    for_each_part(making, place, find_counted);
    for (size_t i = 0; i < location->cost_count; i++) {
        struct cost_fact *fact = &location->costs[i];
        uint32_t metric = SUMMARY_NONE;
        if (strncmp(fact->key, "counter.", 8) == 0)
            metric = summary_metric(summary, fact->key + 8);
        if (metric != SUMMARY_NONE)
            fact->value = (uint64_t)values[metric];
    }
    free(values);
}

static void derive_location(struct deriving *deriving, size_t number)
{
    const struct operand_place *place = &deriving->operands->places[number];
    struct location *location = &deriving->summary->locations[number];
    *location = (struct location){
        .rank = place->rank, .thread = place->thread, .host = SUMMARY_NONE, .ending = ""};
    struct making making = {deriving, location, false};
    for_each_part(&making, place, find_host);
    derive_notes(&making, place);
    store_profile(deriving, &deriving->profiles[number], &location->whole);
    location->outside = location->whole;
    location->wall_ns = profile_wall_ns(deriving->summary, &location->whole);
    derive_counted(&making, place);
}

static void derive_locations(struct deriving *deriving)
{
    struct operands *operands = deriving->operands;
    deriving->tree = path_tree_of_nodes(deriving->summary);
    deriving->total = path_values_create(deriving->tree);
    deriving->part = path_values_create(deriving->tree);
    deriving->profiles = allocate(operands->place_count, sizeof *deriving->profiles);
    find_owners(deriving);
    for (size_t p = 0; p < operands->place_count; p++)
        deriving->profiles[p] = derive_profile(deriving, &operands->places[p]);
    choose_scales(deriving);
    deriving->summary->location_count = operands->place_count;
    deriving->summary->locations = memory_pool_allocate(
        &deriving->summary->pool, operands->place_count, sizeof *deriving->summary->locations);
    for (size_t p = 0; p < operands->place_count; p++) {
        derive_location(deriving, p);
        free(deriving->profiles[p].cells);
    }
    free(deriving->profiles);
    free(deriving->factors);
    free(deriving->owner);
    path_values_free(deriving->total);
    path_values_free(deriving->part);
    path_tree_free(deriving->tree);
}

static void add_fact(struct deriving *deriving, const char *key, const char *value)
{
    struct summary *summary = deriving->summary;
    summary->facts[summary->fact_count++] = (struct fact){key, value};
}

/* Whether FACT is the same in all operands and is not about how one of them was derived. */
static bool is_common(const struct operands *operands, const struct fact *fact)
{
    if (strncmp(fact->key, "derived", 7) == 0 || strncmp(fact->key, "operand.", 8) == 0)
        return false;
    for (size_t i = 1; i < operands->count; i++) {
        const char *other = summary_fact(operands->list[i].summary, fact->key);
        if (!other || strcmp(other, fact->value) != 0)
            return false;
    }
    return true;
}

static void derive_facts(struct deriving *deriving)
{
    struct operands *operands = deriving->operands;
    struct summary *summary = deriving->summary;
    const struct summary *first = operands->list[0].summary;
    summary->facts = memory_pool_allocate(
        &summary->pool, first->fact_count + operands->count + 2, sizeof *summary->facts);
    for (size_t i = 0; i < first->fact_count; i++)
        if (is_common(operands, &first->facts[i]))
            add_fact(deriving, first->facts[i].key, first->facts[i].value);
    summary->derived = derivation_name(deriving->derivation);
    add_fact(deriving, "derived", summary->derived);
    add_fact(deriving, "derived.ranks", operands->ranks_fit ? "matched" : "summed");
    for (size_t i = 0; i < operands->count; i++) {
        struct text key = {0}, value = {0};
        text_addf(&key, "operand.%zu", i);
        operand_add_text(&operands->list[i], &value);
        add_fact(deriving, keep(deriving, &key), keep(deriving, &value));
        if (operands->list[i].summary->state != FORMAT_COMPLETE)
            summary->state = operands->list[i].summary->state;
    }
}

static bool is_same_topology(const struct topology *a, const struct topology *b)
{
    if (a->kind != b->kind || strcmp(a->name, b->name) != 0 || a->run_count != b->run_count ||
        a->dimension_count != b->dimension_count)
        return false;
    for (size_t i = 0; i < a->run_count; i++)
        if (a->runs[i].first != b->runs[i].first || a->runs[i].step != b->runs[i].step ||
            a->runs[i].count != b->runs[i].count)
            return false;
    for (size_t i = 0; i < a->dimension_count; i++)
        if (a->dimensions[i].size != b->dimensions[i].size ||
            a->dimensions[i].periodic != b->dimensions[i].periodic)
            return false;
    return true;
}

static bool has_topology(const struct summary *summary, const struct topology *topology)
{
    for (size_t i = 0; i < summary->topologies.count; i++)
        if (is_same_topology(&summary->topologies.items[i], topology))
            return true;
    return false;
}

/*
 * Keeps the topologies of the first operand that the others have, too, if the ranks are still
 * there. The order of neighbours in a graph may differ from run to run: it is that of the
 * first.
 */
static void derive_topologies(struct deriving *deriving)
{
    const struct operands *operands = deriving->operands;
    const struct topology_list *from = &operands->list[0].summary->topologies;
    struct topology_list *kept = &deriving->summary->topologies;
    if (!operands->ranks_fit)
        return;
    kept->items =
        memory_pool_allocate(&deriving->summary->pool, from->count, sizeof *kept->items);
    kept->left_out = from->left_out;
    for (size_t i = 0; i < from->count; i++) {
        bool everywhere = true;
        for (size_t o = 1; o < operands->count && everywhere; o++)
            everywhere = has_topology(operands->list[o].summary, &from->items[i]);
        if (everywhere)
            kept->items[kept->count++] = from->items[i];
    }
}

const struct summary *derive(struct operands *operands, enum derivation derivation)
{
    struct deriving deriving = {
        .operands = operands, .derivation = derivation, .summary = operands->combined->summary};
    derive_facts(&deriving);
    derive_locations(&deriving);
    derive_topologies(&deriving);
    return deriving.summary;
}
