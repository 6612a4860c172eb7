/* See got.h. */
#include "host/got.h"

#include "arch/arch.h"
#include "host/other_libc.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The function to hook, and what is put in its place. */
struct change {
    const char *symbol;
    got_function hook;
    uintptr_t function;   /* the original's address */
    uintptr_t defined_in; /* load base of the module that defines it */
    uintptr_t own;        /* load base of tsprof */
};

/* A module's tables of the words through which it calls functions of other modules. */
struct tables {
    const char *strings;
    const ElfW(Sym) * symbols;
    const uint32_t *hashes;
    const ElfW(Rela) * calls; /* relocations of calls, bound at the first call or before */
    size_t call_bytes;
    const ElfW(Rela) * others;
    size_t other_bytes;
};

/*
 * An address in the dynamic section.  The loader has added the load base to it already, except
 * in the kernel's own module (the vDSO).
 */
static const void *placed(const struct dl_phdr_info *info, uintptr_t address)
{
    return (const void *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

static bool read_tables(const struct dl_phdr_info *info, struct tables *tables)
{
    const ElfW(Dyn) *dynamic = NULL;
    *tables = (struct tables){0};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        const void *at = placed(info, dynamic->d_un.d_ptr);
        switch (dynamic->d_tag) {
        case DT_STRTAB:
            tables->strings = at;
            break;
        case DT_SYMTAB:
            tables->symbols = at;
            break;
        case DT_GNU_HASH:
            tables->hashes = at;
            break;
        case DT_JMPREL:
            tables->calls = at;
            break;
        case DT_PLTRELSZ:
            tables->call_bytes = dynamic->d_un.d_val;
            break;
        case DT_RELA:
            tables->others = at;
            break;
        case DT_RELASZ:
            tables->other_bytes = dynamic->d_un.d_val;
            break;
        }
    }
    return tables->strings && tables->symbols;
}

/*
 * Whether the loader has made ADDRESS in the module read-only.  It can do so for whole pages
 * only: where the segment ends inside a page, that page stays writable.
 */
static bool is_read_only(const struct dl_phdr_info *info, uintptr_t address, uintptr_t page)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_RELRO && address >= (start & ~(page - 1)) &&
            address < ((start + part->p_memsz) & ~(page - 1)))
            return true;
    }
    return false;
}

static void put(const struct dl_phdr_info *info, uintptr_t *slot, uintptr_t word)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)((uintptr_t)slot & ~(page - 1));
    bool read_only = is_read_only(info, (uintptr_t)slot, page);
    if (*slot == word || (read_only && mprotect(start, page, PROT_READ | PROT_WRITE) != 0))
        return;
    __atomic_store_n(slot, word, __ATOMIC_RELEASE);
    if (read_only)
        mprotect(start, page, PROT_READ);
}

static void change_words(const struct dl_phdr_info *info, const struct change *change,
                         const struct tables *tables, const ElfW(Rela) * entries, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *entries; i++) {
        if (!arch_fills_function_word(entries[i].r_info))
            continue;
        const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(entries[i].r_info)];
        if (strcmp(tables->strings + symbol->st_name, change->symbol) == 0)
            put(info, (uintptr_t *)(info->dlpi_addr + entries[i].r_offset),
                (uintptr_t)change->hook);
    }
}

/* The first address at which the module is loaded; 0 if none of it is. */
static uintptr_t first_loaded(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            return info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    return 0;
}

/*
 * Whether the loader has finished with the module.  One that another thread is loading is
 * listed before its words are filled in, but cannot be found by address yet: the loader still
 * writes to it.
 */
static bool is_settled(const struct dl_phdr_info *info)
{
    struct dl_find_object found;
    const uintptr_t address = first_loaded(info);
    return address && _dl_find_object((void *)address, &found) == 0;
}

static int change_module(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct change *change = context;
    struct tables tables;
    (void)size;
    if (info->dlpi_addr == change->defined_in || info->dlpi_addr == change->own ||
        !is_settled(info) || !read_tables(info, &tables))
        return 0;
    change_words(info, change, &tables, tables.calls, tables.call_bytes);
    change_words(info, change, &tables, tables.others, tables.other_bytes);
    return 0;
}

static uint32_t hash_of(const char *symbol)
{
    uint32_t hash = 5381;
    for (; *symbol; symbol++)
        hash = hash * 33 + (unsigned char)*symbol;
    return hash;
}

/* The address of the function that the module defines as SYMBOL; 0 if it defines none. */
static uintptr_t find_function(const struct dl_phdr_info *info, const struct tables *tables,
                               const char *symbol)
{
    if (!tables->hashes)
        return 0;
    /*
     * The table begins with the number of buckets, the first hashed symbol, and the size of the
     * filter in words of 8 bytes; the filter itself follows, then the buckets and the chains.
     */
    const uint32_t *hashes = tables->hashes, wanted = hash_of(symbol), first = hashes[1];
    const uint32_t *buckets = hashes + 4 + 2 * (size_t)hashes[2];
    const uint32_t *chains = buckets + hashes[0];
    uint32_t at = hashes[0] ? buckets[wanted % hashes[0]] : 0;
    for (; at >= first && at > 0; at++) {
        const ElfW(Sym) *found = &tables->symbols[at];
        if ((chains[at - first] | 1) == (wanted | 1) && found->st_shndx != SHN_UNDEF &&
            ELF64_ST_TYPE(found->st_info) == STT_FUNC &&
            strcmp(tables->strings + found->st_name, symbol) == 0)
            return info->dlpi_addr + found->st_value;
        if (chains[at - first] & 1)
            break;
    }
    return 0;
}

/* Looks for the function in one module; the program's and tsprof's own do not count. */
static int look_for_function(struct dl_phdr_info *info, size_t size, void *context)
{
    struct change *change = context;
    struct tables tables;
    (void)size;
    if (!*info->dlpi_name || info->dlpi_addr == change->own || !is_settled(info) ||
        !read_tables(info, &tables))
        return 0;
    change->function = find_function(info, &tables, change->symbol);
    change->defined_in = info->dlpi_addr;
    return change->function != 0;
}

/* Sets *BASE to the load base of the module that holds ADDRESS; false if there is none. */
static bool find_base(const void *address, uintptr_t *base)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0)
        return false;
    *base = found.dlfo_link_map->l_addr;
    return true;
}

void got_hook(const char *symbol, got_function hook, got_function *real)
{
    struct change change = {.symbol = symbol, .hook = hook};
    /*
     * The program is not searched: what it has under this name may be only a stub that leads to
     * the function.  Nor is dlsym used: dlerror would then report this call to the program,
     * instead of the program's own.
     */
    if (!find_base((const void *)&got_hook, &change.own) ||
        !dl_iterate_phdr(look_for_function, &change))
        return;
    memcpy(real, &change.function, sizeof change.function);
    dl_iterate_phdr(change_module, &change);
}
