/*
 * Reads the items of one section and keeps the first fault that is found in it.  For
 * decode_definitions.c, decode_location.c, read_summary.c and read_brief.c only.
 *
 * Faults name an item by its INDEX in its list and say WHAT is wrong with it.  After a fault
 * counts, indexes and durations are 0 and refs are SUMMARY_NONE, so that loops end and tables
 * are not left.  All memory belongs to the summary.
 */
#ifndef TSPROF_SECTION_READER_H
#define TSPROF_SECTION_READER_H

#include "base/base.h"
#include "common/codec.h"
#include "file/container.h"
#include "file/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader {
    struct decoder in;
    struct summary *summary;
    const char *section; /* its name */
    unsigned version;    /* of its content */
    uint64_t *runs_left; /* what was saved in a part is read: see decode_map.h; or NULL */
    bool faulty;
    struct error *error; /* the first fault: later ones follow from it */
};

/*
 * Makes READER one of the content of SECTION, which refers to SUMMARY.  BYTES is that content:
 * the caller's, to be freed once all is read.  False, and ERROR, if it cannot be had.
 */
bool reader_open(struct reader *reader, unsigned char **bytes,
                 const struct container *container, const struct section *section,
                 struct summary *summary, struct error *error);

/* Notes that the section is damaged.  Returns false. */
bool reader_fault(struct reader *reader, uint64_t index, const char *what);

/* Reports that the decoder has failed, if nothing was reported before.  Returns false. */
bool reader_fault_of_decoder(struct reader *reader);

/* Whether the section has been sound so far; reports it if the decoder has failed. */
static inline bool reader_is_good(struct reader *reader)
{
    return reader->in.failed ? reader_fault_of_decoder(reader) : !reader->faulty;
}

/* Memory for COUNT items of SIZE bytes, all zero. */
void *reader_items(struct reader *reader, size_t count, size_t size);

/* Reads the number of items that follow, each of at least ITEM_BYTES. */
size_t reader_count(struct reader *reader, size_t item_bytes);
/* The same, for items of which a file has at most MOST. */
size_t reader_count_few(struct reader *reader, size_t item_bytes, size_t most);

/* Checks that COUNT items of at least ITEM_BYTES each can follow; reports a fault if not. */
bool reader_expect(struct reader *reader, size_t count, size_t item_bytes);

/* Reads a text without zero bytes. */
const char *reader_text(struct reader *reader, uint64_t index);

/* Reads a varint, which must be below COUNT. */
uint32_t reader_index(struct reader *reader, uint64_t index, size_t count, const char *what);

/* Reads a ref to one of COUNT things; SUMMARY_NONE for none. */
uint32_t reader_ref(struct reader *reader, uint64_t index, size_t count, const char *what);

/* Reads a duration in nanoseconds, which must fit int64_t. */
int64_t reader_duration(struct reader *reader, uint64_t index);

#endif
