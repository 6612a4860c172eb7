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
struct library_search {
    unsigned skipped;
    char name[4096];
};

static int search_module(struct dl_phdr_info *module, size_t size, void *context)
{
    struct library_search *search = context;
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
        struct library_search search = {.skipped = index};
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
static mpi_function attributes[ATTRIBUTE_COUNT];

static mpi_function find_attribute(enum mpich_attribute attribute)
{
    static const char *const names[ATTRIBUTE_COUNT] = {
#define MPICH_ATTRIBUTE(symbol, name, params, args) [ATTRIBUTE_##symbol] = #symbol,
#include "library/mpich_attributes.def"
#undef MPICH_ATTRIBUTE
    };
    mpi_function function = (mpi_function)missing;
    void *found = mpi_real_symbol(names[attribute]);
    if (found)
        memcpy(&function, &found, sizeof function);
    __atomic_store_n(&attributes[attribute], function, __ATOMIC_RELEASE);
    return function;
}

mpi_function mpi_real_attribute(enum mpich_attribute attribute)
{
    mpi_function function = __atomic_load_n(&attributes[attribute], __ATOMIC_ACQUIRE);
    return function ? function : find_attribute(attribute);
}

static void find_objects(void)
{
    for (int attribute = 0; attribute < ATTRIBUTE_COUNT; attribute++)
        find_attribute((enum mpich_attribute)attribute);
}
#endif

/* The functions that this mpi.h declares: others have no wrapper, and are not looked up. */
static const bool declared[CALL_COUNT] = {
#define MPI_CALL(type, name, group, time, params, args, rule)   [CALL_##name] = true,
#define MPI_CALL_PREINIT                                        MPI_CALL
#define MPI_CALL_STATUS                                         MPI_CALL
#define MPI_CALL_BY_HAND(type, name, group, time, params, args) [CALL_##name] = true,
#include "calls/mpi_calls.def"
#undef MPI_CALL
#undef MPI_CALL_PREINIT
#undef MPI_CALL_STATUS
#undef MPI_CALL_BY_HAND
};

/* What Fortran bindings do without any C function that has a wrapper: MPICH's do nothing so. */
static const char *const fortran_alone[] = {
#ifdef OPEN_MPI
    "mpi_*_[gs]et_attr_*",
    "mpi_attr_[gp][eu]t_*",
    "mpi_*_create_keyval_*",
    "mpi_keyval_create_*",
    "mpi_*_create_errhandler_*",
    "mpi_errhandler_create_*",
    "mpi_type_match_size_*",
#endif
    NULL};

void mpi_real_start(void)
{
    for (int call = 0; call < CALL_COUNT; call++)
        mpi_call_table[call].absent = !declared[call];
    for (int call = 0; call < CALL_COUNT; call++)
        for (int profiled = 0; profiled < 2 && declared[call]; profiled++)
            if (!mpi_real_table[profiled][call])
                mpi_real_table[profiled][call] = look_up((enum mpi_call)call, profiled);
    find_objects();
    outside_find(fortran_alone);
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
