/* Which ranks are bound to fewer processors than they have threads.  For findings_run.c. */
#ifndef TSPROF_FINDINGS_BINDING_H
#define TSPROF_FINDINGS_BINDING_H

#include "print/print.h"
#include "query/query.h"

/*
 * Appends to TEXT which of the selected ranks may only run on processors of which there are
 * fewer than threads that must share them, though the host has more: "ranks 0-3 are bound to
 * the same processor", several joined by commas.  LACKS tells by selected rank whether it had
 * no processor for much of its time; nobody else is named, but as one of those it shares with.
 * False, and nothing is appended, if there are none, or the summary does not tell.
 */
bool binding_add(const struct selection *selection, const bool *lacks, struct text *text);

#endif
