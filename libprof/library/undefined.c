/* See undefined.h. */
#include "library/undefined.h"

#include "host/host.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 };

/* The symbols of a module and their names, as in its file. */
struct symbol_tables {
    ElfW(Sym) * symbols;
    size_t count;
    char *names;
    size_t name_bytes;
};

/* SIZE bytes at OFFSET, for the caller to free; NULL if there are not as many, or too many. */
static void *read_block(int file, uint64_t offset, uint64_t size)
{
    void *block = size > 0 && size <= MOST_BYTES ? malloc(size) : NULL;
    if (block && !raw_read_async(file, offset, block, size)) {
        free(block);
        block = NULL;
    }
    return block;
}

/* The table of sections, for the caller to free; NULL if the file has none. */
static ElfW(Shdr) * read_sections(int file, size_t *count)
{
    ElfW(Ehdr) header;
    if (!raw_read_async(file, 0, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(ElfW(Shdr)))
        return NULL;
    *count = header.e_shnum;
    return read_block(file, header.e_shoff, *count * sizeof(ElfW(Shdr)));
}

static bool read_tables(int file, struct symbol_tables *tables)
{
    size_t count = 0, at = 0;
    ElfW(Shdr) *sections = read_sections(file, &count);
    while (sections && at < count && sections[at].sh_type != SHT_DYNSYM)
        at++;
    if (sections && at < count && sections[at].sh_link < count) {
        const ElfW(Shdr) *symbols = &sections[at], *names = &sections[symbols->sh_link];
        tables->count = symbols->sh_size / sizeof *tables->symbols;
        tables->symbols = read_block(file, symbols->sh_offset, symbols->sh_size);
        tables->name_bytes = names->sh_size;
        tables->names = read_block(file, names->sh_offset, names->sh_size);
    }
    free(sections);
    return tables->symbols && tables->names && !tables->names[tables->name_bytes - 1];
}

static void visit_each(const struct symbol_tables *tables, undefined_visit *visit,
                       void *context)
{
    for (size_t i = 0; i < tables->count; i++) {
        const ElfW(Sym) *symbol = &tables->symbols[i];
        if (symbol->st_shndx == SHN_UNDEF && symbol->st_name > 0 &&
            symbol->st_name < tables->name_bytes)
            visit(context, tables->names + symbol->st_name);
    }
}

bool undefined_each(const char *path, undefined_visit *visit, void *context)
{
    struct symbol_tables tables = {0};
    const int file = raw_open_to_read_async(path);
    if (file < 0)
        return false;
    const bool read = read_tables(file, &tables);
    raw_close_async(file);
    if (read)
        visit_each(&tables, visit, context);
    free(tables.symbols);
    free(tables.names);
    return read;
}
