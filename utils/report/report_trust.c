/* The report's statement of errors and costs.  See report.h. */
#include "accuracy/accuracy.h"
#include "report/report.h"

#include <inttypes.h>

static void add_line(struct report *report, struct text *line)
{
    text_add(&report->text, "  ");
    text_add_wrapped(&report->text, text_string(line), 2, 4, report->columns);
    text_free(line);
}

/* Says how many iterations of PHASE, of all locations together, have no profile. */
static void add_lost(struct report *report, uint32_t phase)
{
    const struct summary *summary = report->summary;
    uint64_t lost = 0, all = 0;
    struct text line = {0};
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        for (size_t n = 0; n < location->series_count; n++) {
            lost += location->series[n].phase == phase ? location->series[n].lost : 0;
            all += location->series[n].phase == phase ? location->series[n].iterations : 0;
        }
    }
    if (lost == 0)
        return;
    text_addf(&line, "%" PRIu64 " of %" PRIu64 " iterations of %s %s", lost, all,
              summary->phases[phase].name,
              summary_is_of_trace(summary)
                  ? "were not traced."
                  : "have no profile: they were too short for what that costs, or there was no "
                    "memory.");
    add_line(report, &line);
}

/* Says how many call paths of iterations did not occur there. */
static void add_phantoms(struct report *report, uint32_t phase)
{
    struct phantoms phantoms[PHANTOM_PATHS];
    struct text line = {0};
    phantoms_count(report->selection, phase, phantoms);
    if (phantoms[PHANTOMS_ALL].unknown == 0 && phantoms_add_text(phantoms, &line)) {
        text_add(&line, ".");
        add_line(report, &line);
    }
    text_free(&line);
}

/* Adds how much reconstructed iterations of a phase differ from the real ones. */
static void add_error(struct report *report, uint32_t phase)
{
    struct quality *quality = quality_create(report->selection, phase);
    struct text line = {0};
    size_t named = 0;
    if (quality->iterations == 0) {
        quality_free(quality);
        return;
    }
    text_addf(&line, "Iterations of %s are shown ", report->summary->phases[phase].name);
    if (quality->clustered == 0)
        text_add(&line, "as they were measured: each has a profile of its own.");
    else
        text_add(&line, "as the means of their clusters, which are off by ");
    for (uint32_t m = 0; m < report->summary->metric_count && quality->clustered > 0; m++) {
        char percent[QUANTITY_SIZE];
        if (!quality->judged[m])
            continue;
        text_addf(&line, "%s%s %% in %s", named++ ? ", " : "",
                  format_percent(percent, quality_error(quality, m), 1),
                  report->summary->metrics[m].name);
    }
    if (quality->clustered > 0)
        text_addf(&line, "%s%s", named && report->callpath ? " of whole iterations" : "",
                  named ? " (root mean square, of the largest iteration)."
                        : "an amount that is not known.");
    add_line(report, &line);
    if (quality->clustered > 0)
        add_phantoms(report, phase);
    add_lost(report, phase);
    quality_free(quality);
}

static void add_part(struct text *line, size_t *named, const char *what,
                     const struct cost_part *part, const struct costs *costs)
{
    char percent[QUANTITY_SIZE];
    if (!part->known || part->count == 0)
        return;
    text_addf(line, "%s%" PRIu64 " %s %s %%", (*named)++ ? ", " : ": ", part->count, what,
              format_percent(percent, part->seconds, costs->wall_s));
}

static void add_cost(struct report *report)
{
    struct costs costs = costs_of(report->selection);
    struct text line = {0};
    char shown[QUANTITY_SIZE];
    size_t named = 0;
    if (costs.wall_s <= 0)
        return;
    text_addf(&line, "Measuring took %s %% of the run",
              format_percent(shown, costs.overhead_s, costs.wall_s));
    add_part(&line, &named, "MPI calls", &costs.calls, &costs);
    add_part(&line, &named, "samples", &costs.samples, &costs);
    add_part(&line, &named, "markers", &costs.markers, &costs);
    add_part(&line, &named, "saves", &costs.saves, &costs);
    text_addf(&line, "; and %s of memory per process.",
              format_quantity(shown, (long double)costs.memory_bytes, "bytes"));
    add_line(report, &line);
}

static void add_job_cost(struct report *report)
{
    const struct job_cost cost = job_cost_of(report->selection);
    struct text line = {0};
    char percent[QUANTITY_SIZE];
    if (!cost.known)
        return;
    text_addf(&line, "It made the job take an estimated %s %% longer, since ",
              format_percent(percent, cost.share, 1));
    job_cost_add_reason(&line, report->summary, &cost);
    text_add(&line, ".");
    add_line(report, &line);
}

void report_trust(struct report *report)
{
    size_t before = report->text.length;
    report_title(report, "Errors and costs");
    text_add(&report->text, "\n");
    size_t begun = report->text.length;
    for (uint32_t p = 0; p < report->summary->phase_count; p++)
        if (report->selection->phases[p])
            add_error(report, p);
    if (!report->summary->derived && !report->callpath &&
        !summary_is_of_trace(report->summary)) {
        add_cost(report);
        add_job_cost(report);
    }
    if (report->text.length == begun)
        text_cut(&report->text, before);
}
