/* See linked.h. */
#include "launch/linked.h"

#include "launch/elf_needed.h"

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts LOADER --list PATH with its output in a pipe; -1 on failure. */
static pid_t start_loader(const char *loader, const char *path, int pipe_ends[2])
{
    char *const arguments[] = {(char *)loader, (char *)"--list", (char *)path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    if (posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO) != 0 ||
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) !=
            0 ||
        posix_spawn(&child, loader, &actions, NULL, arguments, environ) != 0)
        child = -1;
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

/* Each line is a name or a path, and then where it was found and put. */
static void read_list(FILE *list, bool (*visit)(void *context, const char *name), void *context)
{
    char *line = NULL;
    size_t size = 0;
    bool going_on = true;
    while (getline(&line, &size, list) > 0) {
        char *name = line + strspn(line, " \t");
        name[strcspn(name, " \t\n")] = '\0';
        going_on = going_on && visit(context, name);
    }
    free(line);
}

void linked_libraries(const char *path, bool (*visit)(void *context, const char *name),
                      void *context)
{
    char loader[PATH_MAX];
    int pipe_ends[2];
    if (!elf_loader(path, loader, sizeof loader) || pipe2(pipe_ends, O_CLOEXEC) != 0)
        return;
    pid_t child = start_loader(loader, path, pipe_ends);
    close(pipe_ends[1]);
    FILE *list = child < 0 ? NULL : fdopen(pipe_ends[0], "r");
    if (list) {
        read_list(list, visit, context);
        fclose(list);
    } else {
        close(pipe_ends[0]);
    }
    if (child >= 0)
        waitpid(child, NULL, 0);
}
