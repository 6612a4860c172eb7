/* See write_waits.h. */
#include "command/write_waits.h"

#include "print/print.h"
#include "waits/waits.h"

/* WAITS in the summary of the whole run that PATH names; NULL, and ERROR, on failure. */
static struct summary *joined(const char *path, const struct summary *waits,
                              struct error *error)
{
    struct summary *run = summary_read(path, error);
    if (run && !join_waits(run, waits, error)) {
        summary_free(run);
        run = NULL;
    }
    return run;
}

static bool write_summary(const struct options *options, const struct summary *summary)
{
    struct error error;
    if (options->force)
        output_make_way(options->output, output_is(options->output, options->with)
                                             ? options->with
                                             : options->file);
    if (summary_create(summary, options->output, &error))
        return true;
    complain("%s", error.text);
    return false;
}

bool write_waits(const struct options *options, const struct summary *waits)
{
    struct error error;
    if (!options->with)
        return write_summary(options, waits);
    struct summary *run = joined(options->with, waits, &error);
    const bool good = run && write_summary(options, run);
    if (!run)
        complain("%s", error.text);
    summary_free(run);
    return good;
}
