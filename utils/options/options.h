/*
 * The command line of the subcommands that read summaries.  options.def has all options, one
 * row each; a subcommand names those that it takes.  The rooms that look at a summary read
 * struct options; this room itself knows nothing about summaries.
 */
#ifndef TSPROF_OPTIONS_H
#define TSPROF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_MAX_NAMES     32
#define OPTIONS_MAX_TIMEOUT_S 100000
#define OPTIONS_MAX_THREADS   4096
#define OPTIONS_MAX_COST_NS   1000000

/* A range of whole numbers, both ends included. */
struct range {
    uint64_t first, last;
};

/* What the user has asked for.  Texts are views of the command line. */
struct options {
    const char *file, *second_file; /* the second by options_parse_pair only */
    const char *const *files;       /* at least one; by options_parse_list only */
    size_t file_count;
    const char *phases[OPTIONS_MAX_NAMES];
    size_t phase_count; /* 0: all */
    const char *metrics[OPTIONS_MAX_NAMES];
    size_t metric_count;                     /* 0: all */
    struct range iterations, ranks, threads; /* 0 to UINT64_MAX: all */
    uint64_t top;                            /* 0: not given */
    const char *what, *format, *output, *how, *paths;
    bool numbered;             /* what `paths` means */
    int64_t clusters;          /* as the setting holds it; 0: not given */
    const char *clusters_text; /* the same, as it was written */
    const char *clustering, *equivalence;
    const char *patterns[OPTIONS_MAX_NAMES];
    size_t pattern_count;
    uint64_t threads_used;                     /* 0: not given */
    const char *with;                          /* a summary; NULL: not given */
    uint64_t timeout_s;                        /* 0: not given */
    const char *thresholds[OPTIONS_MAX_NAMES]; /* of properties of communication */
    size_t threshold_count;
    uint64_t master; /* a rank */
    bool master_given;
    bool force; /* `output` may be replaced */
    bool total;
    bool remove;
    bool trace;
    const char *network; /* a file of parameters; NULL: not given */
    /* What is subtracted: the same of another file, or other iterations or ranks. */
    const char *minus; /* NULL: not given */
    struct range minus_iterations, minus_ranks;
    bool iterations_given, minus_iterations_given, minus_ranks_given;
    bool sum;             /* of iterations, rather than their mean */
    const char *callpath; /* a name or pattern, see query/callpath.h */
    const char *callers;  /* the same of a function, see query/functions.h */
    bool flat, full_names;
    const char *colors, *sort;
    double share;   /* part of 1; 0: not given */
    double cost_ns; /* of a visit; 0: not given */
    const char *kind, *color, *scale, *statistic, *size, *topology; /* of a picture */
};

/* The rows of options.def. */
enum option_id {
#define OPTION(id, letter, name, argument, help, words, read, field, given) OPTION_##id,
#include "options/options.def"
#undef OPTION
    OPTION_COUNT
};

/* What a subcommand takes besides options. */
enum operand_kind {
    OPERANDS_NONE,
    OPERANDS_FILES,
    OPERANDS_NEWEST, /* a file, or none: the newest summary in this directory, or all in it */
    OPERANDS_PROGRAM
};

/* A subcommand, as its help, its manual page and the completion of shells describe it. */
struct command {
    const char *name;
    const char *synopsis; /* what follows the name on the command line */
    const char *text;     /* one line for the list of commands, without a full stop */
    const char *details;  /* more for its own help, lines of at most 80 columns; or NULL */
    /* The options it takes, ended by OPTION_HELP; NULL: it reads its command line itself. */
    const enum option_id *options;
    enum operand_kind operands;
    int (*run)(const struct command *command, int argc, char **argv); /* an exit_status */
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_WRONG };

/* In place of an option's WORDS: its argument is a file. */
#define OPTION_FILES "*"

/* A row of the table of options; options.def describes its members. */
struct option_row {
    char letter;
    const char *name, *argument, *help, *words;
    bool (*read)(struct options *options, const struct option_row *row, const char *argument);
    size_t field, given; /* offsets in struct options */
};

extern const struct option_row option_table[OPTION_COUNT];

/* Whether COMMAND takes the option. */
bool command_takes(const struct command *command, enum option_id option);

/*
 * Reads the command line of COMMAND, which takes one file; argv[0] is the command's name.
 * `file` becomes NULL if none is given and COMMAND allows that (OPERANDS_NEWEST).  With
 * any result but OPTIONS_RUN there is nothing left to do: help or a message was printed.
 */
enum options_result options_parse(const struct command *command, int argc, char **argv,
                                  struct options *options);

/* The same for a command that takes two files. */
enum options_result options_parse_pair(const struct command *command, int argc, char **argv,
                                       struct options *options);

/* The same for a command that takes one file or more. */
enum options_result options_parse_list(const struct command *command, int argc, char **argv,
                                       struct options *options);

/* Prints the help of COMMAND on stdout. */
void options_help(const struct command *command);

#endif
