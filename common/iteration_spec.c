/* See iteration_spec.h. */
#include "common/iteration_spec.h"

#include <stdio.h>
#include <string.h>

const char iteration_spec_forms[] =
    "auto alone, loop:FUNCTION[+0xOFFSET] alone, markers, function:NAME, "
    "call:MPI_NAME[@FUNCTION[:LINE]], call:A > B > MPI_NAME, "
    "every:MPI_NAME:N, time:SECONDS, pcontrol[:LEVEL], caliper:NAME, nvtx:NAME, scorep:NAME, "
    "likwid:NAME, or several of them separated by commas, the outer loop first";

/* How items begin; after a colon more has to follow. */
static const struct form {
    const char *begin;
    enum iteration_kind kind;
} forms[] = {
    {"auto", ITERATION_AUTO},          {"markers", ITERATION_MARKERS},
    {"function:", ITERATION_FUNCTION}, {"call:", ITERATION_CALL},
    {"every:", ITERATION_EVERY},       {"time:", ITERATION_TIME},
    {"pcontrol:", ITERATION_PCONTROL}, {"pcontrol", ITERATION_PCONTROL},
    {"caliper:", ITERATION_CALIPER},   {"nvtx:", ITERATION_NVTX},
    {"scorep:", ITERATION_SCOREP},     {"likwid:", ITERATION_LIKWID},
    {"loop:", ITERATION_LOOP},
};

enum { FORMS = sizeof forms / sizeof forms[0] };

static bool goes_on(const struct form *form)
{
    return form->begin[strlen(form->begin) - 1] == ':';
}

/* The form that TEXT begins with, NULL if none. */
static const struct form *form_at(const char *text)
{
    for (size_t i = 0; i < FORMS; i++) {
        size_t length = strlen(forms[i].begin);
        if (strncmp(text, forms[i].begin, length) != 0)
            continue;
        if (goes_on(&forms[i]) || text[length] == '\0' || text[length] == ',')
            return &forms[i];
    }
    return NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct iteration_text trimmed(struct iteration_text text)
{
    while (text.length > 0 && is_blank(text.start[0])) {
        text.start++;
        text.length--;
    }
    while (text.length > 0 && is_blank(text.start[text.length - 1]))
        text.length--;
    return text;
}

static bool starts_with(struct iteration_text text, const char *start)
{
    size_t length = strlen(start);
    return text.length > length && strncmp(text.start, start, length) == 0;
}

/* Reads a whole number from 1 on; 0 if TEXT is none. */
static int64_t read_count(struct iteration_text text)
{
    int64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.start[i] < '0' || text.start[i] > '9' || value > INT32_MAX / 10)
            return 0;
        value = value * 10 + (text.start[i] - '0');
    }
    return value <= INT32_MAX ? value : 0;
}

/* Seconds with at most nine decimals, as nanoseconds; 0 if it is no such number. */
static int64_t read_seconds(struct iteration_text text)
{
    int64_t value = 0;
    int decimals = -1;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.start[i];
        if (c == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (c < '0' || c > '9' || value > ITERATION_TIME_MOST_NS || decimals == 9)
            return 0;
        value = value * 10 + (c - '0');
        decimals += decimals >= 0;
    }
    for (int i = decimals > 0 ? decimals : 0; i < 9; i++) {
        if (value > ITERATION_TIME_MOST_NS)
            return 0;
        value *= 10;
    }
    return value <= ITERATION_TIME_MOST_NS ? value : 0;
}

/* Where the last C of TEXT is, -1 if nowhere. */
static ptrdiff_t last_of(struct iteration_text text, char c)
{
    ptrdiff_t at = (ptrdiff_t)text.length;
    while (--at >= 0 && text.start[at] != c)
        ;
    return at;
}

static struct iteration_text before(struct iteration_text text, ptrdiff_t at)
{
    return (struct iteration_text){text.start, (size_t)at};
}

