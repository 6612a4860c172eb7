/*
 * The functions of elfutils (libdw), loaded when first needed, and privately since the program
 * may use another version.  Program context.
 */
#ifndef TSPROF_ELFUTILS_H
#define TSPROF_ELFUTILS_H

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

#define ELFUTILS_FUNCTIONS(X)                                                                  \
    X(dwfl_begin)                                                                              \
    X(dwfl_end)                                                                                \
    X(dwfl_report_elf)                                                                         \
    X(dwfl_report_end)                                                                         \
    X(dwfl_module_getelf)                                                                      \
    X(dwfl_module_build_id)                                                                    \
    X(dwfl_module_addrinfo)                                                                    \
    X(dwfl_module_getsymtab)                                                                   \
    X(dwfl_module_getsymtab_first_global)                                                      \
    X(dwfl_module_getsym_info)                                                                 \
    X(dwfl_module_getdwarf)                                                                    \
    X(dwfl_module_addrdie)                                                                     \
    X(dwfl_module_getsrc)                                                                      \
    X(dwfl_lineinfo)                                                                           \
    X(dwfl_build_id_find_elf)                                                                  \
    X(dwfl_build_id_find_debuginfo)                                                            \
    X(elf_getscn)                                                                              \
    X(gelf_getshdr)                                                                            \
    X(dwarf_child)                                                                             \
    X(dwarf_siblingof)                                                                         \
    X(dwarf_ranges)                                                                            \
    X(dwarf_tag)                                                                               \
    X(dwarf_diename)                                                                           \
    X(dwarf_decl_file)                                                                         \
    X(dwarf_decl_line)                                                                         \
    X(dwarf_srclang)

struct elfutils {
#define X(name) __typeof__(&name) name;
    ELFUTILS_FUNCTIONS(X)
#undef X
};

/* The functions; valid once elfutils_load has succeeded. */
extern struct elfutils dw __attribute__((visibility("hidden")));

/* Loads the functions at the first call; false if that failed, then or now. */
bool elfutils_load(void);

/* Why elfutils_load failed; NULL if it has not failed or was not called. */
const char *elfutils_problem(void);

#endif
