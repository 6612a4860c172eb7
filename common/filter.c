/* See filter.h. */
#include "common/filter.h"

#include "common/printable.h"
#include "common/wildcard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_FIRST = 64, SHOWN_BYTES = 64, MESSAGE_BYTES = 256 };

enum block { BLOCK_NONE, BLOCK_REGIONS, BLOCK_FILES };
enum action { ACTION_NONE, ACTION_EXCLUDE, ACTION_INCLUDE };

/* The words that are no patterns, and what becomes of the reader where one stands. */
struct reader;
static void begin_block(struct reader *reader, const char *word, int block);
static void end_block(struct reader *reader, const char *word, int block);
static void begin_action(struct reader *reader, const char *word, int action);
static void begin_mangled(struct reader *reader, const char *word, int unused);

static const struct keyword {
    const char *word;
    void (*meet)(struct reader *reader, const char *word, int argument);
    int argument;
} keywords[] = {
    {"SCOREP_REGION_NAMES_BEGIN", begin_block, BLOCK_REGIONS},
    {"SCOREP_REGION_NAMES_END", end_block, BLOCK_REGIONS},
    {"SCOREP_FILE_NAMES_BEGIN", begin_block, BLOCK_FILES},
    {"SCOREP_FILE_NAMES_END", end_block, BLOCK_FILES},
    {"EXCLUDE", begin_action, ACTION_EXCLUDE},
    {"INCLUDE", begin_action, ACTION_INCLUDE},
    {"MANGLED", begin_mangled, 0},
};

static const char *const begins[] = {
    [BLOCK_REGIONS] = "SCOREP_REGION_NAMES_BEGIN", [BLOCK_FILES] = "SCOREP_FILE_NAMES_BEGIN"};
static const char *const ends[] = {
    [BLOCK_REGIONS] = "SCOREP_REGION_NAMES_END", [BLOCK_FILES] = "SCOREP_FILE_NAMES_END"};

struct reader {
    struct filter *filter;
    filter_complaint complain;
    void *context;
    char *at;            /* the next byte; the text ends with a zero */
    unsigned line;       /* its number */
    unsigned word_line;  /* that of the word that was read last */
    unsigned block_line; /* where the block begins */
    enum block block;    /* it is in */
    enum action action;  /* it has met in this block */
    bool mangled;        /* behind MANGLED */
    bool just_begun;     /* the word before was EXCLUDE or INCLUDE */
    unsigned complaints;
    bool complete; /* there was memory */
};

static void say(struct reader *reader, unsigned line, const char *before, const char *word,
                const char *after)
{
    char shown[SHOWN_BYTES], message[MESSAGE_BYTES];
    reader->complaints++;
    if (!reader->complain || reader->complaints > FILTER_COMPLAINTS_MOST + 1)
        return;
    if (reader->complaints == FILTER_COMPLAINTS_MOST + 1) {
        reader->complain(reader->context, line, "there are more such lines");
        return;
    }
    const bool cut = snprintf(shown, sizeof shown, "%s", word) >= SHOWN_BYTES;
    printable_make(shown);
    snprintf(message, sizeof message, "%s%s%s%s", before, shown, cut ? "..." : "", after);
    reader->complain(reader->context, line, message);
}

static void begin_block(struct reader *reader, const char *word, int block)
{
    if (reader->block != BLOCK_NONE)
        say(reader, reader->word_line, "there is no ", ends[reader->block], " before");
    (void)word;
    reader->block = (enum block)block;
    reader->block_line = reader->word_line;
    reader->action = ACTION_NONE;
    reader->mangled = false;
}

static void end_block(struct reader *reader, const char *word, int block)
{
    if (reader->block != (enum block)block) {
        say(reader, reader->word_line, "there is no ", begins[block], " before");
        return;
    }
    (void)word;
    reader->block = BLOCK_NONE;
}

/* Whether WORD stands in a block; otherwise says that it does not. */
static bool is_in_block(struct reader *reader, const char *word)
{
    if (reader->block != BLOCK_NONE)
        return true;
    say(reader, reader->word_line, "", word,
        " is not between SCOREP_REGION_NAMES_BEGIN and _END, or SCOREP_FILE_NAMES_BEGIN "
        "and _END");
    return false;
}

static void begin_action(struct reader *reader, const char *word, int action)
{
    if (!is_in_block(reader, word))
        return;
    reader->action = (enum action)action;
    reader->mangled = false;
}

static void begin_mangled(struct reader *reader, const char *word, int unused)
{
    (void)unused;
    if (!is_in_block(reader, word))
        return;
    if (!reader->just_begun || reader->block == BLOCK_FILES)
        say(reader, reader->word_line, "", word,
            reader->block == BLOCK_FILES ? " is for functions, not for files"
                                         : " stands behind EXCLUDE or INCLUDE only");
    else
        reader->mangled = true;
}

/* Room for one rule more; NULL without memory. */
static struct filter_rule *make_room(struct filter *filter)
{
    if (filter->count < filter->room)
        return &filter->rules[filter->count];
    const size_t room = filter->room ? 2 * filter->room : RULES_FIRST;
    struct filter_rule *rules = reallocarray(filter->rules, room, sizeof *rules);
    if (!rules)
        return NULL;
    filter->rules = rules;
    filter->room = room;
    return &rules[filter->count];
}

/* Whether PATTERN ends with a backslash that nothing follows: it would match nothing. */
static bool ends_escaped(const char *pattern)
{
    size_t backslashes = 0;
    for (const char *at = pattern + strlen(pattern); at > pattern && at[-1] == '\\'; at--)
        backslashes++;
    return backslashes % 2 == 1;
}

