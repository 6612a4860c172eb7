/*
 * `tsprof info`: the loops that were found where there are no markers, those that are shown as
 * iterations and those that could be, each as TSPROF_ITERATION takes it.  For the first
 * location that shows any, or else knows of any.
 */
#include "file/file.h"
#include "info/info.h"
#include "query/query.h"

static void print_loop(const struct summary *summary, const struct found_loops *found,
                       unsigned number, const char *label)
{
    const struct found_loop *loop = &found->loops[number];
    struct text text = {0};
    found_loop_add_passes(loop, &text);
    text_add(&text, ", ");
    if (loop->phase > 0 && loop->phase <= summary->phase_count)
        text_addf(&text, "shown as \"%s\", ", summary->phases[loop->phase - 1].name);
    found_loop_add_border(summary, loop, &text);
    found_loop_add_share(found->location, loop, &text);
    const size_t length = text.length;
    text_add(&text, ":");
    found_loop_add_iterations(summary, loop, &text);
    text_add(&text, " ");
    if (!found_loop_add_setting(summary, found, number, &text))
        text_cut(&text, length);
    info_line(label, &text);
}

void info_loops(const struct selection *selection)
{
    const struct summary *summary = selection->summary;
    const struct found_loops found = found_loops_read(summary);
    const char *slices = summary_fact(summary, "slices");
    for (unsigned i = 0; i < found.count; i++)
        print_loop(summary, &found, i, i ? "" : "loops");
    if (slices) {
        struct text text = {0};
        text_add(&text, slices);
        info_line("slices", &text);
    }
}
