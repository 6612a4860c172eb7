/*
 * Build ids: what linkers write into a module to tell it from every other.
 * Any context: reads nothing but the notes it is given.
 */
#ifndef TSPROF_BUILDID_H
#define TSPROF_BUILDID_H

#include <stddef.h>

enum { BUILDID_MOST_BYTES = 32, BUILDID_TEXT = 2 * BUILDID_MOST_BYTES + 1 };

/*
 * The build id in SIZE bytes of notes aligned to ALIGNMENT: where it lies in them, its length
 * in *LENGTH; NULL where it is not, or longer than any linker's.
 */
const unsigned char *buildid_find_async(const void *notes, size_t size, size_t alignment,
                                        size_t *length);

/* Writes LENGTH bytes in hexadecimal into TEXT. */
void buildid_text(const unsigned char *id, size_t length, char text[BUILDID_TEXT]);

#endif
