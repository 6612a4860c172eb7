/* See shortage.h. */
#include "archive/shortage.h"

#include <inttypes.h>
#include <stdio.h>

enum { SENTENCE_BYTES = 240, PLACE_BYTES = 64 };

void shortage_add(struct shortage *shortage, const struct shortage *other)
{
    shortage->processes += other->processes;
    if (other->given_up > shortage->given_up)
        shortage->given_up = other->given_up;
    if (other->ended_ns > 0 &&
        (shortage->ended_ns == 0 || other->ended_ns < shortage->ended_ns))
        shortage->ended_ns = other->ended_ns;
}

void shortage_encode(const struct shortage *shortage, struct encoder *out)
{
    encode_varint(out, shortage->processes);
    encode_varint(out, shortage->given_up);
    encode_signed(out, shortage->ended_ns);
}

void shortage_decode(struct shortage *shortage, struct decoder *in)
{
    shortage->processes = decode_varint(in);
    shortage->given_up = decode_varint(in);
    shortage->ended_ns = decode_signed(in);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Sentences of the three kinds of choices; PLACE says on which processes. */

static void tell_all(const struct shortage *shortage, const char *place, char *text)
{
    snprintf(text, SENTENCE_BYTES,
             "TSPROF_TRACE_MEMORY was too little%s: recording ended after %.3g s%s", place,
             (double)shortage->ended_ns / 1e9, shortage->processes > 1 ? " or later" : "");
}

static void tell_list(uint64_t missing, const char *place, char *text)
{
    snprintf(text, SENTENCE_BYTES,
             "TSPROF_TRACE_MEMORY was too little%s: the events of %" PRIu64
             " iteration%s are missing",
             place, missing, plural(missing));
}

/* That iterations of a list are missing of which some processes had none. */
static void tell_uneven_list(uint64_t missing, char *text)
{
    snprintf(text, SENTENCE_BYTES,
             "the events of %" PRIu64
             " iteration%s that TSPROF_TRACE lists are missing, as not "
             "all processes have %s",
             missing, plural(missing), missing == 1 ? "it" : "them");
}

static void tell_best(const struct shortage *shortage, const char *place, char *text)
{
    snprintf(text, SENTENCE_BYTES,
             "TSPROF_TRACE_MEMORY was too little%s: %" PRIu64 " iteration%s given up%s", place,
             shortage->given_up, shortage->given_up == 1 ? " was" : "s were",
             shortage->processes > 1 ? " on each at most" : "");
}

/* That there are others than the best, or fewer: processes have kept others, or one process as
 * many as it can. */
static void tell_missing(uint64_t missing, const struct trace_spec *spec, size_t ranks,
                         char *text)
{
    const bool slowest = spec->choice == TRACE_SLOWEST;
    snprintf(text, SENTENCE_BYTES,
             "at least %" PRIu64 " of the %u%s iteration%s%s %s missing, as %s %s", missing,
             spec->most, slowest ? " slowest" : "", plural(spec->most),
             slowest ? "" : " that differ most", missing == 1 ? "is" : "are",
             ranks > 1 ? "not all processes have kept" : "there was no room for",
             missing == 1 ? "it" : "them");
}

void shortage_tell(const struct shortage *shortage, const struct supply *supply,
                   const struct trace_spec *spec, size_t ranks, void (*say)(const char *text))
{
    const bool best = spec->choice == TRACE_SLOWEST || spec->choice == TRACE_NEW;
    const uint64_t missing = spec->choice == TRACE_ALL ? 0 : supply_missing(supply, spec);
    char text[SENTENCE_BYTES], place[PLACE_BYTES] = "";
    if (ranks > 1)
        snprintf(place, sizeof place, " on %" PRIu64 " of %zu processes", shortage->processes,
                 ranks);
    if (shortage->processes > 0) {
        if (spec->choice == TRACE_ALL)
            tell_all(shortage, place, text);
        else if (best)
            tell_best(shortage, place, text);
        else
            tell_list(missing, place, text);
        say(text);
    }
    if (missing > 0 && (best || shortage->processes == 0)) {
        if (best)
            tell_missing(missing, spec, ranks, text);
        else
            tell_uneven_list(missing, text);
        say(text);
    }
}
