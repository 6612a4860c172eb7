/*
 * The symbol table of a module, in the order of addresses: elfutils looks at all symbols to
 * find one, which for the functions of a large program takes seconds.  Program context.
 */
#ifndef TSPROF_SYMBOL_TABLE_H
#define TSPROF_SYMBOL_TABLE_H

#include "assemble/elfutils.h"
#include "assemble/ranges.h"

struct symbol_table {
    bool read;
    struct ranges entries; /* by their numbers in the module's table */
    int first_global;
};

/*
 * The name of the symbol that holds ADDRESS of MODULE, whose TABLE is; NULL if none does.  The
 * same one as dwfl_module_addrinfo chooses among several; one without a size holds where it is
 * only.  Valid as long as MODULE.
 */
const char *symbol_table_name(struct symbol_table *table, Dwfl_Module *module,
                              uint64_t address);

/* Forgets what was read. */
void symbol_table_free(struct symbol_table *table);

#endif
