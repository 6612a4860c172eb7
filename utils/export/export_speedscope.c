/*
 * tsprof export --format speedscope: the JSON that https://www.speedscope.app shows, whose
 * schema is https://www.speedscope.app/file-format-schema.json: stacks with weights ("sampled"
 * profiles).
 */
#include "export/export.h"
#include "export/flame.h"
#include "print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* What a profile shows of values, since weights cannot be negative. */
enum part { PART_POSITIVE, PART_NEGATIVE };

struct scope_file {
    const struct flame *flame;
    const struct summary *summary;
    FILE *stream;
    uint32_t *frame_of; /* by region: frame + 1; 0: there is no path to it */
    uint32_t unsampled; /* the frame UNSAMPLED_NAME */
    size_t profiles;
};

static void write_frame(struct scope_file *file, const struct region_entry *region)
{
    fputs("{\"name\":", file->stream);
    json_string(file->stream, region->name);
    if (region->file[0]) {
        fputs(",\"file\":", file->stream);
        json_string(file->stream, region->file);
    }
    if (region->line) {
        fputs(",\"line\":", file->stream);
        json_number(file->stream, (long double)region->line);
    }
    putc('}', file->stream);
}

static uint32_t region_of(const struct flame *flame, uint32_t path)
{
    const struct path_tree *tree = flame->tree;
    return tree->summary->nodes[tree->paths[path].node].region;
}

static void write_frames(struct scope_file *file)
{
    uint32_t frames = 0;
    file->frame_of = allocate(file->summary->region_count, sizeof *file->frame_of);
    fputs("\"shared\":{\"frames\":[", file->stream);
    for (uint32_t path = 0; path < file->flame->tree->count; path++) {
        uint32_t region = region_of(file->flame, path);
        if (file->frame_of[region])
            continue;
        fputs(frames ? ",\n" : "\n", file->stream);
        write_frame(file, &file->summary->regions[region]);
        file->frame_of[region] = ++frames;
    }
    fputs(",\n{\"name\":\"" UNSAMPLED_NAME "\"}\n]},\n", file->stream);
    file->unsampled = frames;
}

/* From the outermost frame on. */
static void write_stack(struct scope_file *file, uint32_t path, enum flame_share share)
{
    const struct path_tree *tree = file->flame->tree;
    size_t depth = 0;
    for (uint32_t at = path; at != 0; at = tree->paths[at].parent)
        depth++;
    uint32_t *frames = allocate(depth + 2, sizeof *frames);
    size_t place = depth;
    for (uint32_t at = path; at != 0; at = tree->paths[at].parent)
        frames[--place] = file->frame_of[region_of(file->flame, at)] - 1;
    if (depth == 0)
        frames[depth++] = file->frame_of[region_of(file->flame, 0)] - 1;
    if (share == FLAME_UNSAMPLED)
        frames[depth++] = file->unsampled;
    for (size_t i = 0; i < depth; i++)
        fprintf(file->stream, "%s%u", i ? "," : "[", frames[i]);
    putc(']', file->stream);
    free(frames);
}

/* The weight that PART has of a value; 0: none. */
static long double weight_of(const struct scope_file *file, const struct flame_values *values,
                             uint32_t path, enum flame_share share, uint32_t metric,
                             enum part part)
{
    long double value = flame_value(file->flame, values, path, share, metric);
    value = part == PART_NEGATIVE ? -value : value;
    return value > 0 ? value : 0;
}

static void begin_profile(struct scope_file *file, const char *name, uint32_t metric)
{
    const char *unit = file->summary->metrics[metric].unit;
    fputs(file->profiles++ ? ",\n" : "\n", file->stream);
    fputs("{\"type\":\"sampled\",\"name\":", file->stream);
    json_string(file->stream, name);
    fprintf(file->stream, ",\"unit\":\"%s\"",
            strcmp(unit, "s") == 0       ? "nanoseconds"
            : strcmp(unit, "bytes") == 0 ? "bytes"
                                         : "none");
}

