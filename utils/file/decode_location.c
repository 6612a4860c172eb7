/* See decode_location.h. */
#include "file/decode_location.h"

#include "common/settings.h"
#include "file/decode_map.h"

#include <math.h>
#include <stdlib.h>

/* The least size of items in a file, in bytes. */
enum {
    CELL_BYTES = 3,
    NOTE_BYTES = 1,
    SERIES_BYTES = 10,
    MAXIMUM_BYTES = 2,
    LARGEST_BYTES = 4, /* in version 4 */
    OCCURRENCE_BYTES = 3,
    SPREAD_BYTES = 8,
    CLUSTER_BYTES = 4,
    RUN_BYTES = 2,
    COST_BYTES = 2
};

/* Whether the cell comes after BEFORE (NULL: it is the first) in the order of cells. */
static bool ascends(const struct cell *before, const struct cell *cell)
{
    return !before || cell->node > before->node || cell->metric > before->metric;
}

static void read_profile(struct reader *reader, struct profile *profile)
{
    const struct summary *summary = reader->summary;
    uint64_t node = 0;
    profile->count = reader_count(reader, CELL_BYTES);
    profile->cells = reader_items(reader, profile->count, sizeof *profile->cells);
    for (size_t i = 0; i < profile->count && reader_is_good(reader); i++) {
        struct cell *cell = &profile->cells[i];
        uint64_t step = decode_varint(&reader->in);
        if (step >= summary->node_count - node) {
            reader_fault(reader, i, "of a profile is of a call path that is not there");
            break;
        }
        node += step;
        cell->node = (uint32_t)node;
        cell->metric = reader_index(reader, i, summary->metric_count,
                                    "of a profile is of a metric that is not there");
        cell->value = decode_signed(&reader->in);
        if (!ascends(i ? cell - 1 : NULL, cell))
            reader_fault(reader, i, "of a profile is out of order");
    }
}

static void read_maxima(struct reader *reader, struct series *series)
{
    uint64_t metric = 0;
    series->maximum_count = reader_count(reader, MAXIMUM_BYTES);
    series->maxima = reader_items(reader, series->maximum_count, sizeof *series->maxima);
    for (size_t i = 0; i < series->maximum_count && reader_is_good(reader); i++) {
        uint64_t step = decode_varint(&reader->in);
        if (step >= reader->summary->metric_count - metric || (i > 0 && step == 0)) {
            reader_fault(reader, i,
                         "of the maxima is of a metric that is not there or out of order");
            break;
        }
        metric += step;
        series->maxima[i] = (struct maximum){(uint32_t)metric, decode_varint(&reader->in)};
        if (series->maxima[i].value == 0 && reader_is_good(reader))
            reader_fault(reader, i, "of the maxima is 0");
    }
}

static void read_spreads(struct reader *reader, const struct series *series,
                         struct cluster *cluster)
{
    size_t count = series->maximum_count;
    if (cluster->size == 1 || !reader_expect(reader, count, SPREAD_BYTES))
        return;
    cluster->spreads = reader_items(reader, count, sizeof *cluster->spreads);
    for (size_t i = 0; i < count; i++) {
        cluster->spreads[i] = decode_double(&reader->in);
        if (!isfinite(cluster->spreads[i]) || signbit(cluster->spreads[i]))
            reader_fault(reader, i, "of a cluster's spreads is no number or negative");
    }
}

static void read_occurrence(struct reader *reader, const struct cluster *cluster, size_t i)
{
    struct occurrence *occurrence = &cluster->occurrences[i];
    const uint64_t before = i > 0 ? occurrence[-1].node : 0, step = decode_varint(&reader->in);
    const uint64_t least = decode_varint(&reader->in), more = decode_varint(&reader->in);
    if (!reader_is_good(reader))
        return;
    if (step >= reader->summary->node_count - before || (i > 0 && step == 0))
        reader_fault(reader, i,
                     "of the presences is of a call path that is not there or out of order");
    else if (least == 0 || least > cluster->size || more > cluster->size - least)
        reader_fault(reader, i, "of the presences is impossible");
    else
        *occurrence = (struct occurrence){(uint32_t)(before + step), least, least + more};
}

static void read_presence(struct reader *reader, struct cluster *cluster)
{
    if (cluster->size == 1 || reader->version < 5)
        return;
    const uint64_t told = decode_varint(&reader->in);
    cluster->presence_known = told > 0;
    if (told < 2 || !reader_expect(reader, (size_t)told - 1, OCCURRENCE_BYTES))
        return;
    cluster->occurrence_count = (size_t)told - 1;
    cluster->occurrences =
        reader_items(reader, cluster->occurrence_count, sizeof *cluster->occurrences);
    for (size_t i = 0; i < cluster->occurrence_count && reader_is_good(reader); i++)
        read_occurrence(reader, cluster, i);
}

