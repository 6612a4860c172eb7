/* A trace in the page.  See timeline.h. */
#include "timeline/timeline.h"

#include "file/file.h"
#include "print/print.h"
#include "timeline/collect.h"
#include "timeline/write_block.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of a block in one piece of base64; a multiple of 3. */
#define PIECE_BYTES ((size_t)3 << 20)

static const struct trace *sorted_trace; /* for qsort */

static int compare_threads(const void *a, const void *b)
{
    const struct trace_thread *left = &sorted_trace->threads[*(const uint32_t *)a],
                              *right = &sorted_trace->threads[*(const uint32_t *)b];
    const uint32_t left_rank = sorted_trace->processes[left->process].rank,
                   right_rank = sorted_trace->processes[right->process].rank;
    if (left_rank != right_rank)
        return left_rank < right_rank ? -1 : 1;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

/* Threads by rank; those without an event have no row. */
static struct timeline_rows make_rows(const struct trace *trace)
{
    struct timeline_rows rows = {allocate(trace->thread_count, sizeof *rows.threads),
                                 allocate(trace->thread_count, sizeof *rows.of_thread), 0};
    for (uint32_t i = 0; i < trace->thread_count; i++)
        if (trace->threads[i].events > 0 || trace->threads[i].number == 0)
            rows.threads[rows.count++] = i;
    sorted_trace = trace;
    qsort(rows.threads, rows.count, sizeof *rows.threads, compare_threads);
    for (uint32_t row = 0; row < rows.count; row++)
        rows.of_thread[rows.threads[row]] = row;
    return rows;
}

static void write_key(FILE *stream, const char *separator, const char *key)
{
    fprintf(stream, "%s\"%s\":", separator, key);
}

static void write_string(FILE *stream, const char *separator, const char *key, const char *text)
{
    write_key(stream, separator, key);
    json_string(stream, text);
}

static void write_count(FILE *stream, const char *key, uint64_t count)
{
    fprintf(stream, ",\"%s\":%" PRIu64, key, count);
}

static void write_rows(FILE *stream, const struct trace *trace,
                       const struct timeline_rows *rows)
{
    write_key(stream, "{", "rows");
    for (size_t row = 0; row < rows->count; row++) {
        const struct trace_thread *thread = &trace->threads[rows->threads[row]];
        const struct trace_process *process = &trace->processes[thread->process];
        fputs(row ? ",\n" : "[", stream);
        if (process->rank == TRACE_NONE)
            fputs("{\"rank\":null", stream);
        else
            fprintf(stream, "{\"rank\":%" PRIu32, process->rank);
        write_count(stream, "thread", thread->number);
        write_string(stream, ",", "name", process->name);
        write_string(stream, ",", "host", process->host);
        fputc('}', stream);
    }
    fputs(rows->count ? "]" : "[]", stream);
}

static void write_regions(FILE *stream, const struct trace *trace)
{
    write_key(stream, ",\n", "regions");
    fputc('[', stream);
    for (size_t i = 0; i < trace->region_count; i++) {
        const struct trace_region *region = &trace->regions[i];
        write_string(stream, i ? ",\n{" : "{", "name", region->name);
        write_string(stream, ",", "metric", region->metric);
        write_string(stream, ",", "file", region->file);
        write_count(stream, "line", region->line);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void write_iterations(FILE *stream, const struct trace *trace,
                             const struct collection_of_trace *all)
{
    uint64_t block = 0;
    write_key(stream, ",\n", "iterations");
    fputc('[', stream);
    for (size_t i = 0; i < all->count; i++) {
        const struct collected *one = &all->list[i];
        write_string(stream, i ? ",\n{" : "{", "phase",
                     one->phase == TRACE_NONE ? "" : trace->regions[one->phase].name);
        write_count(stream, "number", one->number);
        write_count(stream, "begin", one->begin_ns);
        write_count(stream, "length", one->end_ns - one->begin_ns);
        write_count(stream, "calls", one->call_count);
        write_count(stream, "messages", one->message_count);
        write_count(stream, "samples", one->sample_count);
        if (one->left_out)
            fputs(",\"block\":null}", stream);
        else
            fprintf(stream, ",\"block\":%" PRIu64 "}", block++);
    }
    fputc(']', stream);
    write_count(stream, "left_out", all->left_out);
    fputc('}', stream);
}

static void write_block(FILE *stream, struct collected *one, const struct timeline_rows *rows,
                        uint64_t number)
{
    struct encoder out = {0};
    block_encode(one, rows, &out);
    if (out.failed)
        out_of_memory();
    const size_t room = out.size + out.size / 128 + 1024;
    unsigned char *packed = allocate(room, 1);
    const size_t size = zstd_codec_pack(packed, room, out.bytes, out.size);
    fprintf(stream,
            "<script type=\"application/x-tsprof-timeline;base64\" id=\"timeline-%" PRIu64
            "\" data-bytes=\"%zu\">",
            number, out.size);
    for (size_t at = 0; at < size; at += PIECE_BYTES)
        base64_write(stream, packed + at, size - at < PIECE_BYTES ? size - at : PIECE_BYTES);
    fputs("</script>\n", stream);
    free(packed);
    encoder_free(&out);
}

bool timeline_write(struct trace *trace, FILE *stream, struct error *error)
{
    struct collection_of_trace all;
    if (!collect(trace, TIMELINE_MOST_CALLS, &all, error))
        return false;
    struct timeline_rows rows = make_rows(trace);
    uint64_t block = 0;
    fputs("<script type=\"application/json\" id=\"timeline\">", stream);
    write_rows(stream, trace, &rows);
    write_regions(stream, trace);
    write_iterations(stream, trace, &all);
    fputs("</script>\n", stream);
    for (size_t i = 0; i < all.count; i++)
        if (!all.list[i].left_out)
            write_block(stream, &all.list[i], &rows, block++);
    free(rows.threads);
    free(rows.of_thread);
    collect_free(&all);
    return true;
}
