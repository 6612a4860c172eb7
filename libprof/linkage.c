/* See linkage.h. */
#include "linkage.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is put where. */
struct change {
    const char *symbol;
    linkage_function hook;
    uintptr_t defined_in; /* where the module that has the function is mapped */
    uintptr_t own;        /* the same of tsprof's */
};

/* What a module says of its words for others' functions. */
struct tables {
    const char *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * calls; /* bound at the first call or before */
    size_t call_bytes;
    const ElfW(Rela) * others;
    size_t other_bytes;
};

/* The loader has added the base to addresses in here, but not in the kernel's own module. */
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

/* Whether the loader has taken away the right to write to ADDRESS of the module. */
static bool is_read_only(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_GNU_RELRO &&
            address - info->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

static void put(const struct dl_phdr_info *info, uintptr_t *slot, uintptr_t word)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)((uintptr_t)slot & ~(page - 1));
    bool read_only = is_read_only(info, (uintptr_t)slot);
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
        const unsigned type = ELF64_R_TYPE(entries[i].r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
            continue;
        const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(entries[i].r_info)];
        if (strcmp(tables->strings + symbol->st_name, change->symbol) == 0)
            put(info, (uintptr_t *)(info->dlpi_addr + entries[i].r_offset),
                (uintptr_t)change->hook);
    }
}

static int change_module(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct change *change = context;
    struct tables tables;
    (void)size;
    if (info->dlpi_addr == change->defined_in || info->dlpi_addr == change->own ||
        !read_tables(info, &tables))
        return 0;
    change_words(info, change, &tables, tables.calls, tables.call_bytes);
    change_words(info, change, &tables, tables.others, tables.other_bytes);
    return 0;
}

/* What the loader has added to the addresses of the module that has ADDRESS. */
static bool find_base(const void *address, uintptr_t *base)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0)
        return false;
    *base = found.dlfo_link_map->l_addr;
    return true;
}

void linkage_hook(const char *symbol, linkage_function hook, linkage_function *real)
{
    struct change change = {.symbol = symbol, .hook = hook};
    /* Not in the program: what it has under the name may only lead to the function. */
    void *found = dlsym(RTLD_NEXT, symbol);
    dlerror();
    if (!found || !find_base(found, &change.defined_in) ||
        !find_base((const void *)&linkage_hook, &change.own))
        return;
    memcpy(real, &found, sizeof found);
    dl_iterate_phdr(change_module, &change);
}
