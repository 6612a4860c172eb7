/* Loaded modules: who holds an address, and where in its file that is. */
#include "host/modmap.h"

#include "tap.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_libraries_are_found(const struct modmap *map);

static void test_the_program_holds_its_functions(const struct modmap *map)
{
    char path[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    const struct module *module =
        modmap_find(map, (uintptr_t)test_the_program_holds_its_functions);
    if (!OK(module && length > 0, "a function of the program is in a module"))
        return;
    OK(strcmp(module->path, path) == 0, "which is the program, by its full path");
    OK(module->low <= (uintptr_t)test_libraries_are_found &&
           (uintptr_t)test_libraries_are_found < module->high,
       "within its bounds");
    OK(strspn(module->build_id, "0123456789abcdef") == strlen(module->build_id),
       "its build id is hexadecimal or empty");
}

static void test_libraries_are_found(const struct modmap *map)
{
    void *function = dlsym(RTLD_DEFAULT, "getppid");
    const struct module *module = modmap_find(map, (uintptr_t)function);
    Dl_info info;
    if (!OK(module && dladdr(function, &info), "a function of the C library is in a module"))
        return;
    OK(strstr(module->path, "libc"), "which is %s", module->path);
    EQ_INT(module->base, (uintptr_t)info.dli_fbase, "at the loader's address");
}

static void test_other_addresses_are_in_none(const struct modmap *map)
{
    int local;
    OK(!modmap_find(map, (uintptr_t)&local), "the stack is no module");
    OK(!modmap_find(map, 0), "nor is nothing");
    OK(!modmap_find(map, UINTPTR_MAX), "nor is the end");
}

static void test_modules_do_not_overlap(const struct modmap *map)
{
    bool apart = true;
    for (size_t i = 0; i < map->count; i++)
        for (size_t j = 0; j < i; j++)
            apart = apart && (map->modules[i].low >= map->modules[j].high ||
                              map->modules[j].low >= map->modules[i].high);
    OK(apart, "%zu modules are apart", map->count);
}

int main(void)
{
    struct modmap map;
    modmap_load(&map);
    test_the_program_holds_its_functions(&map);
    test_libraries_are_found(&map);
    test_other_addresses_are_in_none(&map);
    test_modules_do_not_overlap(&map);
    modmap_free(&map);
    OK(map.count == 0 && !modmap_find(&map, (uintptr_t)test_modules_do_not_overlap),
       "nothing is left when it is freed");
    return tap_done();
}
