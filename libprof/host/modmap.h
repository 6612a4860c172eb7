/*
 * The modules (executable and libraries) of this process: code addresses become a module and an
 * offset from its load address, which mean the same in every process and after it.
 * Program context only; takes the loader's lock.
 */
#ifndef TSPROF_MODMAP_H
#define TSPROF_MODMAP_H

#include <stddef.h>
#include <stdint.h>

struct module {
    char *path;     /* as the loader opened it; the program's own resolved */
    char *build_id; /* hexadecimal, empty if it has none */
    uintptr_t base; /* what the loader added to the file's addresses */
    uintptr_t low;  /* mapped from here */
    uintptr_t high; /* to here */
};

struct modmap {
    struct module *modules;
    size_t count;
};

/* The modules mapped now; empty when memory is out.  Free with modmap_free. */
void modmap_load(struct modmap *map);
void modmap_free(struct modmap *map);

/* The module that holds ADDRESS, or NULL. */
const struct module *modmap_find(const struct modmap *map, uintptr_t address);

#endif
