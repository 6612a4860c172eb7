/*
 * libtsprof-nvtx.so, which NVTX_INJECTION64_PATH names so that NVTX ranges can be iterations.
 *
 * It is a library of its own, because NVTX takes any library with this function for a tool, and
 * the preloaded runtime must not look like one unless it was asked for.  Calls the runtime, if
 * the process has it.
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
