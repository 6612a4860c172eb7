/* See location.h. */
#include "encode/location.h"

#include "arch/arch.h"
#include "assemble/resolve.h"
#include "counters/counters.h"
#include "encode/presence.h"
#include "encode/processor_facts.h"
#include "encode/resident.h"
#include "encode/stall_facts.h"
#include "host/host.h"
#include "mainloop/mainloop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The value of one cell, with the summary's numbers as its key: node in the upper half, metric
 * in the lower half.
 */
struct named_value {
    uint64_t key;
    int64_t value;
};

/* A profile that is being translated into the summary's numbers. */
struct gathering {
    const struct thread *thread;
    const struct location_maps *maps; /* NULL: own numbers are written, nothing is gathered */
    uint32_t *node_of_cell;
    struct named_value *values;
    size_t count;
    struct told_occurrence *occurrences; /* room for one of every node */
};

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = ((const struct named_value *)a)->key;
    uint64_t right = ((const struct named_value *)b)->key;
    return left < right ? -1 : left > right;
}

/* The summary's number of a metric of this process. */
static uint32_t metric_number(const struct location_maps *maps, int metric)
{
    return metric < METRIC_COUNT || !maps ? (uint32_t)metric
                                          : maps->counters[metric - METRIC_COUNT];
}

static uint32_t phase_number(const struct location_maps *maps, uint32_t phase)
{
    return maps ? maps->phases[phase] : phase;
}

static void gather(struct gathering *gathering, uint32_t cell, int64_t value)
{
    uint32_t number = gathering->node_of_cell[cell];
    const struct node *node = &gathering->thread->tree.nodes[number];
    enum metric metric = profile_metric_async(node, cell - node->cell);
    uint32_t named = gathering->maps->nodes[number];
    /* A visit to a frame that is left out is not a visit to the node that stands in for it. */
    if (value == 0 || (named & RESOLVED_LEFT_OUT && metric == METRIC_visits))
        return;
    uint64_t key =
        (uint64_t)(named & ~RESOLVED_LEFT_OUT) << 32 | metric_number(gathering->maps, metric);
    gathering->values[gathering->count++] = (struct named_value){key, value};
}

/*
 * Writes the gathered values as one profile, with equal keys added up, and empties GATHERING.
 */
static void encode_gathered(struct gathering *gathering, struct encoder *out)
{
    struct named_value *values = gathering->values;
    size_t kept = 0;
    qsort(values, gathering->count, sizeof *values, compare_keys);
    for (size_t i = 0; i < gathering->count; i++) {
        if (kept && values[kept - 1].key == values[i].key)
            values[kept - 1].value =
                (int64_t)((uint64_t)values[kept - 1].value + (uint64_t)values[i].value);
        else
            values[kept++] = values[i];
        if (values[kept - 1].value == 0)
            kept--;
    }
    uint64_t node = 0;
    encode_varint(out, kept);
    for (size_t i = 0; i < kept; i++) {
        encode_varint(out, (values[i].key >> 32) - node);
        encode_varint(out, values[i].key & UINT32_MAX);
        encode_signed(out, values[i].value);
        node = values[i].key >> 32;
    }
    gathering->count = 0;
}

static void gather_profile(struct gathering *gathering, const struct profile *profile)
{
    const struct cct *tree = &gathering->thread->tree;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        const struct node *node = &tree->nodes[profile->touched[i]];
        for (unsigned n = 0; n < layout_table[node->layout].cells; n++)
            gather(gathering, node->cell + n, profile->values[node->cell + n]);
    }
}

enum { LARGEST_AT_ONCE = 64 }; /* between two pauses */

/* The map from iterations to clusters, as runs of iterations in the same cluster. */
struct runs {
    struct encoder *out;
    bool counts; /* they are only counted */
    uint64_t count;
    uint64_t length;  /* of the last run, which is not written yet; 0: none */
    uint32_t cluster; /* its cluster */
    uint32_t clusters;
};

static void end_run(struct runs *runs)
{
    if (runs->length == 0)
        return;
    if (!runs->counts) {
        encode_varint(runs->out, runs->length);
        encode_varint(runs->out, runs->cluster == CLUSTER_NONE ? 0
                                 : runs->cluster == CLUSTER_UNKNOWN
                                     ? runs->clusters + UINT64_C(1)
                                     : runs->cluster + UINT64_C(1));
    }
    runs->count++;
    runs->length = 0;
}

static void see_run(void *context, uint64_t length, uint32_t cluster)
{
    struct runs *runs = context;
    if (cluster != runs->cluster)
        end_run(runs);
    runs->cluster = cluster;
    runs->length += length;
}

