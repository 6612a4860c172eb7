/* The report's list of what stands out.  See report.h. */
#include "findings/findings.h"
#include "report/report.h"

#include <string.h>

#define LISTED      8 /* findings by default */
#define INDENT      4
#define PATH_LINES  2      /* that a call path may take, about */
#define LEAST_SHARE 0.0005 /* least share that could be gained without --top */
/*
 * Findings end in this line, so that the graph ends in line 40 at most: between are the line
 * that says how many are left, an empty one, the heading, two each for where iterations are
 * from and what they are worth, and eleven of the graph.
 */
#define LAST_LINE   22
#define LEAST_ABOVE 3 /* findings that are above the graph in any case */

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
    if (ranked_is_alike(ranking, place))
        return false;
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

/* Adds in how many other call paths it is the same; with --top they are listed.  Returns how
 * many. */
static size_t add_alike(struct report *report, const struct ranking *ranking, size_t place)
{
    double gain;
    char shown[QUANTITY_SIZE];
    const size_t count = report->top ? 0 : ranked_count_alike(ranking, place, &gain);
    if (count == 0)
        return 0;
    text_addf(&report->text, "    and in %zu more call path%s", count, count == 1 ? "" : "s");
    if (gain > 0)
        text_addf(&report->text, ": %s", format_quantity(shown, gain, "s"));
    text_add(&report->text, "\n");
    return count;
}

/* PHASES: in so many there may be findings.  Returns how many it stands for. */
static size_t add_finding(struct report *report, const struct ranking *ranking, size_t place,
                          size_t phases)
{
    const struct ranked *ranked = &ranking->list[place];
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
    return 1 + add_alike(report, ranking, place);
}

/* Whether a graph of iterations follows. */
static bool has_iterations(const struct report *report)
{
    for (uint32_t p = 0; p < report->summary->phase_count; p++)
        if (report->selection->phases[p] && selection_iterations(report->selection, p) > 0)
            return true;
    return false;
}

static size_t count_lines(const struct text *text)
{
    size_t lines = 0;
    for (const char *at = text_string(text); (at = strchr(at, '\n')); at++)
        lines++;
    return lines;
}

/* Adds ONE, the text of a finding after ABOVE others, above the iterations or below them. */
static bool place_finding(struct report *report, const struct text *one, size_t above)
{
    const bool fits = report->top || above < LEAST_ABOVE || !has_iterations(report) ||
                      (report->later.length == 0 &&
                       count_lines(&report->text) + count_lines(one) <= LAST_LINE);
    text_add(fits ? &report->text : &report->later, text_string(one));
    return fits;
}

/* Says how many findings are not above the iterations: BELOW them, or LEFT out. */
static void add_rest(struct report *report, size_t below, size_t left, size_t all)
{
    if (below > 0)
        text_addf(&report->text, "    %zu more below the iterations", below);
    if (left > 0)
        text_addf(&report->text, "%s%zu more, with smaller effects; --top %zu shows them",
                  below > 0 ? ", " : "    and ", left, all);
    text_add(&report->text, below > 0 || left > 0 ? "\n" : "");
}

static void add_ranking(struct report *report, const struct ranking *ranking, size_t phases)
{
    size_t shown = 0, above = 0, told = 0;
    for (size_t i = 0; i < ranking->count; i++)
        if (is_shown(report, ranking, i, shown)) {
            const struct text before = report->text;
            report->text = (struct text){0};
            told += add_finding(report, ranking, i, phases);
            struct text one = report->text;
            report->text = before;
            above += place_finding(report, &one, above);
            text_free(&one);
            shown++;
        }
    if (phases > 0 && ranking->in_iterations == 0)
        text_addf(&report->text, "  %s beyond the usual variation between iterations.\n",
                  ranking->count ? "In the iterations nothing" : "Nothing");
    add_rest(report, shown - above, ranking->count - told, ranking->count);
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

void report_more_findings(struct report *report)
{
    if (report->later.length > 0) {
        report_title(report, "What stands out, too");
        text_add(&report->text, "\n");
        text_add(&report->text, text_string(&report->later));
    }
    text_free(&report->later);
}

void report_write_findings(const struct report *report, FILE *stream)
{
    struct ranking *ranking = make_ranking(report);
    ranking_write_json(ranking, stream);
    putc('\n', stream);
    ranking_free(ranking);
}
