/* Completion for zsh.  See manual.h. */
#include "manual/manual.h"

#include "manual/completion.h"

#include <string.h>

static const char head[] = "#compdef tsprof\n"
                           "\n"
                           "_tsprof()\n"
                           "{\n"
                           "    local -a commands=(\n";

static const char after_commands[] = "    )\n"
                                     "    if ((CURRENT == 2)); then\n"
                                     "        _describe command commands\n"
                                     "        return\n"
                                     "    fi\n"
                                     "    shift words\n"
                                     "    ((CURRENT--))\n"
                                     "    case $words[1] in\n";

static const char tail[] = "    esac\n"
                           "}\n"
                           "\n"
                           "_tsprof \"$@\"\n";

/* TEXT within '...' of the shell, where _arguments and _describe see no signs of theirs. */
static void write_quoted(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (strchr("[]:\\", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void write_option(FILE *out, const struct option_row *row)
{
    fputs(" \\\n            '*'", out);
    if (row->letter)
        fprintf(out, "{-%c,--%s}", row->letter, row->name);
    else
        fprintf(out, "--%s", row->name);
    fputs("'[", out);
    write_quoted(out, row->help);
    fputc(']', out);
    if (row->argument)
        fprintf(out, ":%s:", row->argument);
    if (takes_file(row))
        fputs("_files", out);
    else if (row->words)
        fprintf(out, "(%s)", row->words);
    fputc('\'', out);
}

static void write_command(FILE *out, const struct command *command)
{
    fprintf(out, "    %s)\n        _arguments", command->name);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (command_takes(command, (enum option_id)i) ||
            (i == OPTION_HELP && !command->options))
            write_option(out, &option_table[i]);
    if (command->operands == OPERANDS_PROGRAM)
        fputs(" \\\n            '*::program:_normal'", out);
    else if (command->operands != OPERANDS_NONE)
        fputs(" \\\n            '*:summary:_files'", out);
    fputs(" ;;\n", out);
}

void completion_zsh(FILE *out)
{
    fputs(head, out);
    for (size_t i = 0; i < command_count; i++) {
        fprintf(out, "        '%s:", commands[i].name);
        write_quoted(out, commands[i].text);
        fputs("'\n", out);
    }
    fputs(after_commands, out);
    for (size_t i = 0; i < command_count; i++)
        write_command(out, &commands[i]);
    fputs(tail, out);
}
