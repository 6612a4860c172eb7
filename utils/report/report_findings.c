/* The report's list of what stands out.  See report.h. */
#include "findings/findings.h"
#include "report/report.h"

#define LISTED      8 /* findings by default */
#define INDENT      4
#define PATH_LINES  2      /* that a call path may take, about */
#define LEAST_SHARE 0.0005 /* least share of the iterations without --top */

/* Adds where PATH was called from, if a sentence that names its last function does not say it.
 */
static void add_path(struct report *report, uint32_t path)
{
    if (path == SUMMARY_NONE || path == 0)
        return;
    uint32_t parent = report->tree->paths[path].parent;
    if (parent == 0 || path_region(report->tree, path)->kind == REGION_PHASE)
        return;
    text_add_repeated(&report->text, " ", INDENT);
    text_add(&report->text, "in ");
    report_add_frames(report, parent, INDENT + 3, PATH_LINES);
}

/* How many selected phases have enough selected iterations to look for findings in. */
static size_t count_phases(const struct report *report)
{
    size_t count = 0;
    for (uint32_t p = 0; p < report->summary->phase_count; p++)
        count += report->selection->phases[p] && findings_possible(report->selection, p);
    return count;
}

/* How many findings about iterations to show: as --top says, or those that are large enough. */
static size_t count_shown(const struct report *report, const struct findings *findings,
                          size_t before)
{
    const size_t most = report->top ? report->top - before : LISTED;
    size_t count = 0;
    while (count < findings->count && count < most &&
           (report->top || count == 0 || findings->list[count].share >= LEAST_SHARE))
        count++;
    return count;
}

static void add_sentence(struct report *report, const char *sentence)
{
    text_add(&report->text, "  ");
    style_add(&report->text, report->palette, STYLE_ATTENTION, "• ");
    text_add_wrapped(&report->text, sentence, INDENT, INDENT, report->columns);
}

/* Adds what it would be worth to take it away, where a prediction says so. */
static void add_gain(struct report *report, const struct gain *gain)
{
    struct text line = {0};
    if (!gain)
        return;
    text_add(&line, "What if: ");
    gain_add_text(gain, &line);
    text_add_repeated(&report->text, " ", INDENT);
    text_add_wrapped(&report->text, text_string(&line), INDENT, INDENT + 3, report->columns);
    text_free(&line);
}

static void add_finding(struct report *report, const struct finding *finding,
                        const struct gains *gains, bool named)
{
    struct text sentence = {0};
    if (named)
        text_addf(&sentence, "%s: ", report->summary->phases[finding->phase].name);
    text_add(&sentence, finding->sentence);
    add_sentence(report, text_string(&sentence));
    text_free(&sentence);
    add_path(report,
             finding->cause.metric == SUMMARY_NONE ? SUMMARY_NONE : finding->cause.path);
    add_gain(report, gains_of_finding(gains, finding));
}

/*
 * Adds what stands out in all that the report is about, as far as --top allows; returns how
 * much was added.
 */
static size_t add_run_findings(struct report *report, const struct gains *gains)
{
    struct run_findings found = {.count = 0};
    const struct thresholds usual = thresholds_default();
    if (report->is_time && !report->callpath)
        found = run_findings_find(&report->scope, report->tree,
                                  report->thresholds ? report->thresholds : &usual);
    const size_t count = report->top && report->top < found.count ? report->top : found.count;
    for (size_t i = 0; i < count; i++) {
        add_sentence(report, found.list[i].sentence);
        add_path(report, found.list[i].path);
        add_gain(report, gains_of_run_finding(gains, &found.list[i]));
    }
    run_findings_free(&found);
    return count;
}

/* Adds what stands out in iterations; so many findings about the whole come BEFORE. */
static void add_findings(struct report *report, const struct gains *gains, size_t phases,
                         size_t before)
{
    struct findings *findings = findings_find(report->selection, report->tree, report->metric);
    const size_t shown = count_shown(report, findings, before);
    if (findings->count == 0)
        text_addf(&report->text, "  %s beyond the usual variation between iterations.\n",
                  before ? "In the iterations nothing" : "Nothing");
    for (size_t i = 0; i < shown; i++)
        add_finding(report, &findings->list[i], gains, phases > 1);
    if (findings->count > shown)
        text_addf(&report->text,
                  "    and %zu more, with smaller effects; --top %zu shows them\n",
                  findings->count - shown, findings->count + before);
    findings_free(findings);
}

void report_findings(struct report *report)
{
    const size_t start = report->text.length, phases = count_phases(report);
    report_title(report, "What stands out");
    text_add(&report->text, "\n");
    struct gains gains = gains_read(report->tree);
    const size_t before = add_run_findings(report, &gains);
    if (phases > 0)
        add_findings(report, &gains, phases, before);
    else if (before == 0)
        text_cut(&report->text, start);
    gains_free(&gains);
}
