/* tsprof run: becomes the launcher, which starts `tsprof exec` with the program on every rank.
 */
#include "command/command.h"

#include "base/base.h"
#include "launch/launch.h"
#include "print/print.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* What the command line says, as places in it. */
struct run_plan {
    const char *ranks; /* NULL: the launcher's own default */
    char **launcher_options;
    int launcher_option_count;
    char **program;
    int program_count; /* its arguments are in it */
};

static bool is_word(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

static bool is_number(const char *text)
{
    return text[0] && strspn(text, "0123456789") == strlen(text);
}

/* Finds "--" among ARGC arguments; ARGC if there is none. */
static int find_separator(int argc, char **argv)
{
    int i = 0;
    while (i < argc && strcmp(argv[i], "--") != 0)
        i++;
    return i;
}

static bool take_ranks(struct run_plan *plan, int argc, char **argv, int *at,
                       struct error *error)
{
    if (*at >= argc || !is_word(argv[*at], "-n", "-np"))
        return true;
    if (*at + 1 >= argc || !is_number(argv[*at + 1]))
        return error_set(error, "run: %s takes the number of ranks, not \"%s\"", argv[*at],
                         *at + 1 < argc ? argv[*at + 1] : "");
    plan->ranks = argv[*at + 1];
    *at += 2;
    return true;
}

static bool take_launcher_options(struct run_plan *plan, int argc, char **argv, int *at,
                                  struct error *error)
{
    if (*at >= argc || argv[*at][0] != '-')
        return true;
    int count = find_separator(argc - *at, argv + *at);
    if (*at + count == argc)
        return error_set(error,
                         "run: a -- is missing between the launcher's options (%s ...) "
                         "and the program",
                         argv[*at]);
    plan->launcher_options = argv + *at;
    plan->launcher_option_count = count;
    *at += count + 1;
    return true;
}

static bool make_plan(struct run_plan *plan, int argc, char **argv, struct error *error)
{
    int at = 1;
    *plan = (struct run_plan){0};
    if (!take_ranks(plan, argc, argv, &at, error) ||
        !take_launcher_options(plan, argc, argv, &at, error))
        return false;
    if (at >= argc)
        return error_set(error, "run: the PROGRAM is missing; see tsprof run --help");
    plan->program = argv + at;
    plan->program_count = argc - at;
    return true;
}

static size_t count_strings(char **strings)
{
    size_t count = 0;
    while (strings[count])
        count++;
    return count;
}

/* Adds `env` with tsprof's own variables to COUNT arguments, if there are any: the new count.
 */
static size_t add_settings(char **arguments, size_t count)
{
    static const char prefix[] = "TSPROF_";
    size_t before = count++;
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, prefix, sizeof prefix - 1) == 0)
            arguments[count++] = *variable;
    if (count == before + 1)
        return before;
    arguments[before] = (char *)"env";
    return count;
}

/* The launcher's arguments, NULL at the end; parts belong to the caller and the environment. */
static char **make_arguments(const struct run_plan *plan, enum mpi_kind kind, char *launcher,
                             char *self)
{
    size_t most = (size_t)plan->launcher_option_count + (size_t)plan->program_count +
                  count_strings(environ) + 9;
    char **arguments = allocate(most, sizeof *arguments);
    size_t count = 0;
    arguments[count++] = launcher;
    if (plan->ranks) {
        arguments[count++] = (char *)"-n";
        arguments[count++] = (char *)plan->ranks;
    }
    for (int i = 0; i < plan->launcher_option_count; i++)
        arguments[count++] = plan->launcher_options[i];
    /* Open MPI's launcher keeps the environment from other hosts. */
    if (kind == MPI_OPEN_MPI)
        count = add_settings(arguments, count);
    arguments[count++] = self;
    arguments[count++] = (char *)"exec";
    arguments[count++] = (char *)"--";
    for (int i = 0; i < plan->program_count; i++)
        arguments[count++] = plan->program[i];
    return arguments;
}

static int fail(int status, const struct error *error)
{
    complain("%s", error->text);
    return status;
}

int cmd_run(const struct command *command, int argc, char **argv)
{
    static char launcher[PATH_MAX], self[PATH_MAX];
    char program[PATH_MAX], runtime[PATH_MAX];
    struct run_plan plan;
    struct error error;
    if (argc > 1 && is_word(argv[1], "--help", "-h")) {
        options_help(command);
        return EXIT_DONE;
    }
    if (!make_plan(&plan, argc, argv, &error))
        return fail(EXIT_USAGE, &error);
    if (!find_program(plan.program[0], program, sizeof program)) {
        complain("run: %s: there is no such program", plan.program[0]);
        return EXIT_NOT_FOUND;
    }
    enum mpi_kind kind = program_mpi(program);
    if (!own_path(self, sizeof self, &error) ||
        !find_runtime(self, kind, runtime, sizeof runtime, &error) ||
        !find_launcher(kind, launcher, sizeof launcher, &error))
        return fail(EXIT_NOT_FOUND, &error);
    if (kind == MPI_UNKNOWN)
        complain("%s is not linked with a known MPI library; starting it with %s",
                 plan.program[0], launcher);
    return launch(make_arguments(&plan, kind, launcher, self));
}
