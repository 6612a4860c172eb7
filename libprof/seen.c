/*
 * See seen.h.
 *
 * Modules are only added, and what is known of one never changes; readers need no lock.
 */
#include "seen.h"

#include "buildid.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TEXT_BYTES = 1 << 18, FIRST_PAGE_BYTES = 4096 };

static struct seen_module modules[SEEN_MOST]; /* the first stands for SEEN_NONE */
static uint32_t module_count = 1;
static char writer;

static char text[TEXT_BYTES];
static size_t text_used;

/*
 * The build id of the module mapped at LOW.  Linkers put it right behind the ELF header, into
 * the first page: further than that nothing is read.
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

static bool is_same(const struct seen_module *module, const struct dl_find_object *object)
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

static char *keep(const void *bytes, size_t length)
{
    if (length > sizeof text - text_used)
        return NULL;
    char *kept = text + text_used;
    memcpy(kept, bytes, length);
    text_used += length;
    return kept;
}

/* The program may have changed its directory by the time the file is looked for. */
static bool keep_path(struct seen_module *module, const char *name)
{
    size_t begin = text_used;
    if (name[0] != '/' && strchr(name, '/')) {
        int saved = errno;
        long length = syscall(SYS_getcwd, text + text_used, sizeof text - text_used);
        errno = saved;
        /* Its ending zero becomes a slash. */
        if (length > 1) {
            text_used += (size_t)length;
            text[text_used - 1] = '/';
        }
    }
    module->path = text + begin;
    module->name = keep(name, strlen(name) + 1);
    return module->name;
}

/* Adds the module; SEEN_NONE if there is no room. */
static uint32_t add(const struct dl_find_object *object)
{
    const struct link_map *map = object->dlfo_link_map;
    if (module_count == SEEN_MOST)
        return SEEN_NONE;
    struct seen_module *module = &modules[module_count];
    size_t before = text_used;
    *module = (struct seen_module){.low = (uintptr_t)object->dlfo_map_start,
                                   .high = (uintptr_t)object->dlfo_map_end,
                                   .base = map->l_addr,
                                   .dynamic = (uintptr_t)map->l_ld,
                                   .header = (uintptr_t)object->dlfo_eh_frame};
    const unsigned char *build_id = find_build_id(module->low, &module->build_id_length);
    module->build_id =
        (unsigned char *)keep(build_id ? build_id : (const void *)"", module->build_id_length);
    if (!module->build_id || !keep_path(module, map->l_name)) {
        text_used = before;
        return SEEN_NONE;
    }
    __atomic_store_n(&module_count, module_count + 1, __ATOMIC_RELEASE);
    return module_count - 1;
}

uint32_t seen_find_async(const struct dl_find_object *object)
{
    uint32_t number = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
    while (--number > SEEN_NONE)
        if (is_same(&modules[number], object))
            break;
    return number;
}

uint32_t seen_number_async(const struct dl_find_object *object)
{
    uint32_t number = seen_find_async(object);
    /* If somebody else is adding, perhaps what this handler interrupted: do without. */
    if (number != SEEN_NONE || __atomic_test_and_set(&writer, __ATOMIC_ACQUIRE))
        return number;
    number = seen_find_async(object);
    if (number == SEEN_NONE)
        number = add(object);
    __atomic_clear(&writer, __ATOMIC_RELEASE);
    return number;
}

const struct seen_module *seen_module(uint32_t number)
{
    return number > SEEN_NONE && number < __atomic_load_n(&module_count, __ATOMIC_ACQUIRE)
               ? &modules[number]
               : NULL;
}
