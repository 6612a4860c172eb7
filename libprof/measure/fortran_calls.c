/* See fortran_calls.h. */
#include "measure/fortran_calls.h"

#include "host/host.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { ANSWERS = 256 };

/* The remembered answers, each as address << 1 | answer; 0: none. */
static uint64_t answers[ANSWERS];

/*
 * Whether PATH is a library of Fortran bindings: libmpichfort, libmpifort, libmpi_mpifh and so
 * on.
 */
static bool is_fortran_layer(const char *path)
{
    static const char *const parts[] = {"fort", "mpifh", "usempi"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, "libmpi", strlen("libmpi")) != 0)
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

/* Whether SYMBOL contains WORD, in upper or lower case. */
static bool mentions(const char *symbol, const char *word)
{
    size_t length = strlen(word);
    for (; *symbol; symbol++)
        if (strncasecmp(symbol, word, length) == 0)
            return true;
    return false;
}

/*
 * Whether the function around ADDRESS is the binding of MPI function NAME.  Bindings are
 * exported, as mpi_comm_size_, MPI_COMM_SIZE, ompi_comm_size_f or mpi_comm_size_f08_, for
 * example.
 */
static bool is_binding(const char *name, const Dl_info *info, const ElfW(Sym) * symbol,
                       uintptr_t address)
{
    if (!info->dli_sname || !symbol)
        return false;
    uintptr_t begin = (uintptr_t)info->dli_saddr;
    return address - begin < symbol->st_size &&
           mentions(info->dli_sname, strchr(name, '_') + 1);
}

static bool find_out(const char *name, uintptr_t address)
{
    struct dl_find_object object;
    Dl_info info;
    void *symbol = NULL;
    /*
     * _dl_find_object takes no lock, and is all that calls from outside these libraries need.
     */
    if (_dl_find_object((void *)address, &object) != 0 ||
        !is_fortran_layer(object.dlfo_link_map->l_name))
        return false;
    return dladdr1((void *)address, &info, &symbol, RTLD_DL_SYMENT) != 0 &&
           !is_binding(name, &info, symbol, address);
}

bool fortran_calls_call(const char *name, uintptr_t address)
{
    uint64_t *place = &answers[(address ^ address >> 8) % ANSWERS];
    uint64_t known = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (known >> 1 == address)
        return known & 1;
    int saved = errno;
    /*
     * One less, because the return address may be past the end of a function that never
     * resumes.
     */
    bool answer = find_out(name, address - 1);
    errno = saved;
    __atomic_store_n(place, (uint64_t)address << 1 | answer, __ATOMIC_RELAXED);
    return answer;
}

void fortran_calls_forget(void)
{
    for (size_t i = 0; i < ANSWERS; i++)
        __atomic_store_n(&answers[i], 0, __ATOMIC_RELAXED);
}
