/* What measuring cost, and what the samples are worth.  See info.h. */
#include "accuracy/accuracy.h"
#include "info/info.h"

#include <inttypes.h>
#include <stdio.h>

#define SHOWN_PLACES 3

static void print_total(const struct costs *costs)
{
    struct text text = {0};
    char percent[QUANTITY_SIZE], memory[QUANTITY_SIZE];
    text_addf(&text, "%s %% of the run; memory %s per process",
              format_percent(percent, costs->overhead_s, costs->wall_s),
              format_quantity(memory, (long double)costs->memory_bytes, "bytes"));
    info_line("cost", &text);
}

static void print_resident(const struct costs *costs, const struct selection *selection)
{
    struct text text = {0};
    char most[QUANTITY_SIZE], mean[QUANTITY_SIZE];
    if (costs->resident_most_bytes == 0)
        return;
    text_addf(&text, "%s at most",
              format_quantity(most, (long double)costs->resident_most_bytes, "bytes"));
    if (selection->rank_count > 1)
        text_addf(&text, ", on rank %" PRIu32 "; %s on average", costs->resident_rank,
                  format_quantity(mean, (long double)costs->resident_mean_bytes, "bytes"));
    info_line("memory", &text);
}

static void print_job(const struct selection *selection)
{
    const struct job_cost cost = job_cost_of(selection);
    struct text text = {0};
    char percent[QUANTITY_SIZE];
    if (!cost.known)
        return;
    text_addf(&text, "%s %% of the run, estimated: ", format_percent(percent, cost.share, 1));
    job_cost_add_reason(&text, selection->summary, &cost);
    info_line("job cost", &text);
}

/* Adds ", 120 ns each: 0.3 %", with what is to be said OF_EACH, to TEXT and prints it. */
static void print_part(const char *label, struct text *text, const struct cost_part *part,
                       const char *of_each, const struct costs *costs)
{
    char each[QUANTITY_SIZE], percent[QUANTITY_SIZE];
    if (part->count > 0)
        text_addf(text, ", %s each%s",
                  format_quantity(each, part->seconds / (long double)part->count, "s"),
                  of_each);
    text_addf(text, ": %s %%", format_percent(percent, part->seconds, costs->wall_s));
    info_line(label, text);
}

static void print_calls(const struct costs *costs)
{
    struct text text = {0};
    text_addf(&text, "%" PRIu64 " MPI calls%s%s", costs->calls.count,
              costs->markers.known ? "" : " with markers of phases",
              costs->samples.known ? "" : " and samples");
    print_part("calls", &text, &costs->calls, "", costs);
}

static void print_samples(const struct costs *costs)
{
    struct text text = {0};
    char period[QUANTITY_SIZE];
    uint64_t taken = costs->samples.count;
    if (!costs->samples.known)
        return;
    text_addf(&text, "%" PRIu64 " taken", taken);
    if (costs->period_ns)
        text_addf(&text, " every %s of processor time",
                  format_quantity(period, (long double)costs->period_ns / 1e9L, "s"));
    if (costs->unused_samples)
        text_addf(&text, ", %" PRIu64 " not used (in MPI or tsprof)", costs->unused_samples);
    struct text arming = {0};
    char each[QUANTITY_SIZE];
    if (costs->arming_s > 0 && taken > 0)
        text_addf(&arming, " (%s to arm the timer)",
                  format_quantity(each, costs->arming_s / (long double)taken, "s"));
    print_part("samples", &text, &costs->samples, text_string(&arming), costs);
    text_free(&arming);
}

static void print_functions(const struct costs *costs)
{
    struct text text = {0};
    if (costs->functions.count == 0)
        return;
    text_addf(&text, "%" PRIu64 " entered and left that are instrumented",
              costs->functions.count);
    if (costs->functions.seconds > 0) {
        print_part("functions", &text, &costs->functions, "", costs);
        return;
    }
    info_line("functions", &text);
}

static void print_markers(const struct costs *costs)
{
    struct text text = {0};
    if (!costs->markers.known)
        return;
    text_addf(&text, "%" PRIu64 " of phases and iterations", costs->markers.count);
    print_part("markers", &text, &costs->markers, "", costs);
}

static void print_saves(const struct costs *costs)
{
    struct text text = {0};
    if (costs->saves.count == 0)
        return;
    text_addf(&text, "%" PRIu64 " of what was measured so far", costs->saves.count);
    print_part("saves", &text, &costs->saves, "", costs);
}

/* "+/- 0.3 %" for a share in per cent of the computation in which SAMPLES were taken. */
static void add_resolution(struct text *text, double percent, int64_t samples)
{
    char error[QUANTITY_SIZE];
    long double points = sampling_error(100, percent, (long double)samples);
    text_addf(text, "%g %% +/- %s %%", percent, format_percent(error, points, 100));
}

static void print_resolution(const struct failures *failures)
{
    struct text text = {0};
    if (failures->samples <= 0)
        return;
    text_add(&text, "shares of the computation: ");
    add_resolution(&text, 1, failures->samples);
    text_add(&text, ", ");
    add_resolution(&text, 10, failures->samples);
    info_line("resolution", &text);
}

static void print_unwinding(const struct summary *summary, const struct failures *failures)
{
    struct text text = {0};
    char percent[QUANTITY_SIZE];
    if (failures->samples <= 0)
        return;
    text_addf(
        &text, "%" PRId64 " of %" PRId64 " samples did not reach the root: %s %%",
        failures->failed, failures->samples,
        format_percent(percent, (long double)failures->failed, (long double)failures->samples));
    for (size_t i = 0; i < failures->count && i < SHOWN_PLACES; i++) {
        text_add(&text, i ? ", " : "; they stopped at ");
        failure_add_place(&text, summary, &failures->list[i]);
        text_addf(&text, " (%" PRId64 ")", failures->list[i].samples);
    }
    if (failures->count > SHOWN_PLACES)
        text_addf(&text, " and %zu more places", failures->count - SHOWN_PLACES);
    info_line("unwinding", &text);
}

void info_cost(const struct selection *selection)
{
    struct costs costs = costs_of(selection);
    struct failures failures = failures_find(selection);
    if (!summary_is_of_trace(selection->summary)) {
        print_total(&costs);
        print_job(selection);
        print_resident(&costs, selection);
        print_calls(&costs);
        print_samples(&costs);
        print_functions(&costs);
        print_markers(&costs);
        print_saves(&costs);
    }
    print_resolution(&failures);
    print_unwinding(selection->summary, &failures);
    failures_free(&failures);
}
