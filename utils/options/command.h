/*
 * The subcommands.  main.c has the table; each command has a file cmd_NAME.c.
 */
#ifndef TSPROF_COMMAND_H
#define TSPROF_COMMAND_H

struct command {
    const char *name;
    const char *synopsis; /* what follows the name on the command line */
    const char *text;     /* one line for the list of commands */
    const char *details;  /* more for its own help, lines of at most 80 columns; or NULL */
    const char *options;  /* letters of the rows in options.c that it takes; or NULL */
    int (*run)(const struct command *command, int argc, char **argv); /* an exit_status */
};

int cmd_run(const struct command *command, int argc, char **argv);
int cmd_exec(const struct command *command, int argc, char **argv);
int cmd_config(const struct command *command, int argc, char **argv);
int cmd_info(const struct command *command, int argc, char **argv);
int cmd_report(const struct command *command, int argc, char **argv);
int cmd_plot(const struct command *command, int argc, char **argv);
int cmd_compress(const struct command *command, int argc, char **argv);
int cmd_export(const struct command *command, int argc, char **argv);
int cmd_html(const struct command *command, int argc, char **argv);
int cmd_merge(const struct command *command, int argc, char **argv);
int cmd_compare(const struct command *command, int argc, char **argv);
int cmd_diff(const struct command *command, int argc, char **argv);
int cmd_mean(const struct command *command, int argc, char **argv);
int cmd_join(const struct command *command, int argc, char **argv);

#endif
