/* See mpi_real.h. */
#include "mpi_real.h"

#include "message.h"

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

struct search {
    const char *symbol;
    void *found;
};

/* Looks for the symbol in one loaded module that looks like an MPI library. */
static int search_module(struct dl_phdr_info *module, size_t size, void *context)
{
    struct search *search = context;
    (void)size;
    if (!strstr(module->dlpi_name, "libmpi") && !strstr(module->dlpi_name, "libpmpi"))
        return 0;
    void *handle = dlopen(module->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return 0;
    search->found = dlsym(handle, search->symbol);
    dlclose(handle);
    return search->found != NULL;
}

/*
 * The next definition after ours; or, where a program opened MPI privately (as Python modules
 * are), the one in that library.
 */
static void *find_symbol(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    if (found)
        return found;
    struct search search = {.symbol = symbol};
    dl_iterate_phdr(search_module, &search);
    return search.found;
}

mpi_function mpi_real_find(enum mpi_call call, int profiled)
{
    int saved = errno;
    char symbol[64];
    const char *name = mpi_call_table[call].name;
    snprintf(symbol, sizeof symbol, "%s%s", profiled ? "P" : "", name);
    void *found = find_symbol(symbol);
    if (!found)
        found = find_symbol(profiled ? name : symbol);
    mpi_function function = (mpi_function)missing;
    if (found)
        memcpy(&function, &found, sizeof function);
    else
        message(1, "the MPI library has no %s", symbol);
    __atomic_store_n(&mpi_real_table[profiled][call], function, __ATOMIC_RELEASE);
    errno = saved;
    return function;
}

bool mpi_real_present(void)
{
    return find_symbol("PMPI_Init") != NULL;
}
