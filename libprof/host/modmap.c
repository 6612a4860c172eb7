/* See modmap.h. */
#include "host/modmap.h"

#include "assemble/buildid.h"
#include "host/peek.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *executable_path(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return strdup(path);
}

/*
 * The build id in a loaded segment of notes, in hexadecimal; NULL if there is none.  The caller
 * frees it.
 */
static char *find_build_id(const char *notes, size_t size, size_t alignment)
{
    char text[BUILDID_TEXT];
    size_t length;
    if (peek_is_lost_async((uintptr_t)notes) || peek_is_lost_async((uintptr_t)notes + size - 1))
        return NULL;
    const unsigned char *found = buildid_find_async(notes, size, alignment, &length);
    if (!found)
        return NULL;
    buildid_text(found, length, text);
    return strdup(text);
}

static int add_module(struct dl_phdr_info *loaded, size_t size, void *context)
{
    struct modmap *map = context;
    (void)size;
    /* Nothing is known of a module whose file was truncated, and its code cannot be run. */
    if (peek_is_lost_async((uintptr_t)loaded->dlpi_phdr))
        return 0;
    struct module *grown = realloc(map->modules, (map->count + 1) * sizeof *grown);
    if (!grown)
        return 1;
    map->modules = grown;
    struct module *module = &grown[map->count];
    *module = (struct module){.base = loaded->dlpi_addr, .low = UINTPTR_MAX};
    for (int i = 0; i < loaded->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &loaded->dlpi_phdr[i];
        uintptr_t begin = loaded->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD) {
            module->low = begin < module->low ? begin : module->low;
            if (begin + header->p_memsz > module->high)
                module->high = begin + header->p_memsz;
        } else if (header->p_type == PT_NOTE && !module->build_id) {
            module->build_id =
                find_build_id((const char *)begin, header->p_memsz, header->p_align);
        }
    }
    module->path = map->count == 0 ? executable_path() : strdup(loaded->dlpi_name);
    if (!module->build_id)
        module->build_id = strdup("");
    map->count++;
    return !module->path || !module->build_id;
}

void modmap_load(struct modmap *map)
{
    *map = (struct modmap){0};
    if (dl_iterate_phdr(add_module, map) != 0)
        modmap_free(map);
}

void modmap_free(struct modmap *map)
{
    for (size_t i = 0; i < map->count; i++) {
        free(map->modules[i].path);
        free(map->modules[i].build_id);
    }
    free(map->modules);
    *map = (struct modmap){0};
}

const struct module *modmap_find(const struct modmap *map, uintptr_t address)
{
    for (size_t i = 0; i < map->count; i++)
        if (address >= map->modules[i].low && address < map->modules[i].high)
            return &map->modules[i];
    return NULL;
}
