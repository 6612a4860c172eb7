/* See counters.h. */
#include "counters/counters.h"

#include "counters/papi.h"
#include "host/host.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 128, REFUSED_MOST = 2 * COUNTERS_MOST };

unsigned counters_count;

static char names[COUNTERS_MOST][NAME_BYTES];
static int events[COUNTERS_MOST];

/* The counters that the user has asked for and that cannot be counted. */
static struct {
    char name[NAME_BYTES];
    struct papi_refusal why;
} refused[REFUSED_MOST];
static unsigned refused_count;

const char *counters_name_async(unsigned counter)
{
    return names[counter];
}

static void refuse(const char *name, const struct papi_refusal *why)
{
    for (unsigned i = 0; i < refused_count; i++)
        if (strcmp(refused[i].name, name) == 0)
            return;
    if (refused_count == REFUSED_MOST)
        return;
    snprintf(refused[refused_count].name, NAME_BYTES, "%s", name);
    refused[refused_count++].why = *why;
}

/*
 * Copies the next name of the list *AT, without the blanks around it, and moves *AT past it;
 * false at the end.
 */
static bool next_name(const char **at, char name[NAME_BYTES])
{
    static const char separators[] = ", \t\n";
    const char *begin = *at + strspn(*at, separators);
    size_t length = strcspn(begin, separators);
    size_t kept = length < NAME_BYTES ? length : NAME_BYTES - 1;
    memcpy(name, begin, kept);
    name[kept] = '\0';
    *at = begin + length;
    return length > 0;
}

static bool is_listed(const char *name)
{
    for (unsigned i = 0; i < counters_count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Adds the counter called NAME if it can be counted at all. */
static void want(const char *name)
{
    struct papi_refusal why;
    if (is_listed(name))
        return;
    if (counters_count == COUNTERS_MOST) {
        snprintf(why.text, sizeof why.text, "at most %d counters are supported", COUNTERS_MOST);
        refuse(name, &why);
    } else if (!papi_find(name, &events[counters_count], &why)) {
        refuse(name, &why);
    } else {
        snprintf(names[counters_count++], NAME_BYTES, "%s", name);
    }
}

static void drop(unsigned counter, const struct papi_refusal *why)
{
    refuse(names[counter], why);
    counters_count--;
    memmove(names[counter], names[counter + 1], (counters_count - counter) * sizeof names[0]);
    memmove(&events[counter], &events[counter + 1],
            (counters_count - counter) * sizeof events[0]);
}

/*
 * Keeps the counters that can be counted together; where some exclude each other, the first
 * ones.
 */
static void try_together(void)
{
    while (counters_count > 0) {
        struct papi_refusal why;
        unsigned first_refused;
        int64_t values[COUNTERS_MOST];
        int set = papi_start(events, counters_count, &first_refused, &why);
        bool counts = set != PAPI_NO_SET && papi_read_async(set, values);
        if (set != PAPI_NO_SET)
            papi_stop(set);
        if (counts)
            return;
        if (set != PAPI_NO_SET) {
            first_refused = counters_count;
            snprintf(why.text, sizeof why.text, "it can be started but not read");
        }
        if (first_refused < counters_count) {
            drop(first_refused, &why);
            continue;
        }
        while (counters_count > 0)
            drop(0, &why);
    }
}

void counters_start(void)
{
    const char *list = config.text[SETTING_COUNTERS];
    char name[NAME_BYTES];
    struct papi_refusal why;
    const char *at = list;
    if (!next_name(&at, name))
        return;
    if (!papi_open(config.text[SETTING_PAPI], &why)) {
        refuse(list, &why);
        return;
    }
    for (at = list; next_name(&at, name);)
        want(name);
    try_together();
}

bool counters_note(unsigned number, char *text, size_t size)
{
    if (number >= refused_count)
        return false;
    snprintf(text, size, "not counted: %s: %s", refused[number].name, refused[number].why.text);
    return true;
}

void counters_complain(void)
{
    char text[NAME_BYTES + sizeof(struct papi_refusal) + 32];
    for (unsigned i = 0; counters_note(i, text, sizeof text); i++)
        message(1, "%s", text);
}

int counters_start_set(void)
{
    struct papi_refusal why;
    unsigned first_refused;
    return papi_start(events, counters_count, &first_refused, &why);
}
