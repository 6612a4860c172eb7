/* In place of the reader where OTF2 was not there when the command was built. */
#include "archive/trace.h"

struct trace *trace_open(const char *path, struct error *error)
{
    error_set(error, "%s: this tsprof was built without OTF2 and cannot read traces", path);
    return NULL;
}

void trace_close(struct trace *trace)
{
    (void)trace;
}

bool trace_read(struct trace *trace, trace_visitor *visit, void *context, struct error *error)
{
    (void)visit, (void)context;
    return error_set(error, "%s: cannot be read", trace->path);
}

bool trace_write_moved(const struct trace *trace, const char *path, bool replaces,
                       trace_mover *move, void *context, struct error *error)
{
    (void)path, (void)replaces, (void)move, (void)context;
    return error_set(error, "%s: cannot be read", trace->path);
}
