/* See unload.h. */
#include "life/unload.h"

#include "measure/measure.h"
#include "regions/regions.h"
#include "unwind/unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int (*real_dlclose)(void *);
static bool watching;

/* Runs before main, because a later lookup would change what dlerror tells the program. */
static void __attribute__((constructor)) find_real(void)
{
    void *found = dlsym(RTLD_NEXT, "dlclose");
    memcpy(&real_dlclose, &found, sizeof found);
}

void unload_watch(void)
{
    __atomic_store_n(&watching, true, __ATOMIC_RELEASE);
}

EXPORT int dlclose(void *handle)
{
    if (!real_dlclose)
        find_real();
    if (!__atomic_load_n(&watching, __ATOMIC_ACQUIRE))
        return real_dlclose(handle);
    recipes_suspend();
    regions_filter_unloading();
    int result = real_dlclose(handle);
    int saved = errno;
    recipes_resume();
    regions_filter_unloaded();
    fortran_calls_forget();
    errno = saved;
    return result;
}