/* The profile called NAME of one metric. */
static void write_profile(struct scope_file *file, const char *name,
                          const struct flame_values *values, uint32_t metric, enum part part)
{
    const struct path_values *paths = values->paths;
    long double sum = 0;
    size_t written = 0;
    begin_profile(file, name, metric);
    fputs(",\n\"samples\":[", file->stream);
    for (size_t i = 0; i < paths->count; i++)
        for (enum flame_share share = 0; share < FLAME_SHARES; share++) {
            if (weight_of(file, values, paths->list[i], share, metric, part) == 0)
                continue;
            fputs(written++ ? "," : "", file->stream);
            write_stack(file, paths->list[i], share);
        }
    fputs("],\n\"weights\":[", file->stream);
    written = 0;
    for (size_t i = 0; i < paths->count; i++)
        for (enum flame_share share = 0; share < FLAME_SHARES; share++) {
            long double weight = weight_of(file, values, paths->list[i], share, metric, part);
            if (weight == 0)
                continue;
            fputs(written++ ? "," : "", file->stream);
            json_number(file->stream, weight);
            sum += weight;
        }
    fputs("],\n\"startValue\":0,\"endValue\":", file->stream);
    json_number(file->stream, sum);
    putc('}', file->stream);
}

static bool has_negative(const struct scope_file *file, const struct flame_values *values,
                         uint32_t metric)
{
    for (size_t i = 0; i < values->paths->count; i++)
        for (enum flame_share share = 0; share < FLAME_SHARES; share++)
            if (weight_of(file, values, values->paths->list[i], share, metric, PART_NEGATIVE) >
                0)
                return true;
    return false;
}

/* The profiles of all chosen metrics, of which those with negative values have two. */
static void write_profiles(struct scope_file *file, const char *name,
                           const struct flame_values *values, bool is_difference)
{
    const struct flame *flame = file->flame;
    for (size_t i = 0; i < flame->metric_count; i++) {
        uint32_t metric = flame->metrics[i];
        bool both = is_difference || has_negative(file, values, metric);
        struct text title = {0};
        text_addf(&title, "%s: %s%s", file->summary->metrics[metric].name, name,
                  both ? ", more" : "");
        write_profile(file, text_string(&title), values, metric, PART_POSITIVE);
        text_free(&title);
        if (!both)
            continue;
        text_addf(&title, "%s: %s, less", file->summary->metrics[metric].name, name);
        write_profile(file, text_string(&title), values, metric, PART_NEGATIVE);
        text_free(&title);
    }
}

static void write_scope(struct scope_file *file, enum flame_side side,
                        struct flame_values *values)
{
    struct text name = {0};
    text_add(&name, side == FLAME_MINUS ? "minus " : "");
    scope_add_text(&file->flame->scopes[side], &name);
    flame_fill(file->flame, side, values);
    write_profiles(file, text_string(&name), values, false);
    text_free(&name);
}

/* What THIS has more and less than MINUS. */
static void write_difference(struct scope_file *file, struct flame_values *this,
                             struct flame_values *minus)
{
    flame_fill(file->flame, FLAME_THIS, this);
    flame_fill(file->flame, FLAME_MINUS, minus);
    flame_subtract(this, minus);
    write_profiles(file, "difference", this, true);
}

static void write_ranks(struct scope_file *file, struct flame_values *values)
{
    const struct selection *selection = file->flame->scopes[FLAME_THIS].selection;
    for (size_t r = 0; r < selection->rank_count && selection->rank_count > 1; r++) {
        struct text name = {0};
        text_addf(&name, "rank %u", selection->ranks[r].rank);
        flame_fill_rank(file->flame, &selection->ranks[r], values);
        write_profiles(file, text_string(&name), values, false);
        text_free(&name);
    }
}

static void write_all(struct scope_file *file)
{
    const struct flame *flame = file->flame;
    struct flame_values *values = flame_values_create(flame);
    fputs("\"profiles\":[", file->stream);
    write_scope(file, FLAME_THIS, values);
    if (flame->has_minus) {
        struct flame_values *minus = flame_values_create(flame);
        write_scope(file, FLAME_MINUS, minus);
        write_difference(file, values, minus);
        flame_values_free(minus);
    } else {
        write_ranks(file, values);
    }
    fputs("\n]}\n", file->stream);
    flame_values_free(values);
}

static void write_speedscope(const struct export *export, const struct flame *flame,
                             FILE *stream)
{
    struct scope_file file = {flame, flame->combined->summary, stream, NULL, 0, 0};
    const char *program = summary_fact(export->summary, "program");
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
          "\"exporter\":\"tsprof " PACKAGE_VERSION "\",\n\"name\":",
          stream);
    json_string(stream, program ? program : "program");
    fputs(",\"activeProfileIndex\":0,\n", stream);
    write_frames(&file);
    write_all(&file);
    free(file.frame_of);
}

int export_speedscope(const struct export *export)
{
    return flame_export(export, OPTIONS_MAX_NAMES, write_speedscope);
}
