/*
 * The symbol at an address is the one that elfutils finds, and its subprogram the one that
 * going through the unit's entries finds: in this program, the C library, what C++ and MPI
 * programs are linked with.
 */
#include "assemble/subprograms.h"
#include "assemble/symbol_table.h"

#include "tap.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESSES = 1000, AROUND = 4000 };

/* Names of one place: a global one without a size, and a local one that has some. */
__asm__(".pushsection .text\n"
        ".globl global_label\n"
        "global_label:\n"
        ".type local_function, @function\n"
        "local_function:\n"
        "nop\n"
        "nop\n"
        "nop\n"
        ".size local_function, . - local_function\n"
        ".popsection\n");
extern const char global_label[] __attribute__((visibility("hidden")));

#define SESSION_BASE UINT64_C(0x100000000)

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
    opened.module = dw.dwfl_report_elf(opened.dwfl, path, path, -1, SESSION_BASE, true);
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

static int visit_first(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(struct dl_phdr_info *)found = *info;
    return 1;
}

/* The table of the module at PATH. */
static void compare_names(const char *path)
{
    struct opened opened = open_module(path);
    struct symbol_table table = {0};
    int differ = 0, named = 0;
    int symbols = opened.module ? dw.dwfl_module_getsymtab(opened.module) : 0;
    for (int i = 0; symbols > 1 && i < ADDRESSES; i += (int)tap_stride()) {
        uint64_t address = some_address(opened.module, symbols);
        const char *name = symbol_table_name(&table, opened.module, address);
        named += name != NULL;
        differ += !same(name, by_elfutils(opened.module, address));
    }
    EQ_INT(differ, 0, "%s: as elfutils names them", path);
    OK(named > (int)tap_tried(ADDRESSES) / 10, "%s: %d of %u have names", path, named,
       tap_tried(ADDRESSES));
    symbol_table_free(&table);
    dw.dwfl_end(opened.dwfl);
}

/* Of those that this machine has. */
static void compare_names_of_libraries(void)
{
    static const char *const names[] = {"libc.so.6", "libm.so.6", "libdw.so.1",
                                        "libstdc++.so.6", "libgfortran.so.5"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        struct link_map *map = NULL;
        if (library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0)
            compare_names(map->l_name);
        else
            printf("# no %s here\n", names[i]);
    }
}

/* Where this program's ADDRESS is in what open_module opens. */
static uint64_t opened_address(uintptr_t address)
{
    struct dl_phdr_info self;
    dl_iterate_phdr(visit_first, &self);
    return address - self.dlpi_addr + SESSION_BASE;
}

static void test_a_label_beside_a_function(void)
{
    struct opened opened = open_module("/proc/self/exe");
    struct symbol_table table = {0};
    uint64_t address = opened_address((uintptr_t)global_label);
    const char *here = symbol_table_name(&table, opened.module, address);
    const char *inside = symbol_table_name(&table, opened.module, address + 1);
    OK(here && same(here, by_elfutils(opened.module, address)), "%s at its place", here);
    OK(inside && strcmp(inside, "local_function") == 0, "the function behind it");
    symbol_table_free(&table);
    dw.dwfl_end(opened.dwfl);
}

/* Code that has a name and nothing else, and data that has no more. */
__asm__(".pushsection .text\n"
        ".globl code_label\n"
        "code_label:\n"
        "nop\n"
        ".macro local_label\n"
        "local_label_\\@:\n"
        "nop\n"
        ".endm\n"
        ".rept 2000\n"
        "local_label\n"
        ".endr\n"
        ".popsection\n"
        ".pushsection .data\n"
        ".globl data_label\n"
        "data_label:\n"
        ".quad 0\n"
        ".popsection\n");
extern const char code_label[] __attribute__((visibility("hidden")));
extern const char data_label[] __attribute__((visibility("hidden")));

/* What is seen of the functions of a table. */
struct seen {
    uint64_t last, wanted;
    unsigned count, falling;
    bool has_wanted;
    char name[64]; /* of the one that is wanted */
};

