/* The report's list of what stands out.  See report.h. */
#include "findings/findings.h"
#include "report/report.h"

#define LISTED      8 /* findings by default */
#define INDENT      4
#define PATH_LINES  2      /* that a call path may take, about */
#define LEAST_SHARE 0.0005 /* least share of the iterations without --top */

/* Adds the call path of the cause, if it has more than the sentence says. */
static void add_path(struct report *report, const struct finding_cause *cause)
{
    if (cause->metric == SUMMARY_NONE || cause->path == 0)
        return;
    uint32_t parent = report->tree->paths[cause->path].parent;
    if (parent == 0 || path_region(report->tree, cause->path)->kind == REGION_PHASE)
        return;
    struct text whole = {0}, shown = {0};
    path_add_text(report->tree, parent, " > ", &whole);
    text_add_shortened(&shown, text_string(&whole),
                       PATH_LINES * (report->columns - INDENT - 3));
    text_add_repeated(&report->text, " ", INDENT);
    text_add(&report->text, "in ");
    text_add_wrapped(&report->text, text_string(&shown), INDENT + 3, INDENT + 3,
                     report->columns);
    text_free(&whole);
    text_free(&shown);
}

static void add_finding(struct report *report, const struct finding *finding, bool named)
{
    struct text sentence = {0};
    if (named)
        text_addf(&sentence, "%s: ", report->summary->phases[finding->phase].name);
    text_add(&sentence, finding->sentence);
    text_add(&report->text, "  ");
    style_add(&report->text, report->palette, STYLE_ATTENTION, "• ");
    text_add_wrapped(&report->text, text_string(&sentence), INDENT, INDENT, report->columns);
    text_free(&sentence);
    add_path(report, &finding->cause);
}

/* How many selected phases have enough selected iterations to look for findings in. */
static size_t count_phases(const struct report *report)
{
    size_t count = 0;
    for (uint32_t p = 0; p < report->summary->phase_count; p++)
        count += report->selection->phases[p] && findings_possible(report->selection, p);
    return count;
}

/* How many findings to show: as --top says, otherwise those that are large enough. */
static size_t count_shown(const struct report *report, const struct findings *findings)
{
    size_t most = report->top ? report->top : LISTED, count = 0;
    while (count < findings->count && count < most &&
           (report->top || count == 0 || findings->list[count].share >= LEAST_SHARE))
        count++;
    return count;
}

void report_findings(struct report *report)
{
    size_t phases = count_phases(report);
    if (phases == 0)
        return;
    struct findings *findings = findings_find(report->selection, report->tree, report->metric);
    report_title(report, "What stands out");
    text_add(&report->text, "\n");
    size_t shown = count_shown(report, findings);
    if (findings->count == 0)
        text_add(&report->text, "  Nothing beyond the usual variation between iterations.\n");
    for (size_t i = 0; i < shown; i++)
        add_finding(report, &findings->list[i], phases > 1);
    if (findings->count > shown)
        text_addf(&report->text,
                  "    and %zu more, with smaller effects; --top %zu shows them\n",
                  findings->count - shown, findings->count);
    findings_free(findings);
}
