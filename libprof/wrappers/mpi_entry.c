/* See mpi_entry.h. */
#include "wrappers/mpi_entry.h"

#include "host/host.h"
#include "library/typed.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Whether the program's MPI is known to be the one tsprof was built for; every entry reads it.
 */
__attribute__((used, visibility("hidden"))) char mpi_entry_fits;

/* Whether calls are only passed on: it is another MPI, or the process must not be measured. */
static bool foreign;

ARCH_ENTRY_ASK(mpi_entry_ask, mpi_entry_target);

/* The runtimes and the MPI that each is built for. */
static const struct kind {
    const char *name;
    const char *file;
} kinds[] = {{"MPICH", "libtsprof-mpich.so"}, {"Open MPI", "libtsprof-openmpi.so"}};

#ifdef OPEN_MPI
static const struct kind *const own = &kinds[1], *const other = &kinds[0];
#else
static const struct kind *const own = &kinds[0], *const other = &kinds[1];
#endif

/* Whether a launcher has started this process with a rank other than 0. */
static bool is_later_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *rank = secure_getenv(variables[i]);
        if (rank)
            return strcmp(rank, "0") != 0;
    }
    return false;
}

/*
 * Prints a message that names the runtime that fits, which is in the same directory as this
 * one.
 */
static void complain(void)
{
    Dl_info info;
    char path[4096];
    if (secure_process())
        return;
    config_start();
    if (is_later_rank() || !dladdr(&kinds, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    int directory = slash ? (int)(slash + 1 - info.dli_fname) : 0;
    snprintf(path, sizeof path, "%.*s%s", directory, info.dli_fname, other->file);
    bool there = access(path, R_OK) == 0;
    message(1, "nothing is measured: %s was built for %s, and this program uses %s; %s %s",
            slash ? slash + 1 : info.dli_fname, own->name, other->name,
            there ? "preload" : "tsprof was built without", there ? path : other->file);
}

static bool initializes(const char *name)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init"};
    name += *name == 'P';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int missing(void)
{
    return MPI_ERR_OTHER;
}

/* The program's own function NAME, looked up once. */
static void *find_own(const struct mpi_entry *entry, const char *name)
{
    void **place = (void **)((char *)&entry->place + entry->place);
    void *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (found)
        return found;
    found = mpi_real_symbol(name);
    if (!found)
        memcpy(&found, &(int (*)(void)){missing}, sizeof found);
    dlerror();
    __atomic_store_n(place, found, __ATOMIC_RELEASE);
    return found;
}

void *mpi_entry_target(const struct mpi_entry *entry)
{
    static char complained;
    int saved = errno;
    void *target = (char *)&entry->wrapper + entry->wrapper;
    const char *name = (const char *)&entry->name + entry->name;
    if (!__atomic_load_n(&foreign, __ATOMIC_ACQUIRE) && mpi_real_present()) {
        if (!secure_process() && mpi_real_fits())
            __atomic_store_n(&mpi_entry_fits, 1, __ATOMIC_RELEASE);
        else
            __atomic_store_n(&foreign, true, __ATOMIC_RELEASE);
    }
    if (__atomic_load_n(&foreign, __ATOMIC_ACQUIRE)) {
        target = find_own(entry, name);
        if (initializes(name) && !__atomic_test_and_set(&complained, __ATOMIC_ACQ_REL))
            complain();
    }
    errno = saved;
    return target;
}
