/* tsprof whatif: the predicted time of a run if something about it were different. */
#include "command/command.h"

#include "predict/predict.h"
#include "print/print.h"

#include <string.h>

#define USUAL_ROWS 10

/* Prints the answer as a whole, or nothing but a message. */
static int print(const struct prediction *prediction)
{
    struct output_file output;
    struct error error = {""};
    if (!output_open(&output, NULL, prediction->path, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    int status = predict(prediction, output.stream, &error);
    if (status != EXIT_DONE) {
        complain("%s%s%s", status == EXIT_USAGE ? "whatif: " : "", error.text,
                 status == EXIT_USAGE ? "; see tsprof whatif --help" : "");
        output_discard(&output);
    } else if (!output_close(&output, &error)) {
        complain("%s", error.text);
        status = EXIT_DATA;
    }
    return status;
}

int cmd_whatif(const struct command *command, int argc, char **argv)
{
    struct options options;
    enum options_result result = options_parse_list(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    const bool is_json = options.format && strcmp(options.format, "json") == 0;
    if (options.format && !is_json && strcmp(options.format, "text") != 0) {
        complain("whatif: there is no format \"%s\"; --format takes text or json",
                 options.format);
        return EXIT_USAGE;
    }
    return print(&(struct prediction){.path = options.files[0],
                                      .words = options.files + 1,
                                      .word_count = options.file_count - 1,
                                      .network_file = options.network,
                                      .trace = options.output,
                                      .replaces = options.force,
                                      .is_json = is_json,
                                      .top = options.top ? options.top : USUAL_ROWS});
}
