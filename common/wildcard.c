/* See wildcard.h. */
#include "common/wildcard.h"

#include <stddef.h>
#include <string.h>

/* In the C locale, which the program may have left. */
static bool is_between(unsigned char c, char low, char high)
{
    return c >= (unsigned char)low && c <= (unsigned char)high;
}

static bool is_lower(unsigned char c)
{
    return is_between(c, 'a', 'z');
}

static bool is_upper(unsigned char c)
{
    return is_between(c, 'A', 'Z');
}

static bool is_alpha(unsigned char c)
{
    return is_lower(c) || is_upper(c);
}

static bool is_digit(unsigned char c)
{
    return is_between(c, '0', '9');
}

static bool is_alnum(unsigned char c)
{
    return is_alpha(c) || is_digit(c);
}

static bool is_xdigit(unsigned char c)
{
    return is_digit(c) || is_between(c, 'a', 'f') || is_between(c, 'A', 'F');
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t';
}

static bool is_space(unsigned char c)
{
    return c == ' ' || is_between(c, '\t', '\r');
}

static bool is_graph(unsigned char c)
{
    return is_between(c, '!', '~');
}

static bool is_print(unsigned char c)
{
    return is_between(c, ' ', '~');
}

static bool is_punct(unsigned char c)
{
    return is_graph(c) && !is_alnum(c);
}

static bool is_cntrl(unsigned char c)
{
    return c < ' ' || c == 127;
}

static const struct class
{
    const char *name;
    bool (*holds)(unsigned char c);
} classes[] = {
    {"alnum", is_alnum}, {"alpha", is_alpha}, {"blank", is_blank}, {"cntrl", is_cntrl},
    {"digit", is_digit}, {"graph", is_graph}, {"lower", is_lower}, {"print", is_print},
    {"punct", is_punct}, {"space", is_space}, {"upper", is_upper}, {"xdigit", is_xdigit},
};

/* Whether C is in the class whose name is the LENGTH characters at NAME; none is unknown. */
static bool class_holds(const char *name, size_t length, unsigned char c)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strlen(classes[i].name) == length && memcmp(classes[i].name, name, length) == 0)
            return classes[i].holds(c);
    return false;
}

/* Reads a member of a set, which may have a backslash before it; false at the pattern's end. */
static bool read_member(const char **set, unsigned char *member)
{
    *set += **set == '\\';
    *member = (unsigned char)**set;
    return *(*set)++ != '\0';
}

/* The end of the name of a class that begins with `[:` at SET; NULL if it is none. */
static const char *class_end(const char *set)
{
    return set[0] == '[' && set[1] == ':' ? strstr(set + 2, ":]") : NULL;
}

/*
 * Reads the set that begins behind a `[` at SET, and whether it holds C.  Returns what follows
 * its end, or NULL if it has none.
 */
static const char *read_set(const char *set, unsigned char c, bool *holds)
{
    const bool inverted = *set == '!' || *set == '^';
    bool found = false;
    const char *const first = set + inverted;
    for (set = first; set == first || *set != ']';) {
        unsigned char low, high;
        const char *end = class_end(set);
        if (end) {
            found |= class_holds(set + 2, (size_t)(end - set - 2), c);
            set = end + 2;
            continue;
        }
        if (!read_member(&set, &low))
            return NULL;
        high = low;
        if (set[0] == '-' && set[1] != '\0' && set[1] != ']') {
            set++;
            if (!read_member(&set, &high))
                return NULL;
        }
        found |= c >= low && c <= high;
    }
    *holds = found != inverted;
    return set + 1;
}

/* What follows the first part of PATTERN, if that is one character and C may be it; or NULL. */
static const char *match_one(const char *pattern, char c)
{
    bool holds;
    const char *next;
    switch (*pattern) {
    case '\0':
        return NULL;
    case '?':
        return pattern + 1;
    case '\\':
        return pattern[1] == c ? pattern + 2 : NULL;
    case '[':
        next = read_set(pattern + 1, (unsigned char)c, &holds);
        if (next)
            return holds ? next : NULL;
        break;
    default:
        break;
    }
    return *pattern == c ? pattern + 1 : NULL;
}

bool wildcard_matches(const char *pattern, const char *text)
{
    /* Behind the last star that was met, and where what it stands for ends so far. */
    const char *star = NULL, *end = NULL;
    while (*text) {
        const char *next;
        if (*pattern == '*') {
            star = ++pattern;
            end = text;
        } else if ((next = match_one(pattern, *text))) {
            pattern = next;
            text++;
        } else if (star) {
            pattern = star;
            text = ++end;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
