/*
 * Manual pages and the completion of shells, written from the tables that the command itself
 * uses: commands, options and settings.  For make_manual, which runs while tsprof is
 * built and is not installed; no other room may use this one.
 */
#ifndef TSPROF_MANUAL_H
#define TSPROF_MANUAL_H

#include "command/command.h"
#include "options/options.h"

#include <stdio.h>

/* command_page.c: the page of COMMAND, in which FRAGMENT (NULL: none) follows its options. */
void manual_command(FILE *out, const struct command *command, FILE *fragment);

/*
 * template_page.c: TEMPLATE, with its lines "@TITLE NAME SECTION@", "@COMMANDS@" and
 * "@VARIABLES@" replaced by the head of a page and by lists of all commands and variables.
 */
void manual_page(FILE *out, FILE *template);

/* completion_bash.c, completion_zsh.c */
void completion_bash(FILE *out);
void completion_zsh(FILE *out);

#endif
