/* See child.h. */
#include "plugins/child.h"

#include "plugins/host.h"
#include "plugins/python.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long one that has closed its socket may take to end. */
enum { LOOKS = 200, LOOK_NS = 10000000 };

/* So many files are looked for: the command opens a few before it starts patterns. */
enum { FILES_MOST = 256 };

static void keep_only(int socket)
{
    const int kept = fcntl(socket, F_DUPFD, FILES_MOST);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    /* What it prints must not come between what the command prints for scripts. */
    dup2(STDERR_FILENO, STDOUT_FILENO);
    dup2(kept, CHILD_SOCKET);
    close(kept);
    for (int file = CHILD_SOCKET + 1; file < FILES_MOST; file++)
        close(file);
}

static _Noreturn void run(const char *path, const char *class, int socket, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    keep_only(socket);
    if (class)
        python_run(path, class);
    host_run(path);
}

/* Splits FILE.py:CLASS; *CLASS is NULL if FILE is no Python, "" if it names none. */
static bool find(const char *file, char path[PATH_MAX], const char **class, struct error *error)
{
    const char *end = strstr(file, ".py:");
    const size_t length = strlen(file);
    const bool is_python = end || (length > 3 && strcmp(file + length - 3, ".py") == 0);
    const size_t path_length = end ? (size_t)(end - file) + 3 : length;
    char *name = strndup(file, path_length);
    if (!name)
        out_of_memory();
    *class = !is_python ? NULL : end ? end + 4 : "";
    /* A name without a slash would be looked for among the system's libraries. */
    const bool good = realpath(name, path) != NULL && access(path, R_OK) == 0;
    if (!good)
        error_set(error, "%s", strerror(errno));
    free(name);
    return good;
}

pid_t child_start(const char *file, int *socket, struct error *error)
{
    char path[PATH_MAX];
    const char *class;
    int ends[2];
    if (!find(file, path, &class, error))
        return 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        error_set(error, "cannot make a socket: %s", strerror(errno));
        return 0;
    }
    fflush(NULL);
    const pid_t parent = getpid(), process = fork();
    if (process == 0)
        run(path, class, ends[1], parent);
    close(ends[1]);
    if (process < 0) {
        error_set(error, "cannot start a process: %s", strerror(errno));
        close(ends[0]);
        return 0;
    }
    setpgid(process, process);
    *socket = ends[0];
    return process;
}

void child_explain(pid_t *process, struct error *error)
{
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; i < LOOKS && ended == 0; i++) {
        ended = waitpid(*process, &status, WNOHANG);
        if (ended == 0)
            nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    if (ended != *process) {
        error_set(error, "it has closed its connection");
        return;
    }
    /* What it has started. */
    kill(-*process, SIGKILL);
    *process = 0;
    if (WIFSIGNALED(status))
        error_set(error, "it has crashed: signal %d, %s", WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    else
        error_set(error, "it has ended, with status %d, before the analysis had",
                  WEXITSTATUS(status));
}

void child_end(pid_t process)
{
    kill(-process, SIGKILL);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}
