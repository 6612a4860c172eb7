/*
 * Writes a manual page or the completion of a shell on stdout, while tsprof is built:
 *
 *     make_manual page TEMPLATE            see template_page.c
 *     make_manual command NAME [FRAGMENT]  see command_page.c
 *     make_manual bash | zsh
 */
#include "manual/manual.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

static void write_page(const char *path)
{
    FILE *template = open_file(path);
    manual_page(stdout, template);
    fclose(template);
}

static bool write_command(const char *name, const char *path)
{
    FILE *fragment = path ? open_file(path) : NULL;
    bool found = false;
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0) {
            manual_command(stdout, &commands[i], fragment);
            found = true;
        }
    if (fragment)
        fclose(fragment);
    return found;
}

static bool write_what(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "page") == 0 && argc == 3)
        write_page(argv[2]);
    else if (strcmp(what, "command") == 0 && (argc == 3 || argc == 4))
        return write_command(argv[2], argv[3]);
    else if (strcmp(what, "bash") == 0)
        completion_bash(stdout);
    else if (strcmp(what, "zsh") == 0)
        completion_zsh(stdout);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!write_what(argc, argv)) {
        fputs("make_manual: there is no such page\n", stderr);
        return EXIT_FAILURE;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
