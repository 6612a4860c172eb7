/*
 * The subcommands: one row each in commands.c, and a file cmd_NAME.c.  This room puts the
 * others together: it reads the command line, opens what it names and prints what others make
 * of it.  No room may use it.
 */
#ifndef TSPROF_COMMAND_H
#define TSPROF_COMMAND_H

#include "options/options.h"

#include <stddef.h>

extern const struct command commands[];
extern const size_t command_count;

/* The commit of the checkout that the command was built in; "" if it was built in none. */
extern const char command_revision[];

int cmd_run(const struct command *command, int argc, char **argv);
int cmd_exec(const struct command *command, int argc, char **argv);
int cmd_config(const struct command *command, int argc, char **argv);
int cmd_info(const struct command *command, int argc, char **argv);
int cmd_list(const struct command *command, int argc, char **argv);
int cmd_report(const struct command *command, int argc, char **argv);
int cmd_plot(const struct command *command, int argc, char **argv);
int cmd_score(const struct command *command, int argc, char **argv);
int cmd_suggest(const struct command *command, int argc, char **argv);
int cmd_export(const struct command *command, int argc, char **argv);
int cmd_html(const struct command *command, int argc, char **argv);
int cmd_compare(const struct command *command, int argc, char **argv);
int cmd_diff(const struct command *command, int argc, char **argv);
int cmd_mean(const struct command *command, int argc, char **argv);
int cmd_join(const struct command *command, int argc, char **argv);
int cmd_compress(const struct command *command, int argc, char **argv);
int cmd_waits(const struct command *command, int argc, char **argv);
int cmd_whatif(const struct command *command, int argc, char **argv);
int cmd_merge(const struct command *command, int argc, char **argv);

#endif
