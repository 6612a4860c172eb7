/* See symbol_table.h. */
#include "assemble/symbol_table.h"

/* The most symbols considered for one address: aliases, and those that enclose it. */
enum { CANDIDATES_MOST = 64 };

struct entry {
    GElf_Sym symbol;
    GElf_Addr address;
    const char *name;
};

/* Reads symbol NUMBER of MODULE; false if it is neither code nor data. */
static bool read_entry(Dwfl_Module *module, int number, struct entry *entry)
{
    entry->name = dw.dwfl_module_getsym_info(module, number, &entry->symbol, &entry->address,
                                             NULL, NULL, NULL);
    if (!entry->name || !*entry->name || entry->symbol.st_shndx == SHN_UNDEF)
        return false;
    switch (GELF_ST_TYPE(entry->symbol.st_info)) {
    case STT_SECTION:
    case STT_FILE:
    case STT_TLS:
        return false;
    default:
        return true;
    }
}

/*
 * The end of a symbol.  One without a size has only its own address; a damaged one ends with
 * the address space.
 */
static uint64_t end_of(const struct entry *entry)
{
    uint64_t size = entry->symbol.st_size > 0 ? entry->symbol.st_size : 1;
    uint64_t room = UINT64_MAX - entry->address;
    return entry->address + (size < room ? size : room);
}

static void read_table(struct symbol_table *table, Dwfl_Module *module)
{
    int count = dw.dwfl_module_getsymtab(module);
    bool complete = true;
    table->read = true;
    table->first_global = dw.dwfl_module_getsymtab_first_global(module);
    for (int i = 1; complete && i < count; i++) {
        struct entry entry;
        if (!read_entry(module, i, &entry))
            continue;
        complete = ranges_add(&table->entries, entry.address, end_of(&entry), (uint32_t)i);
    }
    if (!complete || !ranges_sort(&table->entries))
        ranges_free(&table->entries);
}

static int rank_of(const struct entry *entry)
{
    switch (GELF_ST_BIND(entry->symbol.st_info)) {
    case STB_GLOBAL:
        return 3;
    case STB_WEAK:
        return 2;
    case STB_LOCAL:
        return 1;
    default:
        return 0;
    }
}

/*
 * Whether a symbol that holds the address is a better name for it than the BEST so far: one
 * that begins closer to it, is seen by more, or ends closer.  In the order of the table, as
 * elfutils has it.
 */
static bool is_better(const struct entry *entry, const struct entry *best)
{
    if (!best->name || best->address < entry->address || rank_of(best) < rank_of(entry))
        return true;
    return best->address == entry->address && best->symbol.st_size > entry->symbol.st_size &&
           rank_of(best) <= rank_of(entry);
}

/* The best of the symbols in FOUND that have a size, without those numbered below FROM. */
static const char *best_of(Dwfl_Module *module, const uint32_t *found, size_t count, int from)
{
    struct entry best = {.name = NULL}, entry;
    for (size_t i = 0; i < count; i++)
        if ((int)found[i] >= from && read_entry(module, (int)found[i], &entry) &&
            entry.symbol.st_size > 0 && is_better(&entry, &best))
            best = entry;
    return best.name;
}

/* Searches with elfutils, which visits all symbols. */
static const char *search(Dwfl_Module *module, uint64_t address)
{
    GElf_Off into;
    GElf_Sym symbol;
    const char *name =
        dw.dwfl_module_addrinfo(module, address, &into, &symbol, NULL, NULL, NULL);
    /* A symbol that ends before the address is only the nearest one. */
    return name && (symbol.st_size == 0 ? into == 0 : into < symbol.st_size) ? name : NULL;
}

const char *symbol_table_name(struct symbol_table *table, Dwfl_Module *module, uint64_t address)
{
    uint32_t found[CANDIDATES_MOST];
    if (!table->read)
        read_table(table, module);
    if (!table->entries.reach)
        return search(module, address);
    size_t count = ranges_find(&table->entries, address, found, CANDIDATES_MOST);
    if (count == 0)
        return NULL;
    if (count > CANDIDATES_MOST)
        return search(module, address);
    const char *name = best_of(module, found, count, table->first_global);
    bool label = (int)found[count - 1] >= table->first_global;
    if (!name && !label)
        name = best_of(module, found, count, 0);
    /* Which of those without a size counts depends on what lies before them. */
    return name ? name : search(module, address);
}

/* Whether section NUMBER of FILE has code. */
static bool is_executable(Elf *file, GElf_Word number)
{
    GElf_Shdr header;
    Elf_Scn *section = file && number != SHN_UNDEF ? dw.elf_getscn(file, number) : NULL;
    return section && dw.gelf_getshdr(section, &header) && (header.sh_flags & SHF_EXECINSTR);
}

/*
 * Reads symbol NUMBER of MODULE; false if it is no function.  In assembler code many functions
 * have no type, but neither has data.
 */
static bool read_code(Dwfl_Module *module, uint32_t number, struct entry *entry)
{
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section = SHN_UNDEF;
    Elf *file = NULL;
    if (!read_entry(module, (int)number, entry))
        return false;
    switch (GELF_ST_TYPE(entry->symbol.st_info)) {
    case STT_FUNC:
    case STT_GNU_IFUNC:
        return true;
    case STT_NOTYPE:
        dw.dwfl_module_getsym_info(module, (int)number, &symbol, &address, &section, &file,
                                   NULL);
        return is_executable(file, section);
    default:
        return false;
    }
}

/* Whether ENTRY, at the same address, is a better name than the BEST so far. */
static bool is_better_there(const struct entry *entry, const struct entry *best)
{
    if (!best->name || rank_of(best) != rank_of(entry))
        return !best->name || rank_of(best) < rank_of(entry);
    const uint64_t size = entry->symbol.st_size, least = best->symbol.st_size;
    return size > 0 && (least == 0 || size < least);
}

void symbol_table_each(struct symbol_table *table, Dwfl_Module *module,
                       symbol_table_visit *visit, void *context)
{
    if (!table->read)
        read_table(table, module);
    const struct range *each = table->entries.items, *end = each + table->entries.count;
    if (!table->entries.reach)
        return;
    while (each < end) {
        const uint64_t address = each->begin;
        struct entry best = {.name = NULL}, entry;
        for (; each < end && each->begin == address; each++)
            if (read_code(module, each->number, &entry) && is_better_there(&entry, &best))
                best = entry;
        if (best.name)
            visit(context, address, best.name);
    }
}

void symbol_table_free(struct symbol_table *table)
{
    ranges_free(&table->entries);
}
