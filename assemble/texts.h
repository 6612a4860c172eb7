/*
 * Texts, or rather strings of any bytes, each listed once and numbered in the order in which
 * they came; lists of several processes are united.  Program context; memory from malloc.
 */
#ifndef TSPROF_TEXTS_H
#define TSPROF_TEXTS_H

#include "common/codec.h"
#include "common/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from all zeros. */
struct texts {
    struct encoder bytes; /* of all, one after the other */
    size_t *ends;         /* end of each in `bytes`, by number */
    struct index index;   /* by the text */
    uint32_t capacity;    /* of `ends` */
    uint32_t count;
};

enum { TEXTS_NONE = UINT32_MAX };

/* The number of the LENGTH bytes at TEXT, added if new; TEXTS_NONE without memory. */
uint32_t texts_add(struct texts *texts, const void *text, size_t length);

/* The number of the LENGTH bytes at TEXT; TEXTS_NONE if they are no text of TEXTS. */
uint32_t texts_find(const struct texts *texts, const void *text, size_t length);

/* Text NUMBER, of *LENGTH bytes; valid until another one is added. */
const unsigned char *texts_get(const struct texts *texts, uint32_t number, size_t *length);

/*
 * texts_encode appends all texts in the form that texts_merge reads in another process.
 * texts_merge adds them if IS_VALID, unless NULL, is true of each; MAP, from malloc, receives
 * the new numbers of the COUNT texts.  False if the message is damaged or memory runs out.
 */
void texts_encode(const struct texts *texts, struct encoder *out);
bool texts_merge(struct texts *texts, struct decoder *in,
                 bool (*is_valid)(const char *text, size_t length), uint32_t **map,
                 uint32_t *count);

void texts_free(struct texts *texts);

#endif