static void encode_map(const struct clustering *clustering, struct encoder *out)
{
    struct runs counted = {
        .out = out, .counts = true, .clusters = clustering_count(clustering)};
    struct runs written = {.out = out, .clusters = counted.clusters};
    clustering_each_run(clustering, see_run, &counted);
    end_run(&counted);
    encode_varint(out, counted.count);
    clustering_each_run(clustering, see_run, &written);
    end_run(&written);
}

/* The metrics of this process that were ever above 0, in the order of the summary's numbers. */
struct metric_list {
    int metrics[METRIC_MOST];
    unsigned count;
};

static struct metric_list list_metrics(const struct location_maps *maps, const double *maxima)
{
    struct metric_list list = {.count = 0};
    for (int m = 0; m < METRIC_COUNT + (int)counters_count; m++) {
        if (!(maxima[m] > 0))
            continue;
        unsigned at = list.count++;
        for (; at > 0 && metric_number(maps, list.metrics[at - 1]) > metric_number(maps, m);
             at--)
            list.metrics[at] = list.metrics[at - 1];
        list.metrics[at] = m;
    }
    return list;
}

/* Writes the largest value that each metric had in any one iteration. */
static void encode_maxima(const struct location_maps *maps, const struct metric_list *list,
                          const double *maxima, struct encoder *out)
{
    uint32_t before = 0;
    encode_varint(out, list->count);
    for (unsigned i = 0; i < list->count; i++) {
        uint32_t number = metric_number(maps, list->metrics[i]);
        encode_varint(out, number - before);
        encode_varint(out, (uint64_t)maxima[list->metrics[i]]);
        before = number;
    }
}

static void encode_spreads(const struct metric_list *list, const double *spreads,
                           struct encoder *out)
{
    for (unsigned i = 0; i < list->count; i++)
        encode_double(out, spreads[list->metrics[i]]);
}

/*
 * Counts the visits to frames that are left out of the summary's profiles.  In a thread's own
 * numbers none is left out.
 */
static int64_t hidden_visits(const struct gathering *gathering,
                             const struct cluster_view *cluster)
{
    int64_t visits = 0;
    for (size_t i = 0; gathering->maps && i < cluster->cell_count; i++) {
        uint32_t number = gathering->node_of_cell[cluster->cells[i]];
        const struct node *node = &gathering->thread->tree.nodes[number];
        if (gathering->maps->nodes[number] & RESOLVED_LEFT_OUT &&
            profile_metric_async(node, cluster->cells[i] - node->cell) == METRIC_visits)
            visits += cluster->values[i];
    }
    return visits;
}

/* The summary's node and metric of CELL, as one number. */
static uint64_t key_of(const struct gathering *gathering, uint32_t cell)
{
    const struct cct *tree = &gathering->thread->tree;
    const uint32_t number = profile_node_of_cell_async(tree, 0, cell);
    const struct node *node = &tree->nodes[number];
    const uint32_t named =
        gathering->maps ? gathering->maps->nodes[number] & ~RESOLVED_LEFT_OUT : number;
    return (uint64_t)named << 32 |
           metric_number(gathering->maps, profile_metric_async(node, cell - node->cell));
}

/* Whether COUNT values, sorted by key, have KEY no more than once. */
static bool is_alone(const struct named_value *values, size_t count, uint64_t key)
{
    const struct named_value *found =
        bsearch(&(struct named_value){.key = key}, values, count, sizeof *values, compare_keys);
    return (found == values || found[-1].key != key) &&
           (found == values + count - 1 || found[1].key != key);
}

/*
 * Gathers the keys of all largest values of CLUSTERING: call paths that become one in the
 * summary have none there, since that of their sum is not known.  Where some are missing for
 * want of memory, any cell may be one of those.  In own numbers nothing becomes one.
 */
static void gather_largest(struct gathering *gathering, const struct clustering *clustering)
{
    const bool any = clustering_lacks_cells(clustering);
    const uint32_t count =
        any ? gathering->thread->tree.cell_count : clustering_largest_count(clustering);
    gathering->count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (any || clustering_largest(clustering, i)->value > 0) {
            const uint32_t cell = any ? i : clustering_largest(clustering, i)->cell;
            gathering->values[gathering->count++] =
                (struct named_value){.key = key_of(gathering, cell)};
        }
    if (gathering->count > 0)
        qsort(gathering->values, gathering->count, sizeof *gathering->values, compare_keys);
}

