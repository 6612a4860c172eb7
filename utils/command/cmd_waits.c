/* tsprof waits: why ranks wait, from a trace. */
#include "command/command.h"

#include "file/file.h"
#include "predict/predict.h"
#include "print/print.h"
#include "waits/waits.h"

enum { TIMEOUT_S = 10 };

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

/* Writes what was found, or the summary of the run with that in it. */
static bool write_found(const struct options *options, const struct summary *waits)
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

int cmd_waits(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct error error;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (!options.output) {
        complain("waits: -o OUT is missing; see tsprof waits --help");
        return EXIT_USAGE;
    }
    struct waits_search search = {.patterns = options.patterns,
                                  .pattern_count = options.pattern_count,
                                  .timeout_s = options.timeout_s ? (unsigned)options.timeout_s
                                                                 : TIMEOUT_S,
                                  .threads = (unsigned)options.threads_used,
                                  .master = options.master,
                                  .master_given = options.master_given};
    struct summary *summary = waits_find(options.file, &search, &gains_listener, &error);
    bool good = summary != NULL && error.text[0] == '\0';
    /* What could be read is written all the same. */
    if (!good)
        complain("%s", error.text);
    good = good && search.left_out == 0;
    if (summary && !write_found(&options, summary))
        good = false;
    summary_free(summary);
    return good ? EXIT_DONE : EXIT_DATA;
}