static struct iteration_text behind(struct iteration_text text, ptrdiff_t at)
{
    return (struct iteration_text){text.start + at + 1, text.length - (size_t)at - 1};
}

static bool is_mpi_name(struct iteration_text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.start[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            return false;
    }
    return starts_with(name, "MPI_");
}

int iteration_take_line(struct iteration_text *region)
{
    const ptrdiff_t colon = last_of(*region, ':');
    const int64_t line =
        colon > 0 && region->start[colon - 1] != ':' ? read_count(behind(*region, colon)) : 0;
    if (line > 0)
        *region = trimmed(before(*region, colon));
    return (int)line;
}

/* FUNCTION[:LINE] */
static bool read_caller(struct iteration_text text, struct iteration_item *item)
{
    item->function = trimmed(text);
    item->line = iteration_take_line(&item->function);
    return item->function.length > 0;
}

/* The nesting depth of brackets after the character C, as in C++ names. */
static int depth_after(int depth, char c)
{
    if (strchr("<([{", c))
        return depth + 1;
    return strchr(">)]}", c) && depth > 0 ? depth - 1 : depth;
}

/* Whether a separator of regions begins at AT of TEXT; *LENGTH receives its length. */
static bool separates(struct iteration_text text, size_t at, size_t *length)
{
    *length = 1;
    if (text.start[at] == ';')
        return true;
    *length = 3;
    return at + 3 <= text.length && strncmp(text.start + at, " > ", 3) == 0;
}

bool iteration_path_last(struct iteration_text *path, struct iteration_text *region)
{
    int depth = 0;
    size_t length, end = 0, begin = 0;
    if (path->length == 0)
        return false;
    for (size_t at = 0; at < path->length; at++) {
        if (depth == 0 && separates(*path, at, &length)) {
            end = at;
            begin = at + length;
            at += length - 1;
        } else {
            depth = depth_after(depth, path->start[at]);
        }
    }
    *region = trimmed((struct iteration_text){path->start + begin, path->length - begin});
    path->length = end;
    return true;
}

/* Whether no region of PATH is empty. */
static bool is_path(struct iteration_text path)
{
    struct iteration_text region;
    bool any = false;
    for (; iteration_path_last(&path, &region); any = true) {
        iteration_take_line(&region);
        if (region.length == 0)
            return false;
    }
    return any;
}

static bool read_path(struct iteration_text text, struct iteration_item *item)
{
    struct iteration_text left = text, region;
    item->kind = ITERATION_PATH;
    item->name = text;
    return iteration_path_last(&left, &region) && is_mpi_name(region) && is_path(left);
}

static bool read_call(struct iteration_text text, struct iteration_item *item)
{
    struct iteration_text left = text, region;
    if (!iteration_path_last(&left, &region))
        return false;
    if (left.length > 0 || region.length == 0)
        return read_path(text, item);
    const char *at = memchr(text.start, '@', text.length);
    item->name = at ? trimmed(before(text, at - text.start)) : text;
    return is_mpi_name(item->name) && (!at || read_caller(behind(text, at - text.start), item));
}

/* The value of the hexadecimal digits TEXT; 0 if it is none, or too large for a function. */
static int64_t read_offset(struct iteration_text text)
{
    int64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char *const digits = "0123456789abcdef";
        const char *digit = memchr(digits, text.start[i], 16);
        if (!digit || value > INT32_MAX / 16)
            return 0;
        value = value * 16 + (digit - digits);
    }
    return value;
}

/* PATH[+0xOFFSET] */
static bool read_loop(struct iteration_text text, struct iteration_item *item)
{
    const ptrdiff_t plus = last_of(text, '+');
    item->name = text;
    if (plus >= 0 && starts_with(behind(text, plus), "0x")) {
        item->number = read_offset(behind(text, plus + 2));
        item->name = trimmed(before(text, plus));
        if (item->number == 0)
            return false;
    }
    return is_path(item->name);
}

