/* tsprof score: what instrumenting functions costs, and a filter that makes it cheap. */
#include "command/command.h"
#include "command/open_subject.h"

#include "parts/parts.h"
#include "print/print.h"
#include "score/score.h"

#include <string.h>

#define USUAL_SHARE 0.01
#define USUAL_TOP   20

enum notation { NOTATION_TEXT, NOTATION_CSV, NOTATION_JSON, NOTATIONS };

static enum notation choose_notation(const char *name)
{
    static const char *const names[NOTATIONS] = {"text", "csv", "json"};
    enum notation notation = NOTATION_TEXT;
    while (name && notation < NOTATIONS && strcmp(name, names[notation]) != 0)
        notation++;
    if (notation == NOTATIONS)
        complain("score: there is no format \"%s\"; --format takes text, csv or json", name);
    return notation;
}

static double share_of(const struct options *options)
{
    return options->share > 0 ? options->share : USUAL_SHARE;
}

/* Whether there can be a filter. */
static bool has_filter(const struct score *score, const struct options *options,
                       struct error *error)
{
    const char *path = score->summary->path;
    if (score->instrumented == 0)
        return error_set(error, "%s: no function is instrumented, so there is none to hide",
                         path);
    if (!score->reached && score->impossible)
        return error_set(error,
                         "%s: no filter can be chosen: at %g ns for each visit its "
                         "instrumented functions would have taken longer than it ran",
                         path, score->visit_ns);
    return score->reached || error_set(error,
                                       "%s: no filter brings the cost of its instrumented "
                                       "functions below %g %%",
                                       path, 100 * share_of(options));
}

static bool write_filter(const struct score *score, const struct options *options,
                         struct error *error)
{
    struct output_file output;
    if (!options->output)
        return true;
    if (!has_filter(score, options, error))
        return false;
    if (options->force)
        output_make_way(options->output, score->summary->path);
    if (!output_open(&output, options->output, score->summary->path, error))
        return false;
    score_write_filter(score, share_of(options), output.stream);
    return output_close(&output, error);
}

static bool print_score(const struct score *score, const struct options *options,
                        enum notation notation, bool written, struct error *error)
{
    struct output_file output;
    if (!output_open(&output, NULL, score->summary->path, error))
        return false;
    if (notation == NOTATION_TEXT)
        score_write_text(score, share_of(options), written ? options->output : NULL,
                         options->top ? (size_t)options->top : USUAL_TOP, terminal_columns(),
                         output.stream);
    else
        score_write_table(score, notation == NOTATION_CSV ? TABLE_CSV : TABLE_JSON,
                          output.stream);
    return output_close(&output, error);
}

/* What there is to say is said also where no filter can be written. */
static int score_for(const struct summary *summary, const struct options *options,
                     enum notation notation)
{
    struct error error, other;
    struct score *score = score_make(summary, options->cost_ns, &error);
    if (!score) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    score_choose(score, share_of(options));
    const bool written = write_filter(score, options, &error);
    const bool printed =
        print_score(score, options, notation, written && options->output, &other);
    if (!written)
        complain("%s", error.text);
    else if (!printed)
        complain("%s", other.text);
    score_free(score);
    return written && printed ? EXIT_DONE : EXIT_DATA;
}

int cmd_score(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct subject subject;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    const enum notation notation = choose_notation(options.format);
    if (notation == NOTATIONS)
        return EXIT_USAGE;
    if (!open_subject(&subject, &options))
        return EXIT_DATA;
    int status = score_for(subject.summary, &options, notation);
    subject_close(&subject);
    return status;
}
