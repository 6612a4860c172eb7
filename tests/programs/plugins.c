/*
 * Loads one of several plugins in every iteration, runs it and unloads it again, so that one
 * plugin's code comes to lie where another's was.
 *
 *     plugins ITERATIONS PLUGIN...
 *     plugins ITERATIONS PLUGIN... --as FILE   FILE is linked to each plugin in turn and loaded
 *
 * Rank 0 says what was computed, and whether all plugins lay at one address.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *what)
{
    fprintf(stderr, "plugins: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The file to load for PLUGIN. */
static const char *stand_in(const char *plugin, const char *as)
{
    static char name[4096];
    int rank;
    if (!as)
        return plugin;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", as, rank);
    unlink(name);
    if (symlink(plugin, name) != 0)
        fail("symlink");
    return name;
}

__attribute__((noipa)) static double run_plugin(const char *file, void **place)
{
    void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        fail(dlerror());
    double (*run)(void) = NULL;
    void *found = dlsym(plugin, "run");
    memcpy(&run, &found, sizeof run);
    double result = run();
    Dl_info info;
    if (dladdr(found, &info))
        *place = info.dli_fbase;
    if (dlclose(plugin) != 0)
        fail(dlerror());
    return result;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *as = argc > 3 && strcmp(argv[argc - 2], "--as") == 0 ? argv[argc - 1] : NULL;
    int iterations = argc > 2 ? atoi(argv[1]) : 0, plugins = argc - 2 - (as ? 2 : 0), rank;
    int moved = 0;
    double sum = 0;
    void *first = NULL;
    if (plugins < 1)
        fail("usage: plugins ITERATIONS PLUGIN... [--as FILE]");
    for (int i = 0; i < iterations; i++) {
        void *place = NULL;
        sum += run_plugin(stand_in(argv[2 + i % plugins], as), &place);
        first = first ? first : place;
        moved += place != first;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%.6g, %s\n", sum, moved ? "at several addresses" : "at one address");
    MPI_Finalize();
    return 0;
}
