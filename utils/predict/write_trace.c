/* See write_trace.h. */
#include "predict/write_trace.h"

struct moving {
    const struct study *study;
    const struct whatif_changes *changes;
    uint32_t thread; /* whose times are moved */
    size_t cursor;
};

static uint64_t move(void *context, uint32_t thread, uint64_t ns)
{
    struct moving *moving = context;
    if (thread != moving->thread)
        moving->cursor = 0;
    moving->thread = thread;
    return whatif_moved(moving->study->whatif, moving->changes, thread, ns, &moving->cursor);
}

bool write_trace(const struct study *study, const struct whatif_changes *changes,
                 const char *path, bool replaces, struct error *error)
{
    struct moving moving = {study, changes, TRACE_NONE, 0};
    return trace_write_moved(study->trace, path, replaces, move, &moving, error);
}
