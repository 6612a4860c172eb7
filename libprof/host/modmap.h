/*
 * The modules (executable and libraries) of this process.  With them a code address becomes a
 * module and an offset from its load address, which mean the same in every process, and after
 * this one has ended.  Program context only; takes the loader's lock.
 */
#ifndef TSPROF_MODMAP_H
#define TSPROF_MODMAP_H

#include <stddef.h>
#include <stdint.h>

struct module {
    char *path;     /* as the loader opened it; of the program itself, resolved */
    char *build_id; /* hexadecimal, empty if it has none */
    uintptr_t base; /* load address: what the loader added to the file's addresses */
    uintptr_t low;  /* mapped from here */
    uintptr_t high; /* to here */
};

struct modmap {
    struct module *modules;
    size_t count;
};

/*
 * Lists the modules mapped now; the list is empty if there is no memory.  Free with
 * modmap_free.
 */
void modmap_load(struct modmap *map);
void modmap_free(struct modmap *map);

/* The module that holds ADDRESS, valid as long as MAP; NULL if there is none. */
const struct module *modmap_find(const struct modmap *map, uintptr_t address);

#endif