static void add_pattern(struct reader *reader, const char *word)
{
    if (!is_in_block(reader, word))
        return;
    if (reader->action == ACTION_NONE) {
        say(reader, reader->word_line, "there is no EXCLUDE or INCLUDE before ", word, "");
        return;
    }
    if (ends_escaped(word)) {
        say(reader, reader->word_line, "nothing follows the backslash of ", word, "");
        return;
    }
    struct filter_rule *rule = make_room(reader->filter);
    reader->complete = reader->complete && rule;
    if (!rule)
        return;
    *rule = (struct filter_rule){.pattern = word,
                                 .line = reader->word_line,
                                 .excludes = reader->action == ACTION_EXCLUDE,
                                 .of_files = reader->block == BLOCK_FILES,
                                 .mangled = reader->mangled};
    reader->filter->count++;
}

static void meet(struct reader *reader, const char *word)
{
    const size_t count = sizeof keywords / sizeof keywords[0];
    size_t i = 0;
    while (i < count && strcmp(keywords[i].word, word) != 0)
        i++;
    if (i == count)
        add_pattern(reader, word);
    else
        keywords[i].meet(reader, word, keywords[i].argument);
    reader->just_begun = i < count && keywords[i].meet == begin_action;
}

static bool is_separator(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_comment(struct reader *reader)
{
    while (*reader->at && *reader->at != '\n')
        reader->at++;
}

/* Steps over blanks and comments; false at the end of the text. */
static bool find_word(struct reader *reader)
{
    for (; is_separator(*reader->at) || *reader->at == '#'; reader->at++) {
        if (*reader->at == '#')
            skip_comment(reader);
        if (*reader->at == '\n')
            reader->line++;
        if (!*reader->at)
            return false;
    }
    return *reader->at != '\0';
}

/* The next word, ended by a zero in the text; NULL at the end of the text. */
static char *read_word(struct reader *reader)
{
    if (!find_word(reader))
        return NULL;
    char *const word = reader->at, *at = word;
    reader->word_line = reader->line;
    while (*at && *at != '#' && !is_separator(*at)) {
        /* A word ends with its line, whatever stands before. */
        at += at[0] == '\\' && at[1] && at[1] != '\n' && at[1] != '\r';
        at++;
    }
    if (*at == '#') {
        *at = '\0';
        at++;
        reader->at = at;
        skip_comment(reader);
        return word;
    }
    reader->line += *at == '\n';
    reader->at = at + (*at != '\0');
    *at = '\0';
    return word;
}

/* A copy of TEXT with an end.  Zeros in it are blanks. */
static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < length; i++)
        copy[i] = text[i] ? text[i] : ' ';
    copy[length] = '\0';
    return copy;
}

bool filter_read(struct filter *filter, const char *text, size_t length,
                 filter_complaint complain, void *context)
{
    char *word;
    *filter = (struct filter){.text = copy_text(text, length)};
    if (!filter->text)
        return false;
    struct reader reader = {.filter = filter,
                            .complain = complain,
                            .context = context,
                            .at = filter->text,
                            .line = 1,
                            .complete = true};
    while (reader.complete && (word = read_word(&reader)))
        meet(&reader, word);
    if (reader.complete && reader.block != BLOCK_NONE)
        say(&reader, reader.block_line, "there is no ", ends[reader.block], " behind it");
    if (!reader.complete)
        filter_free(filter);
    return reader.complete;
}

void filter_free(struct filter *filter)
{
    free(filter->rules);
    free(filter->text);
    *filter = (struct filter){0};
}

bool filter_asks_files(const struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->rules[i].of_files)
            return true;
    return false;
}

static bool is_matched(const struct filter_rule *rule, const char *name)
{
    return name && *name && wildcard_matches(rule->pattern, name);
}

static bool rule_matches(const struct filter_rule *rule, const struct filter_function *function)
{
    const char *name = rule->of_files  ? function->file
                       : rule->mangled ? function->mangled
                                       : function->name;
    return is_matched(rule, name) || (rule->mangled && is_matched(rule, function->uncut));
}

/* What the last matching rule about files, or about functions, says. */
static bool last_excludes(const struct filter *filter, const struct filter_function *function,
                          bool of_files)
{
    for (size_t i = filter->count; i-- > 0;)
        if (filter->rules[i].of_files == of_files && rule_matches(&filter->rules[i], function))
            return filter->rules[i].excludes;
    return false;
}

bool filter_excludes(const struct filter *filter, const struct filter_function *function)
{
    return last_excludes(filter, function, true) || last_excludes(filter, function, false);
}

static bool is_keyword(const char *word)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(keywords[i].word, word) == 0)
            return true;
    return false;
}

size_t filter_quote(char *out, size_t size, const char *name)
{
    size_t length = 0;
    bool escaped = is_keyword(name);
    for (; *name; name++, escaped = false) {
        /* Nothing can be escaped across the end of a line. */
        const bool ends_line = *name == '\n' || *name == '\r';
        escaped = escaped || (!ends_line && (strchr("\\*?[#", *name) || is_separator(*name)));
        if (escaped && length + 1 < size)
            out[length] = '\\';
        length += escaped;
        if (length + 1 < size)
            out[length] = ends_line ? '?' : *name;
        length++;
    }
    if (size > 0)
        out[length < size ? length : size - 1] = '\0';
    return length;
}
