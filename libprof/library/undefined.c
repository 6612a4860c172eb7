/* See undefined.h. */
#include "library/undefined.h"

#include "host/host.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_BYTES = 64 << 20 };

/* A piece of a file. */
struct block {
    void *bytes; /* NULL: it could not be read */
    size_t size;
};

/* The symbols of a module and their names, as in its file. */
struct symbol_tables {
    struct block symbols, names;
};

/*
 * SIZE bytes at OFFSET, for free_block; nothing if there are not as many, or too many.  Not by
 * malloc, which would take more from the heap for good once it has freed a large piece.
 */
static struct block read_block(int file, uint64_t offset, uint64_t size)
{
    if (size == 0 || size > MOST_BYTES)
        return (struct block){NULL, 0};
    void *bytes = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (bytes == MAP_FAILED)
        return (struct block){NULL, 0};
    if (raw_read_async(file, offset, bytes, size))
        return (struct block){bytes, size};
    syscall(SYS_munmap, bytes, size);
    return (struct block){NULL, 0};
}

static void free_block(struct block block)
{
    if (block.bytes)
        syscall(SYS_munmap, block.bytes, block.size);
}

/* The table of sections, for free_block; nothing if the file has none. */
static struct block read_sections(int file)
{
    ElfW(Ehdr) header;
    if (!raw_read_async(file, 0, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(ElfW(Shdr)))
        return (struct block){NULL, 0};
    return read_block(file, header.e_shoff, header.e_shnum * sizeof(ElfW(Shdr)));
}

static bool read_tables(int file, struct symbol_tables *tables)
{
    const struct block block = read_sections(file);
    const ElfW(Shdr) *sections = block.bytes;
    const size_t count = block.size / sizeof *sections;
    size_t at = 0;
    while (at < count && sections[at].sh_type != SHT_DYNSYM)
        at++;
    if (at < count && sections[at].sh_link < count) {
        const ElfW(Shdr) *symbols = &sections[at], *names = &sections[symbols->sh_link];
        tables->symbols = read_block(file, symbols->sh_offset, symbols->sh_size);
        tables->names = read_block(file, names->sh_offset, names->sh_size);
    }
    free_block(block);
    const char *names = tables->names.bytes;
    return tables->symbols.bytes && names && !names[tables->names.size - 1];
}

static void visit_each(const struct symbol_tables *tables, undefined_visit *visit,
                       void *context)
{
    const ElfW(Sym) *symbols = tables->symbols.bytes;
    const char *names = tables->names.bytes;
    for (size_t i = 0; i < tables->symbols.size / sizeof *symbols; i++)
        if (symbols[i].st_shndx == SHN_UNDEF && symbols[i].st_name > 0 &&
            symbols[i].st_name < tables->names.size)
            visit(context, names + symbols[i].st_name);
}

bool undefined_each(const char *path, undefined_visit *visit, void *context)
{
    struct symbol_tables tables = {{NULL, 0}, {NULL, 0}};
    const int file = raw_open_to_read_async(path);
    if (file < 0)
        return false;
    const bool read = read_tables(file, &tables);
    raw_close_async(file);
    if (read)
        visit_each(&tables, visit, context);
    free_block(tables.symbols);
    free_block(tables.names);
    return read;
}