static bool shows_largest(const struct gathering *gathering,
                          const struct clustering *clustering, uint32_t at)
{
    return clustering_largest(clustering, at)->value > 0 &&
           (!gathering->maps ||
            is_alone(gathering->values, gathering->count,
                     key_of(gathering, clustering_largest(clustering, at)->cell)));
}

/* Writes the largest values of call paths, in the order in which these were met. */
static void encode_largest(struct gathering *gathering, const struct clustering *clustering,
                           struct encoder *out)
{
    const uint32_t most = clustering_largest_count(clustering);
    uint32_t count = 0;
    if (gathering->maps)
        gather_largest(gathering, clustering);
    for (uint32_t i = 0; i < most; i++)
        count += shows_largest(gathering, clustering, i);
    encode_varint(out, count);
    for (uint32_t i = 0; i < most; i++) {
        if (i % LARGEST_AT_ONCE == 0)
            encoder_pause_async(out);
        if (!shows_largest(gathering, clustering, i))
            continue;
        const struct cell_largest *largest = clustering_largest(clustering, i);
        const uint64_t key = key_of(gathering, largest->cell);
        encode_varint(out, key >> 32);
        encode_varint(out, key & UINT32_MAX);
        encode_varint(out, (uint64_t)largest->value);
        encode_varint(out, largest->iteration);
        encode_double(out, clustering_squares(clustering, largest->cell));
    }
    gathering->count = 0;
}

static void encode_cluster_cells(struct gathering *gathering,
                                 const struct cluster_view *cluster, struct encoder *out)
{
    if (!gathering->maps) {
        snapshot_profile_encode_cluster_async(&gathering->thread->tree, cluster, out);
        return;
    }
    for (size_t cell = 0; cell < cluster->cell_count; cell++)
        gather(gathering, cluster->cells[cell], cluster->values[cell]);
    encode_gathered(gathering, out);
}

static void encode_presence(struct gathering *gathering, const struct cluster_view *cluster,
                            struct encoder *out)
{
    const struct cct *tree = &gathering->thread->tree;
    if (gathering->maps)
        presence_encode(tree, gathering->maps->nodes, cluster, gathering->occurrences, out);
    else
        presence_encode_own_async(tree, cluster, out);
}

static void encode_series(struct gathering *gathering, const struct series *series,
                          struct encoder *out)
{
    const struct clustering *clustering = series->clustering;
    const double *maxima = clustering_maxima(clustering);
    const struct metric_list metrics = list_metrics(gathering->maps, maxima);
    const bool keeps_all = clustering_keeps_all(clustering);
    encode_varint(out, phase_number(gathering->maps, series->shown_as));
    encode_varint(
        out,
        series->nested_in < 0
            ? 0
            : phase_number(gathering->maps,
                           gathering->thread->iterations->series[series->nested_in].shown_as) +
                  UINT64_C(1));
    encode_varint(out, clustering_equivalence(clustering));
    encode_varint(out, clustering_classes(clustering));
    encode_string(out, setting_clustering_name(config_clustering_async()));
    encode_varint(out, clustering_limit(clustering));
    encode_maxima(gathering->maps, &metrics, maxima, out);
    encode_varint(out, keeps_all);
    encode_largest(gathering, clustering, out);
    encode_varint(out, clustering_count(clustering));
    for (uint32_t i = 0; i < clustering_count(clustering); i++) {
        struct cluster_view view;
        clustering_view(clustering, i, &view);
        encode_varint(out, view.size);
        encode_varint(out, view.class_id);
        encode_varint(out, (uint64_t)view.wall_ns);
        encode_cluster_cells(gathering, &view, out);
        if (view.size > 1) {
            encode_spreads(&metrics, view.spreads, out);
            encode_presence(gathering, &view, out);
        }
        if (keeps_all || view.size > 1)
            encode_signed(out, hidden_visits(gathering, &view));
        encoder_pause_async(out);
    }
    /* Own numbers are saved again and again: see doc/parts.md. */
    if (gathering->maps)
        encode_map(clustering, out);
    else
        clustering_save_map(clustering, out);
}

/*
 * Writes the notes of THREAD.  The first thread of the process also has those about the
 * process's counters, but not when called IN_HANDLER, where their text cannot be composed.
 */
static void encode_notes(const struct thread *thread, bool in_handler, struct encoder *out)
{
    char text[512];
    unsigned refused = 0;
    while (!in_handler && thread->number == 0 && counters_note(refused, text, sizeof text))
        refused++;
    encode_varint(out, (uint64_t)__builtin_popcountll(thread->notes) + refused);
    for (int note = 0; note < NOTE_COUNT; note++)
        if (thread->notes >> note & 1)
            encode_string(out, note_text_async((enum note)note));
    for (unsigned i = 0; i < refused && counters_note(i, text, sizeof text); i++)
        encode_string(out, text);
}

