/*
 * Completion for bash, 4.4 or later.  See manual.h.
 *
 * What is not completed to words is left to bash, which completes it to files.
 */
#include "manual/manual.h"

#include "manual/completion.h"

static const char head[] =
    "# bash completion of tsprof\n"
    "_tsprof()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    COMPREPLY=()\n"
    "    # --option=word comes in three pieces.\n"
    "    if [[ $word == = ]]; then\n"
    "        word=\n"
    "    elif [[ $before == = ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n";

static const char tail[] = "    esac\n"
                           "}\n"
                           "complete -o default -F _tsprof tsprof\n";

#define REPLY "COMPREPLY=($(compgen -W '%s' -- \"$word\"))"

static void write_commands(FILE *out)
{
    fputs("    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '", out);
    for (size_t i = 0; i < command_count; i++)
        fprintf(out, "%s ", commands[i].name);
    fputs("help --help --version' -- \"$word\"))\n        return\n    fi\n", out);
}

/* What may follow an option of COMMAND that takes an argument. */
static void write_argument(FILE *out, const struct command *command,
                           const struct option_row *row)
{
    if (!row->argument)
        return;
    fprintf(out, "    %s:--%s", command->name, row->name);
    if (row->letter)
        fprintf(out, " | %s:-%c", command->name, row->letter);
    fputs(") ", out);
    if (!row->words)
        fputs("compopt +o default; ", out);
    else if (!takes_file(row))
        fprintf(out, REPLY "; ", row->words);
    fputs("return ;;\n", out);
}

static void write_arguments(FILE *out)
{
    fputs("    case ${COMP_WORDS[1]}:$before in\n", out);
    for (size_t i = 0; i < command_count; i++)
        for (size_t o = 0; o < OPTION_COUNT; o++)
            if (command_takes(&commands[i], (enum option_id)o))
                write_argument(out, &commands[i], &option_table[o]);
    fputs("    esac\n", out);
}

static void write_options(FILE *out, const struct command *command)
{
    fprintf(out, "    %s:-*) COMPREPLY=($(compgen -W '", command->name);
    for (size_t o = 0; o < OPTION_COUNT; o++) {
        const struct option_row *row = &option_table[o];
        if (!command_takes(command, (enum option_id)o))
            continue;
        fprintf(out, "--%s ", row->name);
        if (row->letter)
            fprintf(out, "-%c ", row->letter);
    }
    fputs(command->options ? "" : "--help -h", out);
    fputs("' -- \"$word\")) ;;\n", out);
}

/* Files are what bash completes to by itself. */
static void write_operands(FILE *out, const struct command *command)
{
    if (command->operands == OPERANDS_PROGRAM)
        fprintf(out, "    %s:*) COMPREPLY=($(compgen -c -- \"$word\")) ;;\n", command->name);
    else if (command->operands == OPERANDS_NONE)
        fprintf(out, "    %s:*) compopt +o default ;;\n", command->name);
}

void completion_bash(FILE *out)
{
    fputs(head, out);
    write_commands(out);
    write_arguments(out);
    fputs("    case ${COMP_WORDS[1]}:$word in\n", out);
    for (size_t i = 0; i < command_count; i++)
        write_options(out, &commands[i]);
    for (size_t i = 0; i < command_count; i++)
        write_operands(out, &commands[i]);
    fputs(tail, out);
}