static void see(void *context, uint64_t address, const char *name)
{
    struct seen *seen = context;
    if (address == seen->wanted)
        snprintf(seen->name, sizeof seen->name, "%s", name);
    seen->falling += seen->count > 0 && address <= seen->last;
    seen->last = address;
    seen->count++;
    seen->has_wanted = seen->has_wanted || address == seen->wanted;
}

static void test_each_function(void)
{
    struct opened opened = open_module("/proc/self/exe");
    struct symbol_table table = {0};
    struct seen seen = {.wanted = opened_address((uintptr_t)test_each_function)};
    symbol_table_each(&table, opened.module, see, &seen);
    OK(seen.count > 20 && seen.has_wanted, "%u functions, this one among them", seen.count);
    EQ_INT(seen.falling, 0, "each of them once, in the order of addresses");
    symbol_table_free(&table);
    dw.dwfl_end(opened.dwfl);
}

static struct seen look_for(const void *place)
{
    struct opened opened = open_module("/proc/self/exe");
    struct symbol_table table = {0};
    struct seen seen = {.wanted = opened_address((uintptr_t)place)};
    symbol_table_each(&table, opened.module, see, &seen);
    symbol_table_free(&table);
    dw.dwfl_end(opened.dwfl);
    return seen;
}

static void test_labels(void)
{
    struct seen seen = look_for(code_label);
    OK(seen.has_wanted && strcmp(seen.name, "code_label") == 0, "code without a type: %s",
       seen.name);
    OK(seen.count > 2000, "%u such places", seen.count);
    OK(!look_for(data_label).has_wanted, "data without a type is none");
    seen = look_for(global_label);
    OK(seen.has_wanted && strcmp(seen.name, "global_label") == 0,
       "of two names that which stands at its place: %s", seen.name);
}

static unsigned searches;

static const char *count_search(Dwfl_Module *module, GElf_Addr address, GElf_Off *offset,
                                GElf_Sym *symbol, GElf_Word *section, Elf **file,
                                Dwarf_Addr *bias)
{
    (void)module, (void)address, (void)offset, (void)symbol, (void)section, (void)file;
    (void)bias;
    searches++;
    return NULL;
}

/* elfutils visits all symbols for each. */
static void test_each_does_not_search(void)
{
    __typeof__(dw.dwfl_module_addrinfo) before = dw.dwfl_module_addrinfo;
    dw.dwfl_module_addrinfo = count_search;
    look_for(code_label);
    dw.dwfl_module_addrinfo = before;
    EQ_INT(searches, 0, "no place is searched for among all");
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

/* A function within another one, as Fortran has them and GCC's C. */
#ifdef __clang__
enum { HAS_NESTED = 0 };
__attribute__((noipa)) static int outer(int times)
{
    return 2 * times - 2;
}
#else
enum { HAS_NESTED = 1 };
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
#endif

/* Around this file's functions. */
static void test_subprograms(void)
{
    struct opened opened = open_module("/proc/self/exe");
    struct unit *known = NULL;
    int differ = 0, found = 0, nested = 0;
    Dwarf_Addr bias;
    for (int i = 0; i < AROUND; i += (int)tap_stride()) {
        uint64_t address = opened_address((uintptr_t)outer) - 1500 + (unsigned)i;
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
    if (dw.dwfl_module_getdwarf(opened.module, &bias)) {
        OK(found > (int)tap_tried(AROUND) / 20, "%d addresses are in one", found);
        OK(nested > 0 || !HAS_NESTED, "%d in one within another", nested);
    } else
        printf("# no debug information here\n");
    subprograms_free(&known);
    OK(known == NULL, "and are forgotten");
    dw.dwfl_end(opened.dwfl);
}

int main(void)
{
    srand(1);
    OK(elfutils_load(), "elfutils is there");
    if (!elfutils_load())
        return tap_done();
    compare_names("/proc/self/exe");
    compare_names_of_libraries();
    test_a_label_beside_a_function();
    test_each_function();
    test_labels();
    test_each_does_not_search();
    EQ_INT(outer(4), 6, "a function within a function");
    test_subprograms();
    return tap_done();
}