static bool read_every(struct iteration_text text, struct iteration_item *item)
{
    ptrdiff_t colon = last_of(text, ':');
    if (colon < 0)
        return false;
    item->name = before(text, colon);
    item->number = read_count(behind(text, colon));
    return item->number > 0 && is_mpi_name(item->name);
}

/* Reads what follows the colon. */
static bool read_rest(struct iteration_text text, struct iteration_item *item)
{
    switch (item->kind) {
    case ITERATION_CALL:
        return read_call(text, item);
    case ITERATION_LOOP:
        return read_loop(text, item);
    case ITERATION_EVERY:
        return read_every(text, item);
    case ITERATION_TIME:
        item->number = read_seconds(text);
        return item->number >= ITERATION_TIME_LEAST_NS;
    case ITERATION_PCONTROL:
        item->number = read_count(text);
        return item->number > 0;
    default:
        item->name = text;
        return text.length > 0;
    }
}

static bool read_item(struct iteration_text text, struct iteration_item *item)
{
    const struct form *form = form_at(text.start);
    *item = (struct iteration_item){0};
    if (!form)
        return false;
    item->kind = form->kind;
    size_t begin = strlen(form->begin);
    if (!goes_on(form))
        return text.length == begin;
    return read_rest(trimmed((struct iteration_text){text.start + begin, text.length - begin}),
                     item);
}

/* The length of the first item: up to a comma behind which another item begins. */
static size_t item_length(const char *text)
{
    size_t length = 0;
    for (;; length++) {
        length += strcspn(text + length, ",");
        if (text[length] == '\0' || form_at(text + length + 1))
            return length;
    }
}

bool iteration_spec_read(const char *text, struct iteration_spec *spec)
{
    bool is_alone = false;
    spec->count = 0;
    while (*text) {
        size_t length = item_length(text);
        if (spec->count == ITERATION_ITEMS_MOST ||
            !read_item((struct iteration_text){text, length}, &spec->items[spec->count]))
            return false;
        const enum iteration_kind kind = spec->items[spec->count].kind;
        is_alone = is_alone || kind == ITERATION_AUTO || kind == ITERATION_LOOP;
        spec->count++;
        text += length;
        text += *text == ',';
    }
    return !is_alone || spec->count == 1;
}

/* Appends to NAME, as far as there is room. */
static void append(char name[ITERATION_NAME_BYTES], const char *before_it,
                   struct iteration_text text)
{
    size_t used = strlen(name);
    int length = text.length < ITERATION_NAME_BYTES ? (int)text.length : ITERATION_NAME_BYTES;
    snprintf(name + used, ITERATION_NAME_BYTES - used, "%s%.*s", before_it, length, text.start);
}

static void name_path(struct iteration_text path, char name[ITERATION_NAME_BYTES])
{
    struct iteration_text region;
    if (iteration_path_last(&path, &region))
        append(name, "", region);
    if (iteration_path_last(&path, &region))
        append(name, " in ", region);
}

/* Writes seconds without trailing zeros. */
static void name_time(int64_t ns, char name[ITERATION_NAME_BYTES])
{
    char decimals[16];
    snprintf(decimals, sizeof decimals, ".%09lld", (long long)(ns % 1000000000));
    for (size_t end = strlen(decimals); end > 0 && strchr("0.", decimals[end - 1]); end--)
        decimals[end - 1] = '\0';
    snprintf(name, ITERATION_NAME_BYTES, "%lld%s s", (long long)(ns / 1000000000), decimals);
}

