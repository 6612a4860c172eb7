/* See decode_map.h. */
#include "file/decode_map.h"

#include "common/part_format.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_BYTES = 2 }; /* of a place in a pattern */

/* A map while it is being read. */
struct unfolding {
    struct reader *reader;
    struct series *series;
    uint64_t *room;     /* by cluster: iterations that may still be in it */
    uint64_t cut_off;   /* iterations that there are no runs left for */
    uint64_t left;      /* iterations of this stretch that are not read yet */
    uint32_t *clusters; /* of this stretch, by place, as in the file: see add_run */
    size_t places;
    uint32_t pattern[PART_PERIOD_MOST]; /* the last one's places */
    uint32_t period;                    /* 0: there is none */
    uint32_t phase;                     /* its element for the next iteration */
    bool uniform;                       /* its iterations are all in one cluster */
};

/* Runs are listed in memory that doubles, and moved into the summary's at the end. */
static void append_run(struct series *series, struct run run)
{
    const size_t count = series->run_count;
    if (!(count & (count - 1)))
        series->runs = reallocate(series->runs, count ? 2 * count : 1, sizeof run);
    series->runs[series->run_count++] = run;
}

/* Counts LENGTH iterations in CLUSTER; false if that has not so many. */
static bool take_room(struct unfolding *unfolding, uint32_t cluster, uint64_t length)
{
    if (unfolding->room[cluster] < length)
        return reader_fault(unfolding->reader, cluster,
                            "is a cluster of another size than the map of iterations says");
    unfolding->room[cluster] -= length;
    return true;
}

/*
 * Adds LENGTH iterations of the cluster REF - 1; 0: they have no profile; one more than there
 * are clusters: they are unmapped.
 */
static void add_run(struct unfolding *unfolding, uint64_t length, uint32_t ref)
{
    struct series *series = unfolding->series;
    struct run *last = series->run_count > 0 ? &series->runs[series->run_count - 1] : NULL;
    struct run run = {.first = series->iterations,
                      .length = length,
                      .cluster = ref == 0 ? SUMMARY_NONE : ref - 1,
                      .unmapped = ref == series->cluster_count + 1};
    if (run.unmapped)
        run.cluster = SUMMARY_NONE;
    else if (ref > 0 && !take_room(unfolding, run.cluster, length))
        return;
    series->iterations += length;
    if (last && last->cluster == run.cluster && last->unmapped == run.unmapped) {
        last->length += length;
    } else if (*unfolding->reader->runs_left > 0) {
        --*unfolding->reader->runs_left;
        append_run(series, run);
    } else {
        series->iterations -= length;
        unfolding->cut_off += length;
    }
}

static bool is_good(const struct unfolding *unfolding)
{
    return reader_is_good(unfolding->reader);
}

/* The next LENGTH iterations, in the cluster at PLACE. */
static void add_place(struct unfolding *unfolding, uint64_t length, uint64_t place)
{
    if (place >= unfolding->places)
        reader_fault(unfolding->reader, place, "of the map is a place that is not there");
    else if (unfolding->cut_off > 0)
        unfolding->cut_off += length;
    else
        add_run(unfolding, length, unfolding->clusters[place]);
}

static void read_packed(struct unfolding *unfolding, uint64_t count)
{
    struct decoder *in = &unfolding->reader->in;
    const uint64_t width = decode_varint(in);
    const size_t left = in->size - in->at;
    if (width > PART_WIDTH_MOST) {
        reader_fault(unfolding->reader, width, "is the width of places in the map");
        return;
    }
    const unsigned char *bytes =
        decode_view(in, count <= left * 8 ? (size_t)(count * width + 7) / 8 : left + 1);
    if (width == 0)
        add_place(unfolding, count, 0);
    for (uint64_t bits = 0, held = 0; bytes && width > 0 && count > 0 && is_good(unfolding);
         count--, bits >>= width, held -= width) {
        for (; held < width; held += 8)
            bits |= (uint64_t)*bytes++ << held;
        add_place(unfolding, 1, bits & ((UINT64_C(1) << width) - 1));
    }
}

/* COUNT more iterations of the pattern. */
static void unfold_pattern(struct unfolding *unfolding, uint64_t count)
{
    uint32_t at = unfolding->phase;
    if (unfolding->uniform) {
        add_place(unfolding, count, unfolding->pattern[0]);
        return;
    }
    for (; count > 0 && unfolding->cut_off == 0 && is_good(unfolding); count--) {
        add_place(unfolding, 1, unfolding->pattern[at]);
        at = at + 1 < unfolding->period ? at + 1 : 0;
    }
    unfolding->cut_off += count;
}

/* Whether all iterations of the pattern are in one cluster. */
static bool is_uniform(const struct unfolding *unfolding)
{
    const uint32_t first = unfolding->clusters[unfolding->pattern[0]];
    uint32_t i = 1;
    while (i < unfolding->period && unfolding->clusters[unfolding->pattern[i]] == first)
        i++;
    return i == unfolding->period;
}

