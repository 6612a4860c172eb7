/* See mpi_real.h. */
#include "library/typed.h"

#include "host/host.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

mpi_function mpi_real_table[2][CALL_COUNT];

static int missing(void)
{
    return MPI_ERR_OTHER;
}

/* Searches the loaded modules that look like an MPI library for the name of the next one. */
struct search {
    unsigned skipped;
    char name[4096];
};

static int search_module(struct dl_phdr_info *module, size_t size, void *context)
{
    struct search *search = context;
    (void)size;
    if (!strstr(module->dlpi_name, "libmpi") && !strstr(module->dlpi_name, "libpmpi"))
        return 0;
    if (search->skipped-- > 0)
        return 0;
    snprintf(search->name, sizeof search->name, "%s", module->dlpi_name);
    return 1;
}

/* The address of SYMBOL in the loaded module NAME; NULL if it is not there. */
static void *find_in_module(const char *name, const char *symbol)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    void *found = handle ? dlsym(handle, symbol) : NULL;
    if (handle)
        dlclose(handle);
    return found;
}

/*
 * The next definition after tsprof's own; or, if a program has opened MPI privately, as Python
 * does with its modules, the one in that library.
 */
void *mpi_real_symbol(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    if (found)
        return found;
    /*
     * The module is opened after dl_iterate_phdr has returned, because that holds a lock for
     * which another thread's dlopen may be waiting.
     */
    for (unsigned index = 0; !found; index++) {
        struct search search = {.skipped = index};
        if (dl_iterate_phdr(search_module, &search) == 0)
            break;
        found = find_in_module(search.name, symbol);
    }
    return found;
}

/* The real function; NULL if the MPI library lacks it. */
static mpi_function look_up(enum mpi_call call, int profiled)
{
    char symbol[64];
    mpi_function function = NULL;
    const char *name = mpi_call_name_async(call);
    snprintf(symbol, sizeof symbol, "%s%s", profiled ? "P" : "", name);
    void *found = mpi_real_symbol(symbol);
    if (!found && profiled)
        found = mpi_real_symbol(name);
    if (found)
        memcpy(&function, &found, sizeof function);
    return function;
}

#ifdef OPEN_MPI
void *mpi_objects[OBJECT_COUNT];

static void find_objects(void)
{
    static const char *const names[OBJECT_COUNT] = {
#define OMPI_OBJECT(name) [OBJECT_##name] = #name,
#include "library/ompi_objects.def"
#undef OMPI_OBJECT
    };
    /*
     * RTLD_DEFAULT first: a program may have copy relocations, which replace the library's own.
     */
    for (int object = 0; object < OBJECT_COUNT; object++) {
        void *found = dlsym(RTLD_DEFAULT, names[object]);
        mpi_objects[object] = found ? found : mpi_real_symbol(names[object]);
    }
}
#else
static void find_objects(void)
{
}
#endif

void mpi_real_start(void)
{
    for (int call = 0; call < CALL_COUNT; call++)
        for (int profiled = 0; profiled < 2; profiled++)
            if (!mpi_real_table[profiled][call])
                mpi_real_table[profiled][call] = look_up((enum mpi_call)call, profiled);
    find_objects();
    /*
     * Clears the errors about functions that an older library lacks, so that the program sees
     * none.
     */
    dlerror();
}

mpi_function mpi_real_find(enum mpi_call call, int profiled)
{
    int saved = errno;
    mpi_function function = look_up(call, profiled);
    if (!function) {
        message(1, "the MPI library has no %s%s", profiled ? "P" : "",
                mpi_call_name_async(call));
        function = (mpi_function)missing;
    }
    __atomic_store_n(&mpi_real_table[profiled][call], function, __ATOMIC_RELEASE);
    errno = saved;
    return function;
}

bool mpi_real_present(void)
{
    return mpi_real_symbol("PMPI_Init") != NULL;
}

bool mpi_real_fits(void)
{
    /* Only Open MPI has this symbol; all others use the types of MPICH. */
    static const char mark[] = "ompi_mpi_comm_world";
    Dl_info info;
    void *init = mpi_real_symbol("PMPI_Init");
    if (!init)
        return true;
    /* If there are two libraries, the program's calls reach the one with this function. */
    bool found = dladdr(init, &info) && info.dli_fname && find_in_module(info.dli_fname, mark);
#ifdef OPEN_MPI
    return found;
#else
    return !found;
#endif
}
