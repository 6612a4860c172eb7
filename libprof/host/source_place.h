/*
 * Source locations of code in this process (function, file and line), for messages.  Program
 * context; uses malloc and reads files.
 */
#ifndef TSPROF_SOURCE_PLACE_H
#define TSPROF_SOURCE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Has look-ups, also by others, guarded against files that are truncated, and against each
 * other.  At the start.
 */
void source_place_start(void);

/*
 * Claims look-ups for the calling thread, so that several are one, until
 * source_place_release.  False if others have them for longer than the program may be kept
 * waiting: they may wait for a lock of the loader's that the calling thread holds.
 */
bool source_place_claim(void);
void source_place_release(void);

/*
 * Whether the calling thread has claimed look-ups, and gives them up however often it has: for
 * one that a jump has taken out of them.
 */
bool source_place_is_mine(void);
void source_place_release_all(void);

/* Writes "function (file:line)" for an address of this process into TEXT of SIZE bytes. */
void source_place(uintptr_t address, char *text, size_t size);

/*
 * A function on the stack, by its first instruction, and the address of its call of the next
 * function further in.
 */
struct called_from {
    uintptr_t function, site;
};

/*
 * Writes where a call was made, as summaries show it.  Of the COUNT functions, the caller first
 * and then those around it, the first that is not a language binding is shown: by its name in
 * summaries, with "(file:line)" of its call if that is known.  Leaves files open: see
 * source_place_close.
 */
void source_place_shown(const struct called_from *callers, size_t count, char *text,
                        size_t size);

/* Closes the files in which names were looked up, here and by resolve. */
void source_place_close(void);

/* Reports, once, why functions have no names, if so.  Call it after names were looked up. */
void source_place_complain(void);

#endif