static void encode_counter(const char *what, unsigned counter, int64_t value,
                           struct encoder *out)
{
    const char *name = counters_name_async(counter);
    encode_varint(out, strlen(what) + strlen(name));
    encode_bytes(out, what, strlen(what));
    encode_bytes(out, name, strlen(name));
    encode_varint(out, (uint64_t)value);
}

/* Writes the total of each counter on the call paths, and its total in tsprof itself. */
static void encode_counted(const struct counts *counts, struct encoder *out)
{
    for (unsigned i = 0; i < counters_count; i++) {
        encode_counter("counter.", i, counts->counted[i], out);
        encode_counter("counter_overhead.", i, counts->own[i], out);
    }
}

enum { LOOP_FACTS = 10 };

/* Writes what is known of a loop that was found without markers. */
static void encode_loop(unsigned number, const struct found_loop *loop,
                        const struct location_maps *maps, struct encoder *out)
{
    const struct {
        const char *name;
        uint64_t value;
    } facts[LOOP_FACTS] = {
        {"border", maps->nodes[loop->border] & ~RESOLVED_LEFT_OUT},
        {"function", maps->nodes[loop->function] & ~RESOLVED_LEFT_OUT},
        {"offset", loop->offset},
        {"phase",
         loop->phase == UINT32_MAX ? 0 : phase_number(maps, loop->phase) + UINT64_C(1)},
        {"passes", loop->passes},
        {"time_ns", loop->time_ns},
        {"around", loop->around},
        {"certain", loop->certain},
        {"partly", loop->partly},
        {"absent", loop->absent},
    };
    for (size_t i = 0; i < LOOP_FACTS; i++) {
        char key[64];
        snprintf(key, sizeof key, "loop.%u.%s", number, facts[i].name);
        encode_string(out, key);
        encode_varint(out, facts[i].value);
    }
}

/* The mean processor time between two samples, which may have been limited for some. */
static int64_t period_of(const struct thread *thread)
{
    const int64_t samples = thread->cost.samples + thread->cost.samples_unused;
    return samples > 0 ? thread->cost.gaps_ns / samples : sample_rate.period_ns;
}

/* Nanoseconds that all of TELLING took, by those that were timed. */
static uint64_t telling_ns(const struct telling *telling)
{
    if (telling->timed == 0)
        return 0;
    const uint64_t each = ((uint64_t)telling->timed_ns << 10) / (uint64_t)telling->timed;
    return each * (uint64_t)telling_count(telling) >> 10;
}

/* The same of entries and exits; 0 if it is not known. */
static uint64_t telling_cost_ns(const struct cost *cost)
{
    const uint64_t entries = telling_ns(&cost->entries), exits = telling_ns(&cost->exits);
    return entries > 0 && exits > 0 ? entries + exits : 0;
}

static void encode_cost(const struct thread *thread, const struct location_maps *maps,
                        struct encoder *out)
{
    const bool counted = thread->counts && thread->counts->begun;
    /* Those of the process count for its first thread. */
    const size_t tables = thread->number == 0 ? memory_of_tables_async() : 0;
    const struct {
        const char *key;
        uint64_t value;
    } facts[] = {
        {"calls", (uint64_t)thread->cost.calls},
        {"markers", (uint64_t)thread->cost.markers},
        {"marker_ns", (uint64_t)thread->cost.marker_ns},
        {"samples", (uint64_t)thread->cost.samples},
        {"samples_in_mpi", (uint64_t)thread->cost.samples_unused},
        {"handler_ns", (uint64_t)thread->cost.handler_ns},
        {"arming_ns", (uint64_t)thread->cost.arming_ns},
        {"unwind_failures", (uint64_t)thread->cost.unwind_failures},
        {"unaliased", (uint64_t)thread->cost.unaliased},
        {"entries", (uint64_t)telling_count(&thread->cost.entries)},
        {"telling_ns", telling_cost_ns(&thread->cost)},
        {"saves", (uint64_t)thread->cost.saves},
        {"saving_ns", (uint64_t)thread->cost.saving_ns},
        {"memory_bytes", memory_most_async(thread, out) + tables},
        {"tables_bytes", tables},
        {"resident_most_bytes", thread->number == 0 ? resident_most_bytes_async() : 0},
        {"sample_period_ns", (uint64_t)period_of(thread)},
    };
    struct found_loop loops[LOOPS_MOST];
    const unsigned loop_count = maps ? found_list(thread, loops, LOOPS_MOST) : 0;
    encode_varint(out, sizeof facts / sizeof facts[0] + (counted ? 2 * counters_count : 0) +
                           loop_count * LOOP_FACTS + stall_facts_count_async(&thread->stalls) +
                           processor_facts_count_async(&thread->preemption.allowed));
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        encode_string(out, facts[i].key);
        encode_varint(out, facts[i].value);
    }
    if (counted)
        encode_counted(thread->counts, out);
    stall_facts_encode_async(&thread->stalls, out);
    processor_facts_encode_async(&thread->preemption.allowed, out);
    for (unsigned i = 0; i < loop_count; i++)
        encode_loop(i, &loops[i], maps, out);
}

