/* The tsprof command: finds the subcommand and hands over to it. */
#include "command/command.h"

#include "print/print.h"

#include <stdio.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static void print_help(void)
{
    printf("usage: tsprof COMMAND [ARGUMENT...]\n\n"
           "A time-series call-path profiler for MPI programs.\n\nCommands:\n");
    for (size_t i = 0; i < command_count; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].text);
    printf("\nSee tsprof COMMAND --help for more; tsprof --version prints the version.\n");
}

/* The version and, of what was built in a checkout, its commit. */
static void print_version(void)
{
    printf("tsprof %s", PACKAGE_VERSION);
    if (command_revision[0])
        printf(" (git %s)", command_revision);
    putchar('\n');
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        complain("a command is missing; see tsprof --help");
        return EXIT_USAGE;
    }
    if (is_one_of(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0) {
        print_help();
        return EXIT_DONE;
    }
    if (is_one_of(argv[1], "--version", "-V")) {
        print_version();
        return EXIT_DONE;
    }
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(&commands[i], argc - 1, argv + 1);
    complain("there is no command \"%s\"; see tsprof --help", argv[1]);
    return EXIT_USAGE;
}
