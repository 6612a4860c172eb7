/* What stands out for scripts and pages.  See ranking.h. */
#include "base/base.h"
#include "findings/ranking.h"
#include "print/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_key(FILE *stream, const char *key)
{
    fprintf(stream, ",\"%s\":", key);
}

/* JSON has no infinities; values from damaged files may be beyond all. */
static void write_number(FILE *stream, double value)
{
    if (isfinite(value))
        json_number(stream, value);
    else
        fputs("null", stream);
}

static void write_range(FILE *stream, const struct range *range)
{
    fprintf(stream, "[%" PRIu64 ",%" PRIu64 "]", range->first, range->last);
}

static void write_ranges(const struct finding *finding, FILE *stream)
{
    write_key(stream, "iterations");
    for (size_t i = 0; i < finding->range_count; i++) {
        putc(i ? ',' : '[', stream);
        write_range(stream, &finding->iterations[i]);
    }
    fputs(finding->range_count ? "]" : "[]", stream);
    fprintf(stream, ",\"iteration_count\":%" PRIu64, finding->iteration_count);
}

static void write_ranks(const struct finding *finding, FILE *stream)
{
    write_key(stream, "ranks");
    for (size_t i = 0; i < finding->rank_count; i++)
        fprintf(stream, "%s%u", i ? "," : "[", finding->ranks[i]);
    fputs(finding->rank_count ? "]" : "[]", stream);
    write_key(stream, "parts");
    for (size_t i = 0; i < finding->part_count; i++) {
        fprintf(stream, "%s{\"rank\":%u,\"iterations\":", i ? "," : "[",
                finding->parts[i].rank);
        write_range(stream, &finding->parts[i].iterations);
        putc('}', stream);
    }
    fputs(finding->part_count ? "]" : "[]", stream);
}

static void write_values(const struct finding *finding, const char *unit, FILE *stream)
{
    bool of_shares =
        finding->kind == FINDING_IMBALANCE || finding->kind == FINDING_GROWING_IMBALANCE;
    write_key(stream, "unit");
    json_string(stream, of_shares ? "share" : unit);
    write_key(stream, "value");
    write_number(stream, finding->value);
    write_key(stream, "usual");
    write_number(stream, finding->usual);
    write_key(stream, "excess");
    write_number(stream, finding->excess);
    write_key(stream, "excess_ns");
    if (strcmp(unit, "s") == 0 && fabs(finding->excess) < 9e9)
        fprintf(stream, "%.0f", finding->excess * 1e9);
    else
        fputs("null", stream);
    write_key(stream, "percent");
    write_number(stream, 100 * finding->share);
}

static void write_callpath(const struct path_tree *tree, uint32_t path, FILE *stream)
{
    size_t count;
    const char **names = path_names(tree, path, &count);
    for (size_t i = 0; i < count; i++) {
        putc(i ? ',' : '[', stream);
        json_string(stream, names[i]);
    }
    putc(']', stream);
    free(names);
}

static void write_place(const struct path_tree *tree, uint32_t path, FILE *stream)
{
    uint64_t line;
    const char *file = path_place(tree, path, &line);
    write_key(stream, "file");
    if (file[0])
        json_string(stream, file);
    else
        fputs("null", stream);
    write_key(stream, "line");
    if (line)
        fprintf(stream, "%" PRIu64, line);
    else
        fputs("null", stream);
}

/* VALUE: NaN if it is not known. */
static void write_cause(const struct ranking *ranking, uint32_t metric, uint32_t path,
                        double value, FILE *stream)
{
    write_key(stream, "cause");
    if (metric == SUMMARY_NONE || path == SUMMARY_NONE) {
        fputs("null", stream);
        return;
    }
    fputs("{\"metric\":", stream);
    json_string(stream, ranking->summary->metrics[metric].name);
    write_key(stream, "callpath");
    write_callpath(ranking->tree, path, stream);
    write_place(ranking->tree, path, stream);
    write_key(stream, "value");
    write_number(stream, value);
    putc('}', stream);
}