static bool start_gathering(struct gathering *gathering, const struct thread *thread,
                            const struct location_maps *maps)
{
    const struct cct *tree = &thread->tree;
    *gathering = (struct gathering){.thread = thread, .maps = maps};
    gathering->node_of_cell = calloc(tree->cell_count, sizeof *gathering->node_of_cell);
    /* Twice as many: the whole-run profile is gathered from two profiles. */
    gathering->values = calloc(2 * (size_t)tree->cell_count, sizeof *gathering->values);
    gathering->occurrences = calloc(tree->node_count, sizeof *gathering->occurrences);
    if (!gathering->node_of_cell || !gathering->values || !gathering->occurrences)
        return false;
    for (uint32_t i = 0; i < tree->node_count; i++)
        for (unsigned n = 0; n < layout_table[tree->nodes[i].layout].cells; n++)
            gathering->node_of_cell[tree->nodes[i].cell + n] = i;
    return true;
}

static void encode_place(const struct thread *thread, const struct location_place *place,
                         struct encoder *out)
{
    encode_varint(out, place->rank);
    encode_varint(out, (uint64_t)thread->number);
    encode_varint(out, place->host + UINT64_C(1));
    encode_varint(out, (uint64_t)getpid());
    encode_string(out, ""); /* empty: it ended normally */
}

void location_encode(const struct thread *thread, const struct location_place *place,
                     const struct location_maps *maps, struct encoder *out)
{
    struct gathering gathering;
    if (start_gathering(&gathering, thread, maps)) {
        encode_place(thread, place, out);
        encode_varint(out, (uint64_t)(thread->end_ns - thread->begin_ns));
        encode_varint(out, (uint64_t)(measurement_clock.epoch_ns + thread->first_ns));
        encode_notes(thread, false, out);
        gather_profile(&gathering, &thread->outside);
        gather_profile(&gathering, &thread->closed);
        encode_gathered(&gathering, out);
        gather_profile(&gathering, &thread->outside);
        encode_gathered(&gathering, out);
        encode_varint(out, thread->iterations->series_count);
        for (uint32_t i = 0; i < thread->iterations->series_count; i++)
            encode_series(&gathering, &thread->iterations->series[i], out);
        encode_cost(thread, maps, out);
    } else {
        out->failed = true;
    }
    free(gathering.node_of_cell);
    free(gathering.values);
    free(gathering.occurrences);
}

void location_encode_own_async(const struct thread *thread, int64_t end_ns,
                               const struct snapshot_profile *outside,
                               const struct profile *closed, const struct proposal *proposed,
                               int64_t *room, struct encoder *out)
{
    struct gathering own = {.thread = thread};
    struct snapshot_profile sum = *outside;
    struct taken_away taken = {.proposed = proposed, .values = room};
    struct floating floating;
    floating_begin(&floating);
    encode_varint(out, (uint64_t)(end_ns - thread->begin_ns));
    encode_varint(out, (uint64_t)(measurement_clock.epoch_ns + thread->first_ns));
    encode_notes(thread, true, out);
    sum.profiles[sum.profile_count++] = closed;
    snapshot_profile_encode_async(&thread->tree, &sum, out);
    sum.profile_count--;
    if (proposed->count > 0)
        sum.taken = &taken;
    snapshot_profile_encode_async(&thread->tree, &sum, out);
    encode_varint(out, thread->iterations->series_count + proposed->count);
    for (uint32_t i = 0; i < thread->iterations->series_count; i++)
        encode_series(&own, &thread->iterations->series[i], out);
    for (unsigned i = 0; i < proposed->count; i++)
        encode_series(&own, &proposed->series[i], out);
    encode_cost(thread, NULL, out);
    floating_end(&floating);
}
