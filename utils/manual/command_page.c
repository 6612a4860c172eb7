/*
 * The manual page of a command.  See manual.h.
 *
 * The details of a command's help are laid out for a terminal. Here they become paragraphs,
 * items and examples again, by their blanks. Text up to the margin is a paragraph. A term,
 * two blanks or more and its text are an item, to which lines far to the right belong. Four
 * blanks and a line are an example, unless the line begins with an option: then it is an
 * item.
 */
#include "manual/manual.h"

#include "manual/roff.h"

#include <ctype.h>
#include <string.h>

enum { EXAMPLE_INDENT = 4, TEXT_INDENT = 8 /* at least, of more text of an item */ };

enum kind { KIND_NONE, KIND_TEXT, KIND_ITEM, KIND_EXAMPLE };

struct line {
    const char *begin; /* after the blanks */
    size_t length, indent;
    size_t term; /* bytes of the term in front of two blanks; 0: there are none */
};

/* The length of what stands in front of two blanks, which do not end a sentence. */
static size_t term_length(const char *text, size_t length)
{
    for (size_t i = 1; i + 2 < length; i++)
        if (text[i] == ' ' && text[i + 1] == ' ' && text[i - 1] != '.')
            return i;
    return 0;
}

static struct line read_line(const char *text)
{
    size_t length = strcspn(text, "\n"), indent = strspn(text, " ");
    struct line line = {text + indent, length - indent, indent, 0};
    line.term = term_length(line.begin, line.length);
    return line;
}

static bool is_option(const struct line *line)
{
    return strncmp(line->begin, "--", 2) == 0;
}

/* NEXT is the line below, whose text is all of this item's if it begins far to the right. */
static enum kind kind_of(const struct line *line, const struct line *next)
{
    if (line->indent >= EXAMPLE_INDENT && !(is_option(line) && line->term))
        return KIND_EXAMPLE;
    return line->term || next->indent >= TEXT_INDENT ? KIND_ITEM : KIND_TEXT;
}

static void write_text(FILE *out, const char *text, size_t length)
{
    fputs(*text == '.' ? "\\&" : "", out);
    roff_part(out, text, length);
    fputc('\n', out);
}

static void write_item(FILE *out, const struct line *line)
{
    size_t term = line->term ? line->term : line->length, text = term;
    roff_term(out, line->begin, term);
    while (text < line->length && line->begin[text] == ' ')
        text++;
    if (text == line->length)
        return;
    write_text(out, line->begin + text, line->length - text);
    /* Names of columns, with nothing between them, have a line to themselves. */
    if (!memchr(line->begin + text, ' ', line->length - text))
        fputs(".br\n", out);
}

static void write_details(FILE *out, const char *text)
{
    enum kind last = KIND_NONE;
    while (*text) {
        struct line line = read_line(text), next;
        text = line.begin + line.length + 1;
        next = read_line(text);
        if (last == KIND_ITEM && line.indent >= TEXT_INDENT) {
            write_text(out, line.begin, line.length);
            continue;
        }
        enum kind kind = kind_of(&line, &next);
        if (last == KIND_EXAMPLE && kind != KIND_EXAMPLE)
            fputs(".EE\n", out);
        if (kind == KIND_EXAMPLE && last != KIND_EXAMPLE)
            fputs(".PP\n.EX\n", out);
        if (kind == KIND_TEXT && last != KIND_TEXT)
            fputs(".PP\n", out);
        if (kind == KIND_ITEM)
            write_item(out, &line);
        else
            write_text(out, line.begin, line.length);
        last = kind;
    }
    if (last == KIND_EXAMPLE)
        fputs(".EE\n", out);
}

/* The first letter small, as in a list of pages. */
static void write_purpose(FILE *out, const char *text)
{
    fputc(tolower((unsigned char)*text), out);
    roff_line(out, text + 1);
}

static void write_option(FILE *out, const struct option_row *row)
{
    fputs(".TP\n\\fB", out);
    if (row->letter)
        fprintf(out, "\\-%c\\fR, \\fB", row->letter);
    fputs("\\-\\-", out);
    roff_words(out, row->name);
    fputs("\\fR", out);
    if (row->argument) {
        fputs(" \\fI", out);
        roff_words(out, row->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    roff_line(out, row->help);
}

static void write_options(FILE *out, const struct command *command)
{
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (command_takes(command, (enum option_id)i) ||
            (i == OPTION_HELP && !command->options))
            write_option(out, &option_table[i]);
}

static void copy(FILE *out, FILE *in)
{
    for (int c = getc(in); c != EOF; c = getc(in))
        putc(c, out);
}

void manual_command(FILE *out, const struct command *command, FILE *fragment)
{
    char page[64];
    snprintf(page, sizeof page, "tsprof-%s", command->name);
    roff_title(out, page, 1);
    fputs(".SH NAME\n", out);
    roff_words(out, page);
    fputs(" \\- ", out);
    write_purpose(out, command->text);
    fputs(".SH SYNOPSIS\n\\fBtsprof ", out);
    roff_words(out, command->name);
    fputs("\\fR ", out);
    roff_line(out, command->synopsis);
    fputs(".SH DESCRIPTION\n", out);
    roff_words(out, command->text);
    fputs(".\n", out);
    if (command->details)
        write_details(out, command->details);
    write_options(out, command);
    if (fragment)
        copy(out, fragment);
    fputs(".SH SEE ALSO\n.BR tsprof (1),\n.BR tsprof (5),\n.BR tsprof (7)\n", out);
}
