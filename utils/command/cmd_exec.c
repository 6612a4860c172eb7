/* tsprof exec: becomes the program, with the runtime preloaded. */
#include "command/command.h"

#include "common/iteration_spec.h"
#include "launch/launch.h"
#include "print/print.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Whether an item of LENGTH bytes is any of tsprof's runtimes. */
static bool is_runtime(const char *item, size_t length)
{
    static const char start[] = "libtsprof";
    const char *slash = memrchr(item, '/', length);
    const char *name = slash ? slash + 1 : item;
    size_t rest = length - (size_t)(name - item);
    return rest >= sizeof start - 1 && memcmp(name, start, sizeof start - 1) == 0;
}

/*
 * Puts RUNTIME first in LD_PRELOAD, unless it is there already, and removes other runtimes of
 * tsprof: two would both stand between the program and MPI.
 */
static void preload(const char *runtime)
{
    const char *item = getenv("LD_PRELOAD");
    struct text kept = {0}, list = {0};
    bool there = false;
    for (size_t length; item && *item; item += length + (item[length] != '\0')) {
        length = strcspn(item, ": ");
        bool same = length == strlen(runtime) && memcmp(item, runtime, length) == 0;
        if (length == 0 || (!same && is_runtime(item, length)))
            continue;
        if (kept.length)
            text_add(&kept, ":");
        text_add_bytes(&kept, item, length);
        there = there || same;
    }
    if (!there)
        text_add(&list, runtime);
    if (!there && kept.length)
        text_add(&list, ":");
    text_add(&list, text_string(&kept));
    setenv("LD_PRELOAD", text_string(&list), 1);
    text_free(&kept);
    text_free(&list);
}

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

/* The MPI of the program, or, where that does not tell (a script), of its launcher. */
static enum mpi_kind find_mpi(const char *program)
{
    char path[PATH_MAX];
    enum mpi_kind kind = MPI_UNKNOWN;
    if (find_program(program, path, sizeof path))
        kind = program_mpi(path);
    return kind == MPI_UNKNOWN ? launcher_mpi() : kind;
}

int cmd_exec(const struct command *command, int argc, char **argv)
{
    char self[PATH_MAX], runtime[PATH_MAX];
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
    if (!own_path(self, sizeof self, &error) ||
        !find_runtime(self, find_mpi(argv[first]), runtime, sizeof runtime, &error)) {
        complain("%s", error.text);
        return EXIT_NOT_FOUND;
    }
    preload(runtime);
    offer_to_nvtx(runtime);
    return launch(argv + first);
}
