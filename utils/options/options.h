/*
 * Options of the subcommands that read summaries.  One table has them all; a subcommand names
 * those it takes.
 */
#ifndef TSPROF_OPTIONS_H
#define TSPROF_OPTIONS_H

#include "options/command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_MAX_NAMES     32
#define OPTIONS_MAX_CLUSTERS  65536
#define OPTIONS_CLUSTERS_AUTO UINT32_MAX

/* A range of whole numbers, both ends in it. */
struct range {
    uint64_t first, last;
};

/* Texts are views of the command line. */
struct options {
    const char *file, *second_file; /* the second for options_parse_pair only */
    const char *const *files;       /* at least one; for options_parse_list only */
    size_t file_count;
    const char *phases[OPTIONS_MAX_NAMES];
    size_t phase_count; /* 0: all */
    const char *metrics[OPTIONS_MAX_NAMES];
    size_t metric_count;                     /* 0: all */
    struct range iterations, ranks, threads; /* 0 to UINT64_MAX: all */
    uint64_t top;                            /* 0: not given */
    const char *what, *format, *output, *how;
    uint64_t clusters; /* at most OPTIONS_MAX_CLUSTERS; 0: not given */
    const char *clustering, *equivalence;
    bool total;
    bool remove;
    /* What is subtracted: a file, or other iterations or ranks than the above. */
    const char *minus; /* NULL: not given */
    struct range minus_iterations, minus_ranks;
    bool iterations_given, minus_iterations_given, minus_ranks_given;
    bool sum;             /* of iterations, rather than their mean */
    const char *callpath; /* as callpath_find wants it */
    const char *colors, *sort;
    const char *kind, *color, *scale, *statistic, *size, *topology; /* of a picture */
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_WRONG };

/*
 * Reads the arguments of COMMAND (argv[0] is its name).  Anything but OPTIONS_RUN means that
 * the command is over: help was printed, or a message.
 */
enum options_result options_parse(const struct command *command, int argc, char **argv,
                                  struct options *options);

/* The same for a command that takes two summaries. */
enum options_result options_parse_pair(const struct command *command, int argc, char **argv,
                                       struct options *options);

/* The same for a command that takes one thing or more. */
enum options_result options_parse_list(const struct command *command, int argc, char **argv,
                                       struct options *options);

/* Prints what COMMAND does and takes on stdout. */
void options_help(const struct command *command);

#endif