/* Files of version 3 have SKETCH values before, which nothing uses any more. */
static void read_hidden(struct reader *reader, const struct series *series, uint64_t sketch,
                        struct cluster *cluster)
{
    const bool told = series->keeps_all || (reader->version > 4 && cluster->size > 1);
    if (!told || !reader_expect(reader, (size_t)sketch + 1, 1))
        return;
    for (uint64_t i = 0; i < sketch; i++)
        decode_signed(&reader->in);
    cluster->hidden_visits = decode_signed(&reader->in);
}

static void read_clusters(struct reader *reader, struct series *series, uint64_t sketch)
{
    series->cluster_count = reader_count(reader, CLUSTER_BYTES);
    series->clusters = reader_items(reader, series->cluster_count, sizeof *series->clusters);
    for (size_t i = 0; i < series->cluster_count && reader_is_good(reader); i++) {
        struct cluster *cluster = &series->clusters[i];
        cluster->size = decode_varint(&reader->in);
        cluster->class_id = decode_varint(&reader->in);
        cluster->wall_ns = reader_duration(reader, i);
        read_profile(reader, &cluster->sums);
        if (cluster->size == 0 && reader_is_good(reader))
            reader_fault(reader, i, "is a cluster without iterations");
        if (reader_is_good(reader))
            read_spreads(reader, series, cluster);
        if (reader_is_good(reader))
            read_presence(reader, cluster);
        if (reader_is_good(reader))
            read_hidden(reader, series, sketch, cluster);
    }
}

/* Checks that the map of iterations agrees with the sizes of clusters, apart from iterations
 * that the map marks as unmapped. */
static void check_sizes(struct reader *reader, const struct series *series)
{
    uint64_t *sizes = allocate(series->cluster_count, sizeof *sizes);
    uint64_t missing = 0;
    for (size_t i = 0; i < series->run_count; i++)
        if (series->runs[i].cluster != SUMMARY_NONE)
            sizes[series->runs[i].cluster] += series->runs[i].length;
    for (size_t i = 0; i < series->cluster_count; i++)
        if (sizes[i] > series->clusters[i].size)
            reader_fault(reader, i,
                         "is a cluster of another size than the map of iterations says");
        else
            missing += series->clusters[i].size - sizes[i];
    /* Iterations lost when the map was full count as unmapped, too. */
    if (reader_is_good(reader) && missing > series->unmapped)
        reader_fault(reader, 0, "is a cluster of another size than the map of iterations says");
    free(sizes);
}

static void read_map(struct reader *reader, struct series *series)
{
    series->run_count = reader_count(reader, RUN_BYTES);
    series->runs = reader_items(reader, series->run_count, sizeof *series->runs);
    for (size_t i = 0; i < series->run_count && reader_is_good(reader); i++) {
        struct run *run = &series->runs[i];
        run->first = series->iterations;
        run->length = decode_varint(&reader->in);
        run->cluster = reader_ref(reader, i, series->cluster_count + 1,
                                  "of the map is of a cluster that is not there");
        bool unmapped = run->cluster == series->cluster_count;
        run->unmapped = unmapped;
        if (unmapped)
            run->cluster = SUMMARY_NONE;
        if (run->length == 0 || run->length > SUMMARY_MAX_ITERATIONS - series->iterations) {
            reader_fault(reader, i, "of the map has an impossible length");
            break;
        }
        series->iterations += run->length;
        if (unmapped)
            series->unmapped += run->length;
        else if (run->cluster == SUMMARY_NONE)
            series->lost += run->length;
    }
}

/*
 * Reads whether every iteration is kept and, of a file of version 3, returns the number of
 * values of its sketches.
 */
static uint64_t read_kept(struct reader *reader, struct series *series, size_t index)
{
    uint64_t kept = decode_varint(&reader->in);
    bool old = reader->version == 3;
    if (reader_is_good(reader) && old && kept > 0 && series->asked > 0)
        reader_fault(reader, index, "is a clustered series with sketches");
    else if (reader_is_good(reader) && kept >= (old ? SUMMARY_NONE : 2))
        reader_fault(reader, index,
                     old ? "is a series with impossible sketches"
                         : "neither keeps every iteration nor does not");
    series->keeps_all = kept > 0;
    return old && !reader->faulty ? kept : 0;
}

static void read_largest(struct reader *reader, struct series *series)
{
    const struct summary *summary = reader->summary;
    series->largest_count = reader_count(reader, LARGEST_BYTES);
    series->largest = reader_items(reader, series->largest_count, sizeof *series->largest);
    for (size_t i = 0; i < series->largest_count && reader_is_good(reader); i++) {
        struct largest *largest = &series->largest[i];
        largest->node =
            reader_index(reader, i, summary->node_count,
                         "of the largest values is of a call path that is not there");
        largest->metric =
            reader_index(reader, i, summary->metric_count,
                         "of the largest values is of a metric that is not there");
        uint64_t value = decode_varint(&reader->in);
        largest->value = (int64_t)value;
        largest->iteration = decode_varint(&reader->in);
        largest->squares = reader->version > 4 ? decode_double(&reader->in) : 0;
        if (reader_is_good(reader) &&
            (!isfinite(largest->squares) || signbit(largest->squares)))
            reader_fault(reader, i, "of the largest values has impossible squares");
        if (reader_is_good(reader) && (value == 0 || value > INT64_MAX))
            reader_fault(reader, i, "of the largest values is impossible");
    }
}

