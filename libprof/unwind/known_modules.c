/*
 * See known_modules.h.
 *
 * Modules are only added, and what is known of one never changes.  Nobody waits: two threads
 * that meet a module at the same time may both add it, and then it has two numbers.
 */
#include "unwind/known_modules.h"

#include "assemble/buildid.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TEXT_BYTES = 1 << 18, DIRECTORY_MOST = 4096, FIRST_PAGE_BYTES = 4096 };

static struct known_module modules[KNOWN_MODULES_MOST]; /* 0 is none */
static bool complete[KNOWN_MODULES_MOST];
static uint32_t module_count = 1;

static char text[TEXT_BYTES];
static size_t text_used;

/*
 * The build id of the module mapped at LOW.  Linkers put it right behind the ELF header, in the
 * first page: nothing beyond that page is read.
 */
static const unsigned char *find_build_id(uintptr_t low, size_t *length)
{
    const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)low;
    *length = 0;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_phentsize != sizeof(ElfW(Phdr)) ||
        elf->e_phoff > FIRST_PAGE_BYTES ||
        elf->e_phnum > (FIRST_PAGE_BYTES - elf->e_phoff) / sizeof(ElfW(Phdr)))
        return NULL;
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)(low + elf->e_phoff);
    for (unsigned i = 0; i < elf->e_phnum; i++, header++) {
        if (header->p_type != PT_NOTE || header->p_offset > FIRST_PAGE_BYTES ||
            header->p_filesz > FIRST_PAGE_BYTES - header->p_offset)
            continue;
        const unsigned char *found = buildid_find_async(
            (const void *)(low + header->p_offset), header->p_filesz, header->p_align, length);
        if (found)
            return found;
    }
    *length = 0;
    return NULL;
}

static bool is_same(const struct known_module *module, const struct dl_find_object *object)
{
    const struct link_map *map = object->dlfo_link_map;
    if (module->low != (uintptr_t)object->dlfo_map_start ||
        module->high != (uintptr_t)object->dlfo_map_end || module->base != map->l_addr ||
        module->dynamic != (uintptr_t)map->l_ld ||
        module->header != (uintptr_t)object->dlfo_eh_frame ||
        strcmp(module->name, map->l_name) != 0)
        return false;
    size_t length;
    const unsigned char *build_id = find_build_id(module->low, &length);
    return length == module->build_id_length &&
           (length == 0 || memcmp(build_id, module->build_id, length) == 0);
}

/* Takes LENGTH bytes, which are kept for good; NULL if there is no room. */
static char *take_text(size_t length)
{
    size_t begin = __atomic_fetch_add(&text_used, length, __ATOMIC_RELAXED);
    return begin < sizeof text && length <= sizeof text - begin ? text + begin : NULL;
}

/* Writes the current directory and a slash; returns their length, 0 if it is unknown. */
static size_t write_directory(char *directory, size_t size)
{
    int saved = errno;
    long length = syscall(SYS_getcwd, directory, size);
    errno = saved;
    if (length <= 1)
        return 0;
    directory[length - 1] = '/';
    return (size_t)length;
}

/*
 * Keeps the module's path, made absolute: the program may have changed its directory by the
 * time the file is opened.
 */
static bool keep_path(struct known_module *module, const char *name)
{
    bool relative = name[0] != '/' && strchr(name, '/');
    size_t room = relative ? DIRECTORY_MOST : 0, length = strlen(name) + 1;
    char *path = take_text(room + length);
    if (!path)
        return false;
    size_t used = relative ? write_directory(path, room) : 0;
    module->path = path;
    module->name = memcpy(path + used, name, length);
    return true;
}

static bool keep_build_id(struct known_module *module)
{
    const unsigned char *found = find_build_id(module->low, &module->build_id_length);
    char *kept = take_text(module->build_id_length);
    if (kept && found)
        memcpy(kept, found, module->build_id_length);
    module->build_id = (unsigned char *)kept;
    return kept;
}

/* Takes a number that no other module has; KNOWN_MODULES_NONE if there is none. */
static uint32_t take_number(void)
{
    uint32_t number = __atomic_load_n(&module_count, __ATOMIC_RELAXED);
    while (number < KNOWN_MODULES_MOST &&
           !__atomic_compare_exchange_n(&module_count, &number, number + 1, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
    return number < KNOWN_MODULES_MOST ? number : KNOWN_MODULES_NONE;
}

static uint32_t add(const struct dl_find_object *object)
{
    const struct link_map *map = object->dlfo_link_map;
    uint32_t number = take_number();
    struct known_module *module = &modules[number];
    if (number == KNOWN_MODULES_NONE)
        return KNOWN_MODULES_NONE;
    *module = (struct known_module){.low = (uintptr_t)object->dlfo_map_start,
                                    .high = (uintptr_t)object->dlfo_map_end,
                                    .base = map->l_addr,
                                    .dynamic = (uintptr_t)map->l_ld,
                                    .header = (uintptr_t)object->dlfo_eh_frame};
    if (!keep_build_id(module) || !keep_path(module, map->l_name))
        return KNOWN_MODULES_NONE;
    __atomic_store_n(&complete[number], true, __ATOMIC_RELEASE);
    return number;
}

uint32_t known_module_find_async(const struct dl_find_object *object)
{
    uint32_t number = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
    while (--number > KNOWN_MODULES_NONE)
        if (__atomic_load_n(&complete[number], __ATOMIC_ACQUIRE) &&
            is_same(&modules[number], object))
            break;
    return number;
}

uint32_t known_module_number_async(const struct dl_find_object *object)
{
    uint32_t number = known_module_find_async(object);
    return number == KNOWN_MODULES_NONE ? add(object) : number;
}

uint32_t known_module_count_async(void)
{
    return __atomic_load_n(&module_count, __ATOMIC_RELAXED);
}

const struct known_module *known_module_get_async(uint32_t number)
{
    return number < KNOWN_MODULES_MOST && __atomic_load_n(&complete[number], __ATOMIC_ACQUIRE)
               ? &modules[number]
               : NULL;
}
