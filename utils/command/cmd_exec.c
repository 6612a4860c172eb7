/* tsprof exec: becomes the program, with the runtime preloaded. */
#include "command/command.h"

#include "common/iteration_spec.h"
#include "launch/launch.h"
#include "print/print.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * Has NVTX load the library beside RUNTIME if TSPROF_ITERATION asks for NVTX ranges, unless it
 * is to load another tool's.
 */
static void offer_to_nvtx(const char *runtime)
{
    const char *iteration = getenv("TSPROF_ITERATION"), *slash = strrchr(runtime, '/');
    struct iteration_spec spec;
    struct text path = {0};
    bool wanted = false;
    if (!iteration || !slash || !iteration_spec_read(iteration, &spec))
        return;
    for (size_t i = 0; i < spec.count; i++)
        wanted = wanted || spec.items[i].kind == ITERATION_NVTX;
    if (!wanted)
        return;
    text_add_bytes(&path, runtime, (size_t)(slash - runtime));
    text_add(&path, "/libtsprof-nvtx.so");
    setenv("NVTX_INJECTION64_PATH", text_string(&path), 0);
    text_free(&path);
}

/* The MPI of the program at PATH (NULL: it was not found), or, where that does not tell (a
 * script), of its launcher. */
static enum mpi_kind find_mpi(const char *path)
{
    const enum mpi_kind kind = path ? program_mpi(path) : MPI_UNKNOWN;
    return kind == MPI_UNKNOWN ? launcher_mpi() : kind;
}

int cmd_exec(const struct command *command, int argc, char **argv)
{
    char self[PATH_MAX], runtime[PATH_MAX], path[PATH_MAX];
    struct error error;
    int first = 1;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        options_help(command);
        return EXIT_DONE;
    }
    if (first < argc && strcmp(argv[first], "--") == 0)
        first++;
    else if (first < argc && argv[first][0] == '-') {
        complain("exec: no such option: %s; see tsprof exec --help", argv[first]);
        return EXIT_USAGE;
    }
    if (first >= argc) {
        complain("exec: the PROGRAM is missing; see tsprof exec --help");
        return EXIT_USAGE;
    }
    const char *program = find_program(argv[first], path, sizeof path) ? path : NULL;
    const char *refusal = program ? refusal_of(program) : NULL;
    if (refusal) {
        complain("exec: %s is started without being measured: %s", argv[first], refusal);
        return launch(argv + first);
    }
    if (!own_path(self, sizeof self, &error) ||
        !find_runtime(self, find_mpi(program), runtime, sizeof runtime, &error)) {
        complain("%s", error.text);
        return EXIT_NOT_FOUND;
    }
    preload_runtime(runtime, program);
    offer_to_nvtx(runtime);
    return launch(argv + first);
}
