/* The table of settings, and reading them from an environment.  See settings.h. */
#include "common/settings.h"

#include "common/iteration_spec.h"
#include "common/printable.h"
#include "common/trace_spec.h"

#include <stdio.h>
#include <string.h>

#define PREFIX       "TSPROF_"
#define PREFIX_CHARS (sizeof PREFIX - 1)
#define NAME_CHARS   32 /* longer names than this are not compared with known ones */
#define MESSAGE_SIZE 640
#define ALLOWED_SIZE 480 /* for the description of allowed values */
#define SHOWN_SIZE   64  /* of the user's text that a message shows */

const struct setting_info setting_table[SETTING_COUNT] = {
#define SETTING(id, kind, standard, low, high, text)                                           \
    [SETTING_##id] = {PREFIX #id, #id, SETTING_KIND_##kind, standard, low, high, text},
#include "common/settings.def"
#undef SETTING
};

#define SETTING(id, kind, standard, low, high, text)                                           \
    _Static_assert((low) >= 0, "values of " #id " are read without a sign");
#include "common/settings.def"
#undef SETTING

/* In the order of enum equivalence (compress/clustering.h), which common/ must not include. */
static const char *const equivalence_names[] = {"none", "strong",        "weak",   "hybrid",
                                                "auto", "communication", "similar"};

/* In the order of enum setting_moment. */
static const char *const moment_names[] = {"iteration", "collective"};

/* In the order of enum clustering_method (likewise). */
static const char *const clustering_names[] = {"szebenyi", "adaptive"};

/* In the order of enum setting_pcontrol. */
static const char *const pcontrol_names[] = {"levels", "names", "off"};

/* In the order of enum setting_timer. */
static const char *const timer_names[] = {"auto", "cpu", "perf"};

/* In the order of enum setting_visits. */
static const char *const visits_names[] = {"bound", "exact"};

/* The words that settings of these kinds take; the number of one is its index. */
static const struct words {
    const char *const *names;
    size_t count;
} words_of_kind[] = {
    [SETTING_KIND_equivalence] = {equivalence_names,
                                  sizeof equivalence_names / sizeof equivalence_names[0]},
    [SETTING_KIND_moment] = {moment_names, sizeof moment_names / sizeof moment_names[0]},
    [SETTING_KIND_clustering] = {clustering_names,
                                 sizeof clustering_names / sizeof clustering_names[0]},
    [SETTING_KIND_pcontrol] = {pcontrol_names,
                               sizeof pcontrol_names / sizeof pcontrol_names[0]},
    [SETTING_KIND_timer] = {timer_names, sizeof timer_names / sizeof timer_names[0]},
    [SETTING_KIND_visits] = {visits_names, sizeof visits_names / sizeof visits_names[0]},
};

struct complaints {
    setting_complaint say;
    void *context;
};

const char *setting_source_name(enum setting_source source)
{
    return source == SOURCE_environment ? "environment" : "default";
}

const char *setting_equivalence_name(uint64_t index)
{
    const struct words *words = &words_of_kind[SETTING_KIND_equivalence];
    return index < words->count ? words->names[index] : NULL;
}

const char *setting_clustering_name(uint64_t index)
{
    const struct words *words = &words_of_kind[SETTING_KIND_clustering];
    return index < words->count ? words->names[index] : NULL;
}

static void describe_words(const struct words *words, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "one of %s", words->names[0]);
    for (size_t i = 1; i < words->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, ", %s", words->names[i]);
}

void setting_describe(enum setting which, char *text, size_t size)
{
    const struct setting_info *info = &setting_table[which];
    long long low = info->low, high = info->high;
    switch (info->kind) {
    case SETTING_KIND_integer:
        snprintf(text, size, "a whole number from %lld to %lld", low, high);
        break;
    case SETTING_KIND_bytes:
        snprintf(text, size, "bytes from %lldM to %lldM, with K, M or G if wanted", low >> 20,
                 high >> 20);
        break;
    case SETTING_KIND_clusters:
        snprintf(text, size, "a whole number from %lld to %lld, auto or an error such as 1%%",
                 low, high);
        break;
    case SETTING_KIND_clustering:
    case SETTING_KIND_equivalence:
    case SETTING_KIND_moment:
    case SETTING_KIND_pcontrol:
    case SETTING_KIND_timer:
    case SETTING_KIND_visits:
        describe_words(&words_of_kind[info->kind], text, size);
        break;
    case SETTING_KIND_iteration:
        snprintf(text, size, "%s", iteration_spec_forms);
        break;
    case SETTING_KIND_trace:
        snprintf(text, size, "%s", trace_spec_forms);
        break;
    case SETTING_KIND_text:
        snprintf(text, size, low > 0 ? "a text that is not empty" : "any text");
        break;
    }
}

/* Reads decimal digits at *TEXT and steps over them; -1 without digits or beyond 2^62. */
static int64_t read_digits(const char **text)
{
    const char *at = *text;
    int64_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (value > (INT64_MAX / 2 - 9) / 10)
            return -1;
        value = value * 10 + (*at - '0');
    }
    if (at == *text)
        return -1;
    *text = at;
    return value;
}