static void read_pattern(struct unfolding *unfolding)
{
    struct reader *reader = unfolding->reader;
    const uint64_t period = decode_varint(&reader->in);
    unfolding->period = unfolding->phase = 0;
    if (period == 0 || period > PART_PERIOD_MOST) {
        reader_fault(reader, period, "is the period of a pattern in the map");
        return;
    }
    const unsigned char *bytes = decode_view(&reader->in, (size_t)period * PLACE_BYTES);
    for (uint64_t i = 0; bytes && i < period; i++, bytes += PLACE_BYTES) {
        unfolding->pattern[i] = bytes[0] | (uint32_t)bytes[1] << 8;
        if (unfolding->pattern[i] >= unfolding->places)
            reader_fault(reader, i, "of a pattern in the map is a place that is not there");
    }
    if (is_good(unfolding)) {
        unfolding->period = (uint32_t)period;
        unfolding->uniform = is_uniform(unfolding);
    }
}

static void read_segment(struct unfolding *unfolding)
{
    struct reader *reader = unfolding->reader;
    const uint64_t head = decode_varint(&reader->in), count = head >> 2;
    const enum part_segment kind = (enum part_segment)(head & 3);
    if (!is_good(unfolding))
        return;
    if (count == 0 || count > unfolding->left) {
        reader_fault(reader, count, "is an impossible number of iterations in the map");
        return;
    }
    if (kind == PART_SEGMENT_RUN)
        add_place(unfolding, count, decode_varint(&reader->in));
    else if (kind == PART_SEGMENT_PACKED)
        read_packed(unfolding, count);
    else if (kind == PART_SEGMENT_PATTERN)
        read_pattern(unfolding);
    if (kind == PART_SEGMENT_AGAIN && unfolding->period == 0)
        reader_fault(reader, count, "of the map continue a pattern that is not there");
    if (kind >= PART_SEGMENT_PATTERN && is_good(unfolding))
        unfold_pattern(unfolding, count);
    unfolding->left -= count;
    if (unfolding->period > 0)
        unfolding->phase = (uint32_t)((unfolding->phase + count) % unfolding->period);
}

/* Reads what the places of a stretch stand for. */
static void read_places(struct unfolding *unfolding)
{
    struct reader *reader = unfolding->reader;
    unfolding->places = reader_count(reader, 1);
    unfolding->clusters =
        reallocate(unfolding->clusters, unfolding->places + 1, sizeof *unfolding->clusters);
    for (size_t i = 0; i < unfolding->places; i++)
        unfolding->clusters[i] = reader_index(reader, i, unfolding->series->cluster_count + 2,
                                              "of the map is of a cluster that is not there");
}

/* Reads a stretch; false if there is no more. */
static bool read_stretch(struct unfolding *unfolding)
{
    struct reader *reader = unfolding->reader;
    unfolding->left = decode_varint(&reader->in);
    if (!is_good(unfolding) || unfolding->left == 0)
        return false;
    if (unfolding->left >
        SUMMARY_MAX_ITERATIONS - unfolding->series->iterations - unfolding->cut_off)
        return reader_fault(reader, unfolding->left, "is too many iterations for the map");
    read_places(unfolding);
    unfolding->period = unfolding->phase = 0;
    while (is_good(unfolding) && unfolding->left > 0)
        read_segment(unfolding);
    return is_good(unfolding);
}

/* Moves the runs into the summary's memory, and counts what has no profile. */
static void settle(struct unfolding *unfolding)
{
    struct series *series = unfolding->series;
    struct run *runs = series->runs;
    if (unfolding->cut_off > 0) {
        append_run(series, (struct run){.first = series->iterations,
                                        .length = unfolding->cut_off,
                                        .cluster = SUMMARY_NONE,
                                        .unmapped = true});
        series->iterations += unfolding->cut_off;
        runs = series->runs;
    }
    series->runs = reader_items(unfolding->reader, series->run_count, sizeof *runs);
    if (series->run_count > 0)
        memcpy(series->runs, runs, series->run_count * sizeof *runs);
    free(runs);
    for (size_t i = 0; i < series->run_count; i++) {
        const struct run *run = &series->runs[i];
        if (run->unmapped)
            series->unmapped += run->length;
        else if (run->cluster == SUMMARY_NONE)
            series->lost += run->length;
    }
}

void decode_saved_map(struct reader *reader, struct series *series)
{
    struct unfolding unfolding = {.reader = reader, .series = series};
    unfolding.room = allocate(series->cluster_count, sizeof *unfolding.room);
    for (size_t i = 0; i < series->cluster_count; i++)
        unfolding.room[i] = series->clusters[i].size;
    while (read_stretch(&unfolding))
        continue;
    settle(&unfolding);
    free(unfolding.clusters);
    free(unfolding.room);
}
