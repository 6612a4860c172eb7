/* tsprof diff, mean and join: calculating with summaries (derive.h). */
#include "command/command.h"

#include "algebra/algebra.h"
#include "file/file.h"
#include "print/print.h"

/* Whether PATH is one of the summaries that are read. */
static bool is_operand(const char *path, const struct options *options)
{
    if (output_is(path, options->file) || output_is(path, options->second_file) ||
        output_is(path, options->minus))
        return true;
    for (size_t i = 0; i < options->file_count; i++)
        if (output_is(path, options->files[i]))
            return true;
    return false;
}

static int write_result(struct operands *operands, enum derivation derivation,
                        const struct options *options)
{
    struct error error;
    if (options->force && !is_operand(options->output, options))
        output_make_way(options->output, NULL);
    if (summary_create(derive(operands, derivation), options->output, &error))
        return EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}

static int print_result(const struct operands *operands, enum derivation derivation,
                        const struct options *options)
{
    struct output_file output;
    struct error error;
    struct text text = {0};
    output_open(&output, NULL, options->file, &error);
    derived_add_text(&text, operands, derivation, options, terminal_columns());
    fputs(text_string(&text), output.stream);
    text_free(&text);
    if (output_close(&output, &error))
        return EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}

static int calculate(enum derivation derivation, const struct options *options)
{
    struct operands operands;
    /* A join takes each metric from one operand, but the time in the OpenMP runtime belongs to
     * the computation of the same one: it is found again in the result. */
    int status = operands_read(&operands, options, derivation == DERIVED_DIFFERENCE,
                               derivation != DERIVED_JOIN);
    if (status == EXIT_DONE)
        status = options->output ? write_result(&operands, derivation, options)
                                 : print_result(&operands, derivation, options);
    operands_free(&operands);
    return status;
}

/*
 * Reads the command line of COMMAND, which takes LEAST to MOST summaries.  EXIT_DONE and
 * something to do, or *OVER and the exit_status.
 */
static int read_options(const struct command *command, int argc, char **argv, size_t least,
                        size_t most, struct options *options, bool *over)
{
    enum options_result result = options_parse_list(command, argc, argv, options);
    *over = true;
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (options->file_count < least || options->file_count > most) {
        complain("%s: %zu summaries are too %s; see tsprof %s --help", command->name,
                 options->file_count, options->file_count < least ? "few" : "many",
                 command->name);
        return EXIT_USAGE;
    }
    options->file = options->files[0];
    *over = false;
    return EXIT_DONE;
}

int cmd_diff(const struct command *command, int argc, char **argv)
{
    struct options options;
    bool over;
    int status = read_options(command, argc, argv, 1, 2, &options, &over);
    if (over)
        return status;
    if (options.file_count == 1 && !options.minus_iterations_given &&
        !options.minus_ranks_given) {
        complain("diff: nothing to subtract: give a second summary, --minus-iteration or "
                 "--minus-rank");
        return EXIT_USAGE;
    }
    return calculate(DERIVED_DIFFERENCE, &options);
}

#define MOST_FILES 4096

int cmd_mean(const struct command *command, int argc, char **argv)
{
    struct options options;
    bool over;
    int status = read_options(command, argc, argv, 1, MOST_FILES, &options, &over);
    return over ? status : calculate(DERIVED_MEAN, &options);
}

int cmd_join(const struct command *command, int argc, char **argv)
{
    struct options options;
    bool over;
    int status = read_options(command, argc, argv, 2, MOST_FILES, &options, &over);
    if (over)
        return status;
    if (options.output)
        return calculate(DERIVED_JOIN, &options);
    complain("join: -o OUT is missing");
    return EXIT_USAGE;
}