/* Steps over a suffix and returns the factor it stands for as a shift. */
static unsigned read_suffix(const char **text)
{
    static const char suffixes[] = "KkMmGg";
    const char *found = **text ? strchr(suffixes, **text) : NULL;
    if (!found)
        return 0;
    ++*text;
    return 10 * (1 + (unsigned)(found - suffixes) / 2);
}

static bool read_number(const struct setting_info *info, const char *text, int64_t *number)
{
    int64_t value = read_digits(&text);
    unsigned shift = info->kind == SETTING_KIND_bytes ? read_suffix(&text) : 0;
    if (value < 0 || *text || value > (INT64_MAX >> shift))
        return false;
    value <<= shift;
    if (value < info->low || value > info->high)
        return false;
    *number = value;
    return true;
}

static bool read_word(const struct words *words, const char *text, int64_t *number)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(text, words->names[i]) == 0) {
            *number = (int64_t)i;
            return true;
        }
    return false;
}

/* Reads up to 100 as thousandths of a per cent, at least one: "1%", "0.25%". */
static bool read_per_cent(const char *text, int64_t *thousandths)
{
    const char *at = text;
    int64_t value = read_digits(&at), unit = 1000;
    if (value < 0 || value > 100)
        return false;
    value *= unit;
    if (*at == '.') {
        for (at++; *at >= '0' && *at <= '9' && unit > 1; at++)
            value += (*at - '0') * (unit /= 10);
        if (unit == 1000)
            return false;
    }
    *thousandths = value;
    return strcmp(at, "%") == 0 && value > 0 && value <= 100000;
}

static bool read_clusters(const struct setting_info *info, const char *text, int64_t *number)
{
    int64_t bound;
    if (strcmp(text, "auto") == 0) {
        *number = SETTING_CLUSTERS_AUTO;
        return true;
    }
    if (!read_per_cent(text, &bound))
        return read_number(info, text, number);
    *number = SETTING_CLUSTERS_AUTO - bound;
    return true;
}

double setting_error_bound(int64_t clusters)
{
    return clusters < SETTING_CLUSTERS_AUTO
               ? (double)(SETTING_CLUSTERS_AUTO - clusters) / 100000
               : 0;
}

static bool read_value(const struct setting_info *info, const char *text, int64_t *number)
{
    struct iteration_spec spec;
    struct trace_spec trace;
    switch (info->kind) {
    case SETTING_KIND_clustering:
    case SETTING_KIND_equivalence:
    case SETTING_KIND_moment:
    case SETTING_KIND_pcontrol:
    case SETTING_KIND_timer:
    case SETTING_KIND_visits:
        return read_word(&words_of_kind[info->kind], text, number);
    case SETTING_KIND_iteration:
        *number = 0;
        return iteration_spec_read(text, &spec);
    case SETTING_KIND_trace:
        *number = 0;
        return trace_spec_read(text, &trace);
    case SETTING_KIND_text:
        *number = 0;
        return strlen(text) >= (size_t)info->low;
    case SETTING_KIND_clusters:
        return read_clusters(info, text, number);
    case SETTING_KIND_integer:
    case SETTING_KIND_bytes:
        break;
    }
    return read_number(info, text, number);
}

bool setting_read(enum setting which, const char *value, int64_t *number)
{
    return read_value(&setting_table[which], value, number);
}

/* Copies at most SHOWN_SIZE of LENGTH bytes, made safe for a terminal. */
static const char *shown(char out[SHOWN_SIZE], const char *text, size_t length)
{
    size_t kept = length < SHOWN_SIZE ? length : SHOWN_SIZE - 4;
    memcpy(out, text, kept);
    out[kept] = '\0';
    printable_make(out);
    if (kept < length)
        memcpy(out + kept, "...", 4);
    return out;
}