/* What tells why a call path of MPI takes longer; FINDING may be NULL. */
static void write_counted(const struct ranking *ranking, const struct finding *finding,
                          FILE *stream)
{
    write_key(stream, "counted");
    if (!finding || finding->counted.metric == SUMMARY_NONE) {
        fputs("null", stream);
        return;
    }
    fputs("{\"metric\":", stream);
    json_string(stream, ranking->summary->metrics[finding->counted.metric].name);
    write_key(stream, "value");
    write_number(stream, finding->counted.value);
    write_key(stream, "usual");
    write_number(stream, finding->counted.usual);
    putc('}', stream);
}

static void write_gain(const struct ranking *ranking, double gain, FILE *stream)
{
    const bool known = ranking->wall_s > 0;
    write_key(stream, "gain");
    write_number(stream, known ? gain : NAN);
    write_key(stream, "of");
    write_number(stream, known ? ranking->wall_s : NAN);
}

/* GAIN may be NULL. */
static void write_prediction(const struct gain *gain, FILE *stream)
{
    struct text text = {0};
    write_key(stream, "prediction");
    if (!gain) {
        fputs("null", stream);
        return;
    }
    fputs("{\"seconds\":", stream);
    write_number(stream, gain->seconds);
    write_key(stream, "percent");
    write_number(stream, gain->share > 0 ? 100 * gain->share : NAN);
    write_key(stream, "text");
    gain_add_text(gain, &text);
    json_string(stream, text_string(&text));
    text_free(&text);
    putc('}', stream);
}

static void write_finding(const struct ranking *ranking, const struct finding *finding,
                          FILE *stream)
{
    const struct metric_entry *metric = &ranking->summary->metrics[finding->metric];
    fprintf(stream, "{\"kind\":\"%s\"", finding_kind_name(finding->kind));
    write_key(stream, "phase");
    json_string(stream, ranking->summary->phases[finding->phase].name);
    write_key(stream, "metric");
    json_string(stream, metric->name);
    write_ranges(finding, stream);
    write_key(stream, "period");
    if (finding->period)
        fprintf(stream, "%" PRIu64, finding->period);
    else
        fputs("null", stream);
    write_ranks(finding, stream);
    write_values(finding, metric->unit, stream);
    write_gain(ranking, finding->gain, stream);
    write_cause(ranking, finding->cause.metric, finding->cause.path, finding->cause.value,
                stream);
}

static void write_run_finding(const struct ranking *ranking, const struct run_finding *finding,
                              FILE *stream)
{
    fprintf(stream, "{\"kind\":\"%s\"", run_finding_kind_name(finding->kind));
    fputs(",\"phase\":null,\"metric\":\"time\",\"iterations\":[],\"iteration_count\":0,"
          "\"period\":null,\"ranks\":[",
          stream);
    if (finding->rank != SUMMARY_NONE)
        fprintf(stream, "%" PRIu32, finding->rank);
    fputs("],\"parts\":[],\"unit\":\"s\",\"value\":null,\"usual\":null,\"excess\":null,"
          "\"excess_ns\":null,\"percent\":",
          stream);
    write_number(stream, 100 * finding->gain / ranking->wall_s);
    write_gain(ranking, finding->gain, stream);
    write_cause(
        ranking,
        summary_metric(ranking->summary, finding->kind == RUN_UNEVEN ? "computation" : "mpi"),
        finding->path, NAN, stream);
}

void ranking_write_json(const struct ranking *ranking, FILE *stream)
{
    putc('[', stream);
    for (size_t i = 0; i < ranking->count; i++) {
        const struct ranked *ranked = &ranking->list[i];
        fputs(i ? ",\n" : "\n", stream);
        if (ranked->run)
            write_run_finding(ranking, ranked->run, stream);
        else
            write_finding(ranking, ranked->finding, stream);
        write_counted(ranking, ranked->finding, stream);
        write_prediction(ranked_prediction(ranking, ranked), stream);
        write_key(stream, "text");
        json_string(stream, ranked_sentence(ranked));
        putc('}', stream);
    }
    fputs("\n]", stream);
}
