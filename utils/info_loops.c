/*
 * `tsprof info`: the loops that were found where there are no markers, those that are shown as
 * iterations and those that could be, each as TSPROF_ITERATION takes it.  For the first
 * location that knows of any.
 */
#include "info.h"

#include <stdio.h>

enum { LOOPS_SHOWN = 12 };

/* One found loop; see "loop.N.*" in doc/format.md. */
struct loop_facts {
    uint64_t border, phase, passes, time_ns, around, certain;
};

static bool read_loop(const struct location *location, unsigned number, struct loop_facts *loop)
{
    const struct {
        const char *name;
        uint64_t *value;
    } facts[] = {
        {"border", &loop->border},   {"phase", &loop->phase},   {"passes", &loop->passes},
        {"time_ns", &loop->time_ns}, {"around", &loop->around}, {"certain", &loop->certain},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        char key[64];
        snprintf(key, sizeof key, "loop.%u.%s", number, facts[i].name);
        if (!location_find_cost(location, key, facts[i].value))
            return false;
    }
    return true;
}

static const struct region_entry *region_of(const struct summary *summary, uint64_t node)
{
    return &summary->regions[summary->nodes[node].region];
}

static void print_loop(const struct summary *summary, const struct location *location,
                       const struct loop_facts *loop, const char *label)
{
    struct text text = {0};
    const struct call_node *node = &summary->nodes[loop->border];
    const struct region_entry *call = region_of(summary, loop->border);
    text_addf(&text, "%llu passes", (unsigned long long)loop->passes);
    if (loop->phase > 0 && loop->phase <= summary->phase_count)
        text_addf(&text, ", shown as \"%s\"", summary->phases[loop->phase - 1].name);
    text_addf(&text, ", border before %s", call->name);
    if (node->parent != SUMMARY_NONE) {
        const struct region_entry *caller = region_of(summary, node->parent);
        text_addf(&text, " in %s", caller->name);
        if (node->line && caller->file && *caller->file)
            text_addf(&text, " at %s:%llu", caller->file, (unsigned long long)node->line);
    }
    if (location->wall_ns > 0)
        text_addf(&text, ", %.0f %% of the time%s",
                  100.0 * (double)loop->time_ns / (double)location->wall_ns,
                  loop->certain ? "" : ", not certain");
    text_addf(&text, ": TSPROF_ITERATION=call:%s", call->name);
    if (node->parent != SUMMARY_NONE) {
        text_addf(&text, "@%s", region_of(summary, node->parent)->name);
        if (node->line)
            text_addf(&text, ":%llu", (unsigned long long)node->line);
    }
    info_line(label, &text);
}

void info_loops(const struct selection *selection)
{
    const struct summary *summary = selection->summary;
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        struct loop_facts loop;
        unsigned number = 0;
        for (; number < LOOPS_SHOWN && read_loop(location, number, &loop); number++)
            if (loop.border < summary->node_count)
                print_loop(summary, location, &loop, number ? "" : "loops");
        if (number > 0)
            return;
    }
}