void iteration_item_name(const struct iteration_item *item, char name[ITERATION_NAME_BYTES])
{
    char number[24];
    name[0] = '\0';
    switch (item->kind) {
    case ITERATION_PATH:
        name_path(item->name, name);
        break;
    case ITERATION_CALL:
        append(name, "", item->name);
        if (item->function.length > 0)
            append(name, " in ", item->function);
        snprintf(number, sizeof number, "%d", item->line);
        if (item->line)
            append(name, ":", (struct iteration_text){number, strlen(number)});
        break;
    case ITERATION_EVERY:
        snprintf(number, sizeof number, "%lld ", (long long)item->number);
        append(name, number, item->name);
        break;
    case ITERATION_TIME:
        name_time(item->number, name);
        break;
    case ITERATION_AUTO:
    case ITERATION_LOOP:
    case ITERATION_MARKERS:
    case ITERATION_PCONTROL:
    case ITERATION_KINDS:
        break;
    case ITERATION_FUNCTION:
    case ITERATION_CALIPER:
    case ITERATION_NVTX:
    case ITERATION_SCOREP:
    case ITERATION_LIKWID:
        append(name, "", item->name);
        break;
    }
}

/* Whether NAME matches PATTERN, with * for any text and ? for any character. */
static bool fits(struct iteration_text pattern, struct iteration_text name)
{
    size_t p = 0, n = 0, star = SIZE_MAX, from = 0;
    while (n < name.length) {
        if (p < pattern.length && pattern.start[p] == '*') {
            star = p++;
            from = n;
        } else if (p < pattern.length &&
                   (pattern.start[p] == '?' || pattern.start[p] == name.start[n])) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            /* Let the star match one more character. */
            p = star + 1;
            n = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.start[p] == '*')
        p++;
    return p == pattern.length;
}

/* NAME up to its arguments. */
static struct iteration_text without_arguments(const char *name)
{
    static const char call[] = "operator()", anonymous[] = "(anonymous namespace)";
    int depth = 0;
    size_t at = 0;
    for (; name[at]; at++) {
        if (strncmp(name + at, call, sizeof call - 1) == 0)
            at += sizeof call - 1;
        else if (strncmp(name + at, anonymous, sizeof anonymous - 1) == 0)
            at += sizeof anonymous - 1;
        if (!name[at] || (depth == 0 && name[at] == '(' && at > 0))
            break;
        depth = depth_after(depth, name[at]);
    }
    return (struct iteration_text){name, at};
}

/* The name in the Fortran source: `__module_MOD_solve` and `solve_` are both solve. */
static struct iteration_text without_decoration(const char *name)
{
    const char *procedure = strncmp(name, "__", 2) == 0 ? strstr(name, "_MOD_") : NULL;
    if (procedure)
        name = procedure + strlen("_MOD_");
    struct iteration_text text = {name, strlen(name)};
    while (!procedure && text.length > 1 && text.start[text.length - 1] == '_')
        text.length--;
    return text;
}

/*
 * A C++ function's name as a user would write it: without the result type, which demangled
 * templates have, and without anonymous namespaces. *ARGUMENTS receives the offset at which its
 * arguments begin.  Cut to the SIZE bytes of TEXT.
 */
static struct iteration_text plain_name(const char *name, char *text, size_t size,
                                        size_t *arguments)
{
    static const char anonymous[] = "(anonymous namespace)::";
    const size_t end = without_arguments(name).length;
    size_t used = 0, begin = 0;
    int depth = 0;
    *arguments = 0;
    for (size_t at = 0; name[at] && used < size; at++) {
        if (strncmp(name + at, anonymous, sizeof anonymous - 1) == 0) {
            at += sizeof anonymous - 2;
            continue;
        }
        depth = depth_after(depth, name[at]);
        text[used++] = name[at];
        if (at < end)
            *arguments = used;
        if (at < end && depth == 0 && is_blank(name[at]))
            begin = used;
    }
    *arguments -= begin;
    return (struct iteration_text){text + begin, used - begin};
}

bool iteration_name_matches(struct iteration_text wanted, const char *name)
{
    char text[1024];
    size_t arguments;
    const struct iteration_text plain = plain_name(name, text, sizeof text, &arguments);
    return fits(wanted, (struct iteration_text){name, strlen(name)}) ||
           fits(wanted, without_arguments(name)) || fits(wanted, without_decoration(name)) ||
           fits(wanted, plain) || fits(wanted, (struct iteration_text){plain.start, arguments});
}
