/*
 * Places in this process's code as people know them, for messages.  Program context; uses
 * malloc and reads files.
 */
#ifndef TSPROF_WHEREABOUTS_H
#define TSPROF_WHEREABOUTS_H

#include <stddef.h>
#include <stdint.h>

/* Writes "function (file:line)" for an address of this process into TEXT of SIZE bytes. */
void whereabouts(uintptr_t address, char *text, size_t size);

/* Says once why functions have no names, where that is so: after names were looked up. */
void whereabouts_complain(void);

#endif
