/* What the report says of iterations that the program does not mark itself.  See report.h. */
#include "common/iteration_spec.h"
#include "file/file.h"
#include "query/query.h"
#include "report/report.h"

#include <string.h>

#define OFFERED 3 /* other loops, at most */

static void add_line(struct report *report, struct text *line)
{
    text_add_wrapped(&report->text, text_string(line), 0, 2, report->columns);
    text_free(line);
}

/* In one line of its own, however long, so that it can be copied. */
static void add_copied(struct report *report, struct text *text)
{
    if (text->length > 0) {
        text_add(&report->text, "    ");
        text_add_escaped(&report->text, text_string(text));
        text_add(&report->text, "\n");
    }
    text_free(text);
}

/* The other loops that take most time. */
static void add_offers(struct report *report, const struct found_loops *found)
{
    bool offered[FOUND_LOOPS_MOST] = {false};
    for (unsigned n = 0; n < OFFERED; n++) {
        const struct found_loop *best = NULL;
        for (unsigned i = 0; i < found->count; i++)
            if (found->loops[i].phase == 0 && !offered[i] &&
                (!best || found->loops[i].time_ns > best->time_ns))
                best = &found->loops[i];
        if (!best)
            return;
        offered[best - found->loops] = true;
        struct text line = {0}, setting = {0};
        text_add(&line, "another loop: ");
        found_loop_add_passes(best, &line);
        found_loop_add_share(found->location, best, &line);
        const bool has_setting = found_loop_add_setting(
            report->summary, found, (unsigned)(best - found->loops), &setting);
        text_add(&line, has_setting ? ":" : "");
        if (has_setting)
            found_loop_add_iterations(report->summary, best, &line);
        add_line(report, &line);
        add_copied(report, &setting);
    }
}

/* Whether no loop is shown as a phase before PHASE. */
static bool is_first(const struct found_loops *found, uint32_t phase)
{
    for (unsigned i = 0; i < found->count; i++)
        if (found->loops[i].phase > 0 && found->loops[i].phase <= phase)
            return false;
    return true;
}

static bool add_found(struct report *report, uint32_t phase)
{
    const struct found_loops found = found_loops_of(report->summary, phase);
    struct text line = {0};
    for (unsigned i = 0; i < found.count; i++) {
        if (found.loops[i].phase != phase + UINT64_C(1))
            continue;
        text_add(&line, "found by tsprof: ");
        found_loop_add_border(report->summary, &found.loops[i], &line);
        found_loop_add_share(found.location, &found.loops[i], &line);
        add_line(report, &line);
        return true;
    }
    return false;
}

bool report_are_slices(const struct report *report, uint32_t phase)
{
    return summary_fact(report->summary, "slices") &&
           strcmp(report->summary->phases[phase].name, "time slices") == 0;
}

static bool add_slices(struct report *report, uint32_t phase)
{
    const char *slices = summary_fact(report->summary, "slices");
    struct text line = {0};
    if (!report_are_slices(report, phase))
        return false;
    text_addf(&line, "%s: TSPROF_ITERATION can name others (doc/iterations.md)", slices);
    add_line(report, &line);
    return true;
}

static void add_named(struct report *report, uint32_t phase)
{
    const char *setting = summary_fact(report->summary, "setting.ITERATION");
    struct iteration_spec spec;
    if (!setting || !iteration_spec_read(setting, &spec))
        return;
    for (size_t i = 0; i < spec.count; i++) {
        char name[ITERATION_NAME_BYTES];
        struct text line = {0};
        iteration_item_name(&spec.items[i], name);
        if (strcmp(name, report->summary->phases[phase].name) != 0)
            continue;
        text_addf(&line, "named by TSPROF_ITERATION=%s", setting);
        add_line(report, &line);
        return;
    }
}

void report_other_loops(struct report *report, uint32_t phase)
{
    if (report_are_slices(report, phase)) {
        const struct found_loops found = found_loops_read(report->summary);
        add_offers(report, &found);
        return;
    }
    const struct found_loops found = found_loops_of(report->summary, phase);
    for (unsigned i = 0; i < found.count; i++)
        if (found.loops[i].phase == phase + UINT64_C(1) && is_first(&found, phase))
            add_offers(report, &found);
}

void report_origin(struct report *report, uint32_t phase)
{
    if (!add_found(report, phase) && !add_slices(report, phase))
        add_named(report, phase);
}
