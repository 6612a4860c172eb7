/*
 * The symbol table of a module, sorted by address. elfutils visits all symbols to find one,
 * which for the functions of a large program takes seconds.  Program context; memory from
 * malloc.
 */
#ifndef TSPROF_SYMBOL_TABLE_H
#define TSPROF_SYMBOL_TABLE_H

#include "assemble/elfutils.h"
#include "assemble/ranges.h"

struct symbol_table {
    bool read;
    struct ranges entries; /* with their numbers in the module's table */
    int first_global;
};

/*
 * The name of the symbol that holds ADDRESS of MODULE; NULL if none does.  TABLE is MODULE's,
 * read at the first call.  Of several symbols it is the one that dwfl_module_addrinfo chooses,
 * except that a symbol without a size holds only its own address.  Valid as long as MODULE.
 */
const char *symbol_table_name(struct symbol_table *table, Dwfl_Module *module,
                              uint64_t address);

/*
 * Calls VISIT with each address of MODULE at which code begins as its symbols tell, ascending,
 * and the name that symbol_table_name has for it.  No symbol is looked at more than a few
 * times.  TABLE as above.
 */
typedef void symbol_table_visit(void *context, uint64_t address, const char *name);
void symbol_table_each(struct symbol_table *table, Dwfl_Module *module,
                       symbol_table_visit *visit, void *context);

/* Forgets what was read. */
void symbol_table_free(struct symbol_table *table);

#endif
