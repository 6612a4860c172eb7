/*
 * Places in this process's code as people know them, for messages.  Program context; uses
 * malloc and reads files.
 */
#ifndef TSPROF_WHEREABOUTS_H
#define TSPROF_WHEREABOUTS_H

#include <stddef.h>
#include <stdint.h>

/* Writes "function (file:line)" for an address of this process into TEXT of SIZE bytes. */
void source_place(uintptr_t address, char *text, size_t size);

/* A function, by its first instruction, and where it was when it called the next one. */
struct called_from {
    uintptr_t function, site;
};

/*
 * Writes where a call was made as summaries show it: the first of COUNT functions, the caller
 * and those around it, that is no binding, by the name that it has there, with "(file:line)" of
 * the call where that is known.  Leaves files open, see source_place_close.
 */
void source_place_shown(const struct called_from *callers, size_t count, char *text,
                       size_t size);

/* Closes the files that names were looked up in, here and by resolve. */
void source_place_close(void);

/* Says once why functions have no names, where that is so: after names were looked up. */
void source_place_complain(void);

#endif
