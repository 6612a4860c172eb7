/* The report's list of what stands out.  See report.h. */
#include "findings/findings.h"
#include "report/report.h"

#define LISTED      8 /* findings by default */
#define INDENT      4
#define PATH_LINES  2      /* that a call path may take, about */
#define LEAST_SHARE 0.0005 /* least share that could be gained without --top */

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
    report_add_frames(report, parent, SUMMARY_NONE, INDENT + 3, PATH_LINES);
}

/* How many selected phases have enough selected iterations to look for findings in. */
static size_t count_phases(const struct report *report)
{
    size_t count = 0;
    for (uint32_t p = 0; p < report->summary->phase_count; p++)
        count += report->selection->phases[p] && findings_possible(report->selection, p);
    return count;
}

/*
 * Whether to show the finding at PLACE, of which there are SHOWN before it: as --top says, or
 * all that are about the whole run and some of the others that are large enough; one at least.
 */
static bool is_shown(const struct report *report, const struct ranking *ranking, size_t place,
                     size_t shown)
{
    const struct ranked *ranked = &ranking->list[place];
    if (report->top)
        return shown < report->top;
    return place == 0 || ranked->run ||
           (shown < LISTED && ranked_share(ranking, ranked) >= LEAST_SHARE);
}

/* Adds what it would be worth to take it away, where a prediction says so. */
static void add_prediction(struct report *report, const struct gain *gain)
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

/* PHASES: in so many there may be findings. */
static void add_finding(struct report *report, const struct ranking *ranking,
                        const struct ranked *ranked, size_t phases)
{
    struct text sentence = {0};
    if (ranked->finding && phases > 1)
        text_addf(&sentence, "%s: ", report->summary->phases[ranked->finding->phase].name);
    text_add(&sentence, ranked_sentence(ranked));
    text_add(&report->text, "  ");
    style_add(&report->text, report->palette, STYLE_ATTENTION, "• ");
    text_add_wrapped(&report->text, text_string(&sentence), INDENT, INDENT, report->columns);
    text_free(&sentence);
    add_path(report, ranked_path(ranked));
    add_prediction(report, ranked_prediction(ranking, ranked));
}

static void add_ranking(struct report *report, const struct ranking *ranking, size_t phases)
{
    size_t shown = 0;
    for (size_t i = 0; i < ranking->count; i++)
        if (is_shown(report, ranking, i, shown)) {
            add_finding(report, ranking, &ranking->list[i], phases);
            shown++;
        }
    if (phases > 0 && ranking->in_iterations == 0)
        text_addf(&report->text, "  %s beyond the usual variation between iterations.\n",
                  ranking->count ? "In the iterations nothing" : "Nothing");
    if (ranking->count > shown)
        text_addf(&report->text,
                  "    and %zu more, with smaller effects; --top %zu shows them\n",
                  ranking->count - shown, ranking->count);
}

static struct ranking *make_ranking(const struct report *report)
{
    const struct thresholds usual = thresholds_default();
    return ranking_make(&report->scope, report->tree, report->metric, !report->callpath,
                        report->thresholds ? report->thresholds : &usual);
}

void report_findings(struct report *report)
{
    const size_t phases = count_phases(report);
    struct ranking *ranking = make_ranking(report);
    if (phases > 0 || ranking->count > 0) {
        report_title(report, "What stands out");
        text_add(&report->text, "\n");
        add_ranking(report, ranking, phases);
    }
    ranking_free(ranking);
}

void report_write_findings(const struct report *report, FILE *stream)
{
    struct ranking *ranking = make_ranking(report);
    ranking_write_json(ranking, stream);
    putc('\n', stream);
    ranking_free(ranking);
}