/* The largest values are of iterations that there are. */
static void check_largest(struct reader *reader, const struct series *series)
{
    for (size_t i = 0; i < series->largest_count && reader_is_good(reader); i++)
        if (series->largest[i].iteration >= series->iterations)
            reader_fault(reader, i,
                         "of the largest values is of an iteration that is not there");
}

/* How the series was clustered; returns what read_kept does. */
static uint64_t read_method(struct reader *reader, struct series *series, size_t index)
{
    series->clustering = reader_text(reader, index);
    series->asked = decode_varint(&reader->in);
    if (reader_is_good(reader) && !series->clustering[0])
        reader_fault(reader, index, "is a series of an unnamed clustering");
    if (reader_is_good(reader))
        read_maxima(reader, series);
    uint64_t sketch = read_kept(reader, series, index);
    if (reader_is_good(reader) && reader->version > 3)
        read_largest(reader, series);
    return sketch;
}

static void read_one_series(struct reader *reader, struct location *location, size_t index)
{
    struct series *series = &location->series[index];
    size_t phases = reader->summary->phase_count;
    series->phase =
        reader_index(reader, index, phases, "is a series of a phase that is not there");
    series->parent_phase =
        reader_ref(reader, index, phases, "is a series nested in a phase that is not there");
    series->equivalence = decode_varint(&reader->in);
    series->classes = decode_varint(&reader->in);
    if (reader_is_good(reader) && !setting_equivalence_name(series->equivalence))
        reader_fault(reader, index, "is a series with an unknown equivalence");
    for (size_t i = 0; i < index; i++)
        if (location->series[i].phase == series->phase)
            reader_fault(reader, index, "is a second series of one phase");
    uint64_t sketch = reader_is_good(reader) ? read_method(reader, series, index) : 0;
    if (reader_is_good(reader))
        read_clusters(reader, series, sketch);
    if (reader_is_good(reader) && reader->runs_left)
        decode_saved_map(reader, series);
    else if (reader_is_good(reader))
        read_map(reader, series);
    if (reader_is_good(reader))
        check_sizes(reader, series);
    if (reader_is_good(reader))
        check_largest(reader, series);
}

static void read_all_series(struct reader *reader, struct location *location)
{
    location->series_count = reader_count_few(reader, SERIES_BYTES, FORMAT_SERIES_MOST);
    if (location->series_count > reader->summary->phase_count)
        reader_fault(reader, location->series_count, "is a series without a phase");
    location->series = reader_items(reader, location->series_count, sizeof *location->series);
    for (size_t i = 0; i < location->series_count && reader_is_good(reader); i++)
        read_one_series(reader, location, i);
}

static void read_costs(struct reader *reader, struct location *location)
{
    location->cost_count = reader_count(reader, COST_BYTES);
    location->costs = reader_items(reader, location->cost_count, sizeof *location->costs);
    for (size_t i = 0; i < location->cost_count && reader_is_good(reader); i++) {
        location->costs[i].key = reader_text(reader, i);
        location->costs[i].value = decode_varint(&reader->in);
    }
}

/* Reads which rank and thread the numbers are from. */
static void read_place(struct reader *reader, struct location *location)
{
    location->rank = reader_index(reader, 0, SUMMARY_NONE, "has an impossible rank");
    location->thread = reader_index(reader, 0, SUMMARY_NONE, "has an impossible thread");
    location->host =
        reader_ref(reader, 0, reader->summary->host_count, "is on a host that is not there");
    location->process = decode_varint(&reader->in);
    location->ending = reader_text(reader, 0);
}

/* Reads from the wall time to the profile of the whole run. */
static void read_sums(struct reader *reader, struct location *location)
{
    location->wall_ns = reader->summary->derived ? (int64_t)decode_varint(&reader->in)
                                                 : reader_duration(reader, 0);
    location->start_ns = decode_varint(&reader->in);
    location->note_count = reader_count(reader, NOTE_BYTES);
    location->notes = reader_items(reader, location->note_count, sizeof *location->notes);
    for (size_t i = 0; i < location->note_count && reader_is_good(reader); i++)
        location->notes[i] = reader_text(reader, i);
    if (reader_is_good(reader))
        read_profile(reader, &location->whole);
}

/* Reads everything from the wall time on. */
void decode_numbers(struct reader *reader, struct location *location)
{
    read_sums(reader, location);
    if (reader_is_good(reader))
        read_profile(reader, &location->outside);
    if (reader_is_good(reader))
        read_all_series(reader, location);
    if (reader_is_good(reader))
        read_costs(reader, location);
}

void decode_location_sums(struct reader *reader, struct location *location)
{
    read_place(reader, location);
    read_sums(reader, location);
}

void decode_location(struct reader *reader, struct location *location)
{
    read_place(reader, location);
    decode_numbers(reader, location);
}
