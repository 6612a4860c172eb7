/* See event_names.h. */
#include "counters/event_names.h"

#include <string.h>

enum { LETTERS_MOST = 64 };

struct letters {
    char text[LETTERS_MOST];
    size_t count;
};

static struct letters letters_of(const char *name)
{
    struct letters letters = {.count = 0};
    for (const char *after; (after = strstr(name, "::"));)
        name = after + 2;
    if (strncmp(name, "PAPI_", 5) == 0)
        name += 5;
    for (; *name && letters.count < LETTERS_MOST; name++) {
        char small = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        if ((small >= 'a' && small <= 'z') || (small >= '0' && small <= '9'))
            letters.text[letters.count++] = small;
    }
    return letters;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t event_names_distance(const char *a, const char *b)
{
    const struct letters one = letters_of(a), other = letters_of(b);
    size_t row[LETTERS_MOST + 1];
    for (size_t j = 0; j <= other.count; j++)
        row[j] = j;
    for (size_t i = 1; i <= one.count; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= other.count; j++) {
            size_t changed = diagonal + (one.text[i - 1] != other.text[j - 1]);
            diagonal = row[j];
            row[j] = smaller(changed, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[other.count];
}

bool event_names_plausible(const char *name, size_t distance)
{
    return distance <= letters_of(name).count / 4;
}
