/* Finding programs, launchers and the runtime.  See launch.h. */
#include "launch/launch.h"

#include "launch/elf_needed.h"
#include "launch/linked.h"
#include "print/print.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TSPROF_LIBDIR
#define TSPROF_LIBDIR "/usr/local/lib/tsprof"
#endif

/* The runtimes, and what their MPI is called where one is missing. */
static const struct runtime {
    const char *file;
    const char *mpi;
} runtimes[] = {[MPI_UNKNOWN] = {"libtsprof.so", "the default MPI"},
                [MPI_MPICH] = {"libtsprof-mpich.so", "MPICH"},
                [MPI_OPEN_MPI] = {"libtsprof-openmpi.so", "Open MPI"}};

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool find_program(const char *name, char *path, size_t size)
{
    const char *places = getenv("PATH");
    if (strchr(name, '/'))
        return snprintf(path, size, "%s", name) < (int)size && is_program(path);
    for (places = places ? places : "/bin:/usr/bin"; name[0]; places++) {
        int length = (int)strcspn(places, ":");
        /* An empty place is the current directory. */
        int written = length ? snprintf(path, size, "%.*s/%s", length, places, name)
                             : snprintf(path, size, "./%s", name);
        if (written < (int)size && is_program(path))
            return true;
        places += length;
        if (!*places)
            break;
    }
    return false;
}

struct mpi_library {
    const char *start; /* of the library's file name */
    enum mpi_kind kind;
};

static bool note_mpi(void *context, const char *name)
{
    static const struct mpi_library libraries[] = {
        {"libmpich.so", MPI_MPICH},     {"libmpi.so.12", MPI_MPICH},
        {"libmpi.so.20", MPI_OPEN_MPI}, {"libmpi.so.40", MPI_OPEN_MPI},
        {"libmpifort.so", MPI_MPICH},   {"libmpi_mpifh.so", MPI_OPEN_MPI}};
    enum mpi_kind *kind = context;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (strncmp(name, libraries[i].start, strlen(libraries[i].start)) == 0)
            *kind = libraries[i].kind;
    return *kind == MPI_UNKNOWN;
}

enum mpi_kind program_mpi(const char *path)
{
    enum mpi_kind kind = MPI_UNKNOWN;
    elf_needed(path, note_mpi, &kind);
    if (kind == MPI_UNKNOWN)
        linked_libraries(path, note_mpi, &kind);
    return kind;
}

enum mpi_kind launcher_mpi(void)
{
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        return MPI_OPEN_MPI;
    /* Hydra's, MPICH's launcher. */
    return getenv("MPI_LOCALNRANKS") ? MPI_MPICH : MPI_UNKNOWN;
}

bool find_launcher(enum mpi_kind kind, char *path, size_t size, struct error *error)
{
    static const char *const launchers[][4] = {
        [MPI_UNKNOWN] = {"mpirun", "mpiexec"},
        [MPI_MPICH] = {"mpirun.mpich", "mpiexec.hydra", "mpirun"},
        [MPI_OPEN_MPI] = {"mpirun.openmpi", "mpirun"}};
    const char *chosen = getenv("TSPROF_MPIRUN");
    if (chosen && chosen[0])
        return find_program(chosen, path, size) ||
               error_set(error, "TSPROF_MPIRUN=%s: there is no such program", chosen);
    for (size_t i = 0; i < 4 && launchers[kind][i]; i++)
        if (find_program(launchers[kind][i], path, size))
            return true;
    return error_set(error, "there is no %s in PATH; name the launcher in TSPROF_MPIRUN",
                     launchers[kind][0]);
}

/* Puts DIRECTORY/NAME into PATH, resolved; false if that cannot be read. */
static bool resolve(const char *directory, const char *name, char *path, size_t size)
{
    char joined[PATH_MAX], resolved[PATH_MAX];
    if (snprintf(joined, sizeof joined, "%s/%s", directory, name) >= (int)sizeof joined)
        return false;
    return realpath(joined, resolved) && access(resolved, R_OK) == 0 &&
           snprintf(path, size, "%s", resolved) < (int)size;
}

/* TSPROF_LIB, which must be right: nothing else is tried when it is set. */
static bool resolve_chosen(const char *chosen, char *path, size_t size, struct error *error)
{
    char resolved[PATH_MAX];
    if (!realpath(chosen, resolved) || access(resolved, R_OK) != 0)
        return error_set(error, "TSPROF_LIB=%s: cannot be read: %s", chosen, strerror(errno));
    return snprintf(path, size, "%s", resolved) < (int)size ||
           error_set(error, "TSPROF_LIB=%s: the path is too long", chosen);
}

static bool find_any_runtime(const char *command, enum mpi_kind kind, char *path, size_t size,
                             struct error *error)
{
    const char *name = runtimes[kind].file;
    char directory[PATH_MAX];
    const char *chosen = getenv("TSPROF_LIB");
    if (chosen && chosen[0])
        return resolve_chosen(chosen, path, size, error);
    snprintf(directory, sizeof directory, "%s", command);
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
    /* libtool keeps the real command of a build tree in a directory of its own. */
    char *last = strrchr(directory, '/');
    if (last && strcmp(last, "/.libs") == 0)
        *last = '\0';
    strncat(directory, "/../libprof/.libs", sizeof directory - strlen(directory) - 1);
    if (resolve(directory, name, path, size) || resolve(TSPROF_LIBDIR, name, path, size))
        return true;
    return error_set(
        error, "the runtime for %s is missing: there is no %s/%s, and TSPROF_LIB is not set",
        runtimes[kind].mpi, TSPROF_LIBDIR, name);
}

bool find_runtime(const char *command, enum mpi_kind kind, char *path, size_t size,
                  struct error *error)
{
    if (!find_any_runtime(command, kind, path, size, error))
        return false;
    if (strpbrk(path, " :"))
        return error_set(error, "%s: a path with a blank or a colon cannot be preloaded", path);
    return true;
}

bool own_path(char *path, size_t size, struct error *error)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length < 0)
        return error_set(error, "/proc/self/exe: cannot be read: %s", strerror(errno));
    path[length] = '\0';
    return true;
}

int launch(char **argv)
{
    execvp(argv[0], argv);
    int reason = errno;
    complain("%s: cannot be started: %s", argv[0], strerror(reason));
    return reason == ENOENT || reason == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}
