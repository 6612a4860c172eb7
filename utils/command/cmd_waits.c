/* tsprof waits: why ranks wait, from a trace. */
#include "command/command.h"
#include "command/write_waits.h"

#include "predict/predict.h"
#include "print/print.h"
#include "waits/waits.h"

enum { TIMEOUT_S = 10 };

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
    if (summary && !write_waits(&options, summary))
        good = false;
    summary_free(summary);
    return good ? EXIT_DONE : EXIT_DATA;
}