static void complain_value(const struct complaints *to, enum setting which, const char *value)
{
    if (!to->say)
        return;
    const struct setting_info *info = &setting_table[which];
    char message[MESSAGE_SIZE], allowed[ALLOWED_SIZE], value_shown[SHOWN_SIZE];
    setting_describe(which, allowed, sizeof allowed);
    snprintf(message, sizeof message, "%s=%s: this variable takes %s; using the default%s%s",
             info->variable, shown(value_shown, value, strlen(value)), allowed,
             *info->standard ? ", " : "", info->standard);
    to->say(to->context, message);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * The edit distance of two names of at most NAME_CHARS, with swapped neighbours as one edit
 * (optimal string alignment).
 */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NAME_CHARS + 1] = {{0}};
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1,
                             above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* True if one of the names is a prefix of the other, of at least three letters. */
static bool abbreviates(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t common = smaller(a_length, b_length);
    return common >= 3 && memcmp(a, b, common) == 0;
}

/* The known variable that NAME (without prefix) most likely stands for, or NULL. */
static const struct setting_info *nearest(const char *name, size_t length)
{
    const struct setting_info *best = NULL;
    size_t best_distance = SIZE_MAX;
    if (length > NAME_CHARS)
        return NULL;
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const char *known = setting_table[i].name;
        size_t known_length = strlen(known);
        size_t limit = length < 4 ? 1 : smaller(length / 3 + 1, 3);
        size_t distance = edit_distance(name, length, known, known_length);
        bool plausible = distance <= limit || abbreviates(name, length, known, known_length);
        if (plausible && distance < best_distance) {
            best = &setting_table[i];
            best_distance = distance;
        }
    }
    return best;
}

static void complain_unknown(const struct complaints *to, const char *name, size_t length)
{
    if (!to->say)
        return;
    char message[MESSAGE_SIZE], name_shown[SHOWN_SIZE];
    const struct setting_info *meant = nearest(name, length);
    shown(name_shown, name, length);
    if (meant)
        snprintf(message, sizeof message,
                 PREFIX "%s is not a variable of tsprof, did you mean %s?", name_shown,
                 meant->variable);
    else
        snprintf(message, sizeof message,
                 PREFIX "%s is not a variable of tsprof; `tsprof config` lists them all",
                 name_shown);
    to->say(to->context, message);
}

/* The setting of this name (without prefix), or SETTING_COUNT. */
static enum setting find(const char *name, size_t length)
{
    size_t which = 0;
    for (; which < SETTING_COUNT; which++)
        if (strlen(setting_table[which].name) == length &&
            memcmp(setting_table[which].name, name, length) == 0)
            break;
    return (enum setting)which;
}

/*
 * The length of a name of upper-case letters, digits and underscores before '='; 0 if it is no
 * such name.
 */
static size_t name_length(const char *name)
{
    size_t length = 0;
    while ((name[length] >= 'A' && name[length] <= 'Z') ||
           (name[length] >= '0' && name[length] <= '9') || name[length] == '_')
        length++;
    return name[length] == '=' ? length : 0;
}

static void load_variable(struct settings *settings, bool seen[SETTING_COUNT],
                          const char *variable, const struct complaints *to)
{
    const char *name = variable + PREFIX_CHARS;
    size_t length = name_length(name);
    if (length == 0)
        return;
    enum setting which = find(name, length);
    if (which == SETTING_COUNT) {
        complain_unknown(to, name, length);
        return;
    }
    /* If a variable is set twice the first one counts, as for getenv. */
    if (seen[which])
        return;
    seen[which] = true;
    const char *value = name + length + 1;
    if (!read_value(&setting_table[which], value, &settings->number[which])) {
        complain_value(to, which, value);
        return;
    }
    settings->text[which] = value;
    settings->source[which] = SOURCE_environment;
}

void settings_load(struct settings *settings, char *const *environment,
                   setting_complaint complain, void *context)
{
    const struct complaints to = {complain, context};
    bool seen[SETTING_COUNT] = {false};
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        settings->text[i] = setting_table[i].standard;
        settings->source[i] = SOURCE_default;
        settings->number[i] = 0;
        read_value(&setting_table[i], setting_table[i].standard, &settings->number[i]);
    }
    for (; environment && *environment; environment++)
        if (strncmp(*environment, PREFIX, PREFIX_CHARS) == 0)
            load_variable(settings, seen, *environment, &to);
}
