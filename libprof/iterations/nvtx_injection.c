/*
 * libtsprof-nvtx.so: what NVTX_INJECTION64_PATH names so that ranges of NVTX can be iterations.
 *
 * A library of its own, since nothing that is preloaded must look like an injection that nobody
 * has asked for.  Leads to the runtime, if the process has one.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*get_table)(uint32_t number));

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t number))
{
    int (*inject)(const void *(*get_table)(uint32_t number)) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "tsprof_nvtx_inject");
    memcpy(&inject, &found, sizeof found);
    return inject ? inject(get_table) : 0;
}
