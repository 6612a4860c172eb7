/*
 * For unit tests: made summaries written to a file and read again.
 */
#ifndef TSPROF_SUMMARY_READING_H
#define TSPROF_SUMMARY_READING_H

#include "file/read_summary.h"
#include "options/options.h"
#include "query/select.h"
#include "tests/unit/utils/summary_maker.h"

#include <stdbool.h>
#include <stddef.h>

/* A directory of the test's own, and the file that all are written to. */
extern char reading_directory[];
extern char reading_path[64];

/* Makes both, false if that fails; before anything else. */
bool reading_start(void);

/* Removes them. */
void reading_stop(void);

/* Reads BYTES as a file; NULL and a message if that fails.  For summary_free. */
struct summary *read_bytes(const void *bytes, size_t size, struct error *error);

/* The same of what MAKER writes. */
struct summary *read_maker(const struct maker *maker, struct error *error);

/* The same of what MAKE makes; a message is shown. */
struct summary *read_made(void (*make)(struct maker *maker));

struct summary *read_example(void);

/* What OPTIONS select of SUMMARY, for selection_free; a message is shown. */
struct selection select_with(const struct summary *summary, const struct options *options);

/* Options that select everything. */
struct options everything(void);

#endif
