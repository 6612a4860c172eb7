/* See trace_bounds.h. */
#include "predict/trace_bounds.h"

#include "predict/chosen.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    char *made = allocate(strlen(text) + 1, 1);
    memcpy(made, text, strlen(text));
    return made;
}

/* Threads with no part in it do not count. */
static bool add_row(struct study *study, const bool *paths, char *name,
                    struct whatif_breakdown *parts, struct bounds *bounds)
{
    const size_t threads = study->trace->thread_count;
    bool any = false;
    whatif_break_down(study->whatif, paths, parts);
    for (size_t i = 0; i < threads; i++) {
        any |= parts[i].computation_ns + parts[i].transfer_ns + parts[i].wait_ns > 0;
        bounds->has_bytes |= parts[i].bytes > 0;
    }
    if (any)
        bounds_add(bounds, name, parts, threads);
    else
        free(name);
    return any;
}

/* The paths that are meant, in INSTANCE or what lies in it. */
static void add_iteration(struct study *study, uint32_t instance, bool *paths,
                          struct whatif_breakdown *parts, struct bounds *bounds)
{
    struct text name = {0};
    for (size_t i = 0; i < study->result.path_count; i++) {
        uint32_t at = study->result.paths[i].instance;
        while (at < study->instance_count && at != instance)
            at = study->outer[at];
        paths[i] = study->paths[i] && at == instance;
    }
    study_add_iteration(study, instance, &name);
    add_row(study, paths, copy(text_string(&name)), parts, bounds);
    text_free(&name);
}

bool trace_bounds(struct study *study, const struct question *question, struct bounds *bounds,
                  struct error *error)
{
    *bounds = (struct bounds){.has_waits = true};
    if (!chosen_places(study, question->where, true, error))
        return false;
    bool *paths = allocate(study->result.path_count + 1, sizeof *paths);
    struct whatif_breakdown *parts = allocate(study->trace->thread_count + 1, sizeof *parts);
    const bool any = add_row(study, study->paths, copy(question->where), parts, bounds);
    for (uint32_t i = 0; any && i < study->instance_count; i++)
        add_iteration(study, i, paths, parts, bounds);
    free(paths);
    free(parts);
    return any || error_set(error, "%s: takes no time in the trace", question->where);
}
