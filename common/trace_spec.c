/* See trace_spec.h. */
#include "common/trace_spec.h"

#include <string.h>
#include <strings.h>

#define QUOTED(number) #number
#define NUMBER(name)   QUOTED(name)

const char trace_spec_forms[] = "all, iterations such as 12,100-109 (up to " NUMBER(
    TRACE_RANGES_MOST) " ranges), slowest:N or "
                       "new:N (N up to " NUMBER(
                           TRACE_BEST_MOST) "), perhaps with PHASE: before it";

/* Reads digits at *TEXT and steps over them; false without any, or beyond 2^63. */
static bool read_number(const char **text, uint64_t *number)
{
    const char *at = *text;
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*number > (INT64_MAX - 9) / 10)
            return false;
        *number = *number * 10 + (uint64_t)(*at - '0');
    }
    const bool read = at > *text;
    *text = at;
    return read;
}

static bool read_range(const char **text, struct trace_range *range)
{
    if (!read_number(text, &range->first))
        return false;
    range->last = range->first;
    if (**text != '-')
        return true;
    ++*text;
    return read_number(text, &range->last) && range->last >= range->first;
}

static bool read_list(const char *text, struct trace_spec *spec)
{
    spec->choice = TRACE_LISTED;
    while (spec->range_count < TRACE_RANGES_MOST &&
           read_range(&text, &spec->ranges[spec->range_count])) {
        spec->range_count++;
        if (!*text)
            return true;
        if (*text++ != ',')
            return false;
    }
    return false;
}

/* Reads `WORD:N`; false if TEXT is something else. */
static bool read_best(const char *text, const char *word, uint32_t *most)
{
    const size_t length = strlen(word);
    uint64_t number;
    if (strncmp(text, word, length) != 0)
        return false;
    text += length;
    if (!read_number(&text, &number) || *text || number == 0 || number > TRACE_BEST_MOST)
        return false;
    *most = (uint32_t)number;
    return true;
}

/* Reads what comes after the name of a phase. */
static bool read_selection(const char *text, struct trace_spec *spec)
{
    *spec = (struct trace_spec){.choice = TRACE_NOTHING};
    if (read_best(text, "slowest:", &spec->most))
        spec->choice = TRACE_SLOWEST;
    else if (read_best(text, "new:", &spec->most))
        spec->choice = TRACE_NEW;
    else
        return read_list(text, spec);
    return true;
}

/*
 * Whether TEXT begins with the word of a choice, perhaps mistyped, and a colon: then it is none
 * of a phase with that name, but has a bad number.  Two colons are part of a name.
 */
static bool begins_like_choice(const char *text)
{
    static const char *const words[] = {"all", "slowest", "new"};
    const char *begin = text + strspn(text, " ");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (strncasecmp(begin, words[i], length) != 0)
            continue;
        const char *end = begin + length;
        end += strspn(end, " ");
        if (end[0] == ':' && end[1] != ':')
            return true;
    }
    return false;
}

bool trace_spec_read(const char *text, struct trace_spec *spec)
{
    *spec = (struct trace_spec){.choice = TRACE_NOTHING};
    if (!*text)
        return true;
    if (strcmp(text, "all") == 0) {
        spec->choice = TRACE_ALL;
        return true;
    }
    if (read_selection(text, spec))
        return true;
    /* Names may have colons, as those of C++ do: the first way to read the text counts. */
    for (const char *rest = text; !begins_like_choice(rest); rest++) {
        rest = strchr(rest, ':');
        if (!rest)
            return false;
        if (rest > text && read_selection(rest + 1, spec)) {
            spec->phase = text;
            spec->phase_length = (size_t)(rest - text);
            return true;
        }
    }
    return false;
}

bool trace_spec_lists_async(const struct trace_spec *spec, uint64_t number)
{
    for (uint32_t i = 0; i < spec->range_count; i++)
        if (number >= spec->ranges[i].first && number <= spec->ranges[i].last)
            return true;
    return false;
}

bool trace_spec_means_async(const struct trace_spec *spec, const char *name)
{
    return !spec->phase || (strlen(name) == spec->phase_length &&
                            memcmp(name, spec->phase, spec->phase_length) == 0);
}
