/*
 * The symbol at an address is the one that elfutils finds, and its subprogram the one that
 * going through the unit's entries finds: in this program, the C library, what C++ and MPI
 * programs are linked with.
 */
#include "subprograms.h"
#include "symbol_table.h"

#include "tap.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESSES = 4000 };

struct opened {
    Dwfl *dwfl;
    Dwfl_Module *module;
};

static struct opened open_module(const char *path)
{
    static char *debuginfo_path;
    static Dwfl_Callbacks callbacks = {.debuginfo_path = &debuginfo_path};
    callbacks.find_elf = dw.dwfl_build_id_find_elf;
    callbacks.find_debuginfo = dw.dwfl_build_id_find_debuginfo;
    struct opened opened = {.dwfl = dw.dwfl_begin(&callbacks)};
    GElf_Addr bias;
    opened.module = dw.dwfl_report_elf(opened.dwfl, path, path, -1, 0x100000000, true);
    dw.dwfl_report_end(opened.dwfl, NULL, NULL);
    if (opened.module && !dw.dwfl_module_getelf(opened.module, &bias))
        opened.module = NULL;
    return opened;
}

static const char *by_elfutils(Dwfl_Module *module, uint64_t address)
{
    GElf_Off into;
    GElf_Sym symbol;
    const char *name =
        dw.dwfl_module_addrinfo(module, address, &into, &symbol, NULL, NULL, NULL);
    return name && (symbol.st_size ? into < symbol.st_size : into == 0) ? name : NULL;
}

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Addresses near the symbols of MODULE's table, where names begin and end, and between. */
static uint64_t some_address(Dwfl_Module *module, int symbols)
{
    GElf_Sym symbol;
    GElf_Addr at;
    int number = 1 + rand() % (symbols - 1);
    if (!dw.dwfl_module_getsym_info(module, number, &symbol, &at, NULL, NULL, NULL))
        return 0;
    switch (rand() % 4) {
    case 0:
        return at;
    case 1:
        return at + symbol.st_size;
    case 2:
        return at - 1;
    default:
        return at + (uint64_t)rand() % (symbol.st_size + 64);
    }
}

/* Whether the table of the module at PATH was compared; false if it cannot be opened. */
static bool compare_names(const char *path)
{
    struct opened opened = open_module(path);
    struct symbol_table table = {0};
    int differ = 0, named = 0;
    int symbols = opened.module ? dw.dwfl_module_getsymtab(opened.module) : 0;
    for (int i = 0; symbols > 1 && i < ADDRESSES; i++) {
        uint64_t address = some_address(opened.module, symbols);
        const char *name = symbol_table_name(&table, opened.module, address);
        named += name != NULL;
        differ += !same(name, by_elfutils(opened.module, address));
    }
    if (symbols > 1) {
        EQ_INT(differ, 0, "%s: as elfutils names them", path);
        OK(named > ADDRESSES / 10, "%s: %d of %d have names", path, named, ADDRESSES);
    }
    symbol_table_free(&table);
    dw.dwfl_end(opened.dwfl);
    return symbols > 1;
}

/* The innermost subprogram below PARENT whose code holds PC, by going through all. */
static bool go_through(Dwarf_Die *parent, Dwarf_Addr pc, Dwarf_Die *found)
{
    Dwarf_Die entry;
    for (int status = dw.dwarf_child(parent, &entry); status == 0;
         status = dw.dwarf_siblingof(&entry, &entry)) {
        Dwarf_Addr base, begin, end;
        bool any = false;
        if (dw.dwarf_tag(&entry) == DW_TAG_subprogram)
            for (ptrdiff_t at = 0;
                 !any && (at = dw.dwarf_ranges(&entry, at, &base, &begin, &end)) > 0;)
                any = begin <= pc && pc < end;
        if (any)
            *found = entry;
        int tag = dw.dwarf_tag(&entry);
        bool holds = tag == DW_TAG_subprogram || tag == DW_TAG_namespace ||
                     tag == DW_TAG_module || tag == DW_TAG_class_type ||
                     tag == DW_TAG_structure_type;
        if ((holds && go_through(&entry, pc, found)) || any)
            return true;
    }
    return false;
}

static int visit_first(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(struct dl_phdr_info *)found = *info;
    return 1;
}

/* A function within another one, as Fortran has them and GCC's C. */
__attribute__((noipa)) static int outer(int times)
{
    int sum = 0;
    __extension__ __attribute__((noipa)) int inner(int i)
    {
        return sum + i;
    }
    for (int i = 0; i < times; i++)
        sum = inner(i);
    return sum;
}

static void test_subprograms(void)
{
    struct opened opened = open_module("/proc/self/exe");
    struct unit *known = NULL;
    int differ = 0, found = 0, nested = 0;
    Dwarf_Addr bias;
    struct dl_phdr_info self;
    dl_iterate_phdr(visit_first, &self);
    EQ_INT(outer(4), 6, "the nested function works");
    for (int i = 0; i < ADDRESSES; i++) {
        /* Around this file's functions, of which one is within another. */
        uint64_t address = (uintptr_t)outer - self.dlpi_addr + 0x100000000 - 1500 + (unsigned)i;
        Dwarf_Die *unit = dw.dwfl_module_addrdie(opened.module, address, &bias), a, b;
        if (!unit)
            continue;
        bool one = subprograms_find(&known, unit, address - bias, &a);
        bool other = go_through(unit, address - bias, &b);
        found += one;
        differ += one != other || (one && a.addr != b.addr);
        const char *name = one ? dw.dwarf_diename(&a) : NULL;
        nested += name && strcmp(name, "inner") == 0;
    }
    EQ_INT(differ, 0, "the subprograms that going through finds");
    OK(found > ADDRESSES / 20, "%d addresses are in one", found);
    OK(nested > 0, "%d in one within another", nested);
    subprograms_free(&known);
    OK(known == NULL, "and are forgotten");
    dw.dwfl_end(opened.dwfl);
}

int main(void)
{
    static const char *const libraries[] = {
        "libc.so.6", "libm.so.6", "libdw.so.1", "libstdc++.so.6", "libgfortran.so.5",
    };
    srand(1);
    OK(elfutils_load(), "elfutils is there");
    if (elfutils_problem())
        return tap_done();
    OK(compare_names("/proc/self/exe"), "the symbols of this program");
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        char path[256];
        snprintf(path, sizeof path, "/lib/x86_64-linux-gnu/%s", libraries[i]);
        compare_names(path);
    }
    test_subprograms();
    return tap_done();
}
