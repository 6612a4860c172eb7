/*
 * How large a table of iterations will be, said before it is written: a small summary of many
 * iterations may become gigabytes, since each iteration has rows of its own there.
 *
 * Some iterations of ranks, chosen at random, are written to a stream that only counts.
 */
#include "export/export_rows.h"

#include <stdio.h>

enum {
    SAMPLES_MOST = 128, /* iterations of ranks that are written to be counted */
    SAMPLES_PART = 16   /* and at most one in so many of all */
};

/* A table is large from so many bytes on. */
#define LARGE_BYTES 1e8

bool sampling_takes(struct sampling *sampling)
{
    sampling->seen++;
    if (sampling->left-- > 0)
        return false;
    sampling->state = sampling->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    /* From 0 to twice the step, less 2: no period of the program's is met again and again. */
    sampling->left = (sampling->state >> 33) % (2 * sampling->step - 1);
    sampling->taken++;
    return true;
}

/* Iterations of ranks that are selected, whether they have profiles or not. */
static uint64_t count_iterations(const struct selection *selection)
{
    const struct range *chosen = &selection->iterations;
    uint64_t count = 0;
    for (uint32_t p = 0; p < selection->summary->phase_count; p++) {
        const uint64_t end = selection->phases[p] ? selection_iterations(selection, p) : 0;
        if (chosen->first < end)
            count += (chosen->last < end ? chosen->last + 1 : end) - chosen->first;
    }
    return count * selection->rank_count;
}

static ssize_t count_bytes(void *counted, const char *bytes, size_t length)
{
    (void)bytes;
    *(uint64_t *)counted += length;
    return (ssize_t)length;
}

/* How many times as large as the sample all is; 0 if there was none. */
static double times_sample(const struct sampling *sampling)
{
    return sampling->taken > 0 ? (double)sampling->seen / (double)sampling->taken : 0;
}

void export_say_size(const struct rows *rows, const struct table_kind *kind,
                     enum table_notation notation)
{
    const uint64_t all = count_iterations(rows->selection), part = all / SAMPLES_PART;
    const uint64_t samples = part < SAMPLES_MOST ? part : SAMPLES_MOST;
    uint64_t bytes = 0;
    if (!kind->fewer || rows->options->total || samples == 0)
        return;
    FILE *stream = fopencookie(&bytes, "w", (cookie_io_functions_t){.write = count_bytes});
    if (!stream)
        return;
    struct sampling sampling = {.step = all / samples};
    struct rows counted = *rows;
    counted.sampling = &sampling;
    table_begin(&counted.table, stream, notation, kind->name, kind->columns);
    kind->write(&counted);
    table_end(&counted.table);
    fclose(stream);
    const double times = times_sample(&sampling);
    char row_count[QUANTITY_SIZE], size[QUANTITY_SIZE];
    if (times * (double)bytes > LARGE_BYTES)
        complain("export: this will be some %s rows, %s; %s",
                 format_quantity(row_count, times * (double)counted.table.rows, "occ"),
                 format_quantity(size, times * (double)bytes, "bytes"), kind->fewer);
}
