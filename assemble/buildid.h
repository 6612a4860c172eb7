/*
 * Build ids, which linkers write into a module to identify it.  Any context: reads nothing but
 * the notes it is given.
 */
#ifndef TSPROF_BUILDID_H
#define TSPROF_BUILDID_H

#include <stddef.h>

enum { BUILDID_MOST_BYTES = 32, BUILDID_TEXT = 2 * BUILDID_MOST_BYTES + 1 };

/*
 * Finds the build id in SIZE bytes of notes aligned to ALIGNMENT.  Returns a pointer into NOTES
 * and its length in *LENGTH; NULL if there is none, or one longer than any linker writes.
 */
const unsigned char *buildid_find_async(const void *notes, size_t size, size_t alignment,
                                        size_t *length);

/* Writes the LENGTH bytes of ID into TEXT in hexadecimal; at most BUILDID_MOST_BYTES. */
void buildid_text(const unsigned char *id, size_t length, char text[BUILDID_TEXT]);

#endif
