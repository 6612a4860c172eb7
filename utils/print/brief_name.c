/* See brief_name.h. */
#include "print/brief_name.h"

#include <stdbool.h>
#include <string.h>

static bool begins_with(const char *string, const char *prefix)
{
    return strncmp(string, prefix, strlen(prefix)) == 0;
}

static bool is_part_of_word(char byte)
{
    return byte == '_' || byte == '$' || (byte >= '0' && byte <= '9') ||
           (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte & 0x80);
}

/* What follows a bracket at NAME, which may hold others, or the end. */
static const char *after_bracket(const char *name)
{
    size_t depth = 0;
    for (; *name; name++) {
        /* An arrow closes nothing. */
        if (name[0] == '-' && name[1] == '>') {
            name++;
            continue;
        }
        depth += strchr("<({[", *name) != NULL;
        if (strchr(">)}]", *name) && --depth == 0)
            return name + 1;
    }
    return name;
}

/* What is copied as it is at NAME, which is not within a word: its length, or 0. */
static size_t special_length(const char *name)
{
    static const char *const kept[] = {"(anonymous namespace)",
                                       "operator()",
                                       "operator->*",
                                       "operator->",
                                       "operator<=>",
                                       "operator<<=",
                                       "operator>>=",
                                       "operator<<",
                                       "operator>>",
                                       "operator<=",
                                       "operator>=",
                                       "operator<",
                                       "operator>"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (begins_with(name, kept[i]))
            return strlen(kept[i]);
    return 0;
}

/* "{lambda(int)#1}" becomes "{lambda#1}". */
static const char *add_braces(struct text *text, const char *name)
{
    const char *end = after_bracket(name);
    while (name < end) {
        if (*name == '(' || *name == '<')
            name = after_bracket(name);
        else
            text_add_bytes(text, name++, 1);
    }
    return end;
}

/* Where the name begins in what has been KEPT: behind a return type. */
static size_t name_begin(const char *kept)
{
    size_t begin = 0;
    for (size_t i = 0; kept[i]; i++) {
        const size_t special =
            i == 0 || !is_part_of_word(kept[i - 1]) ? special_length(kept + i) : 0;
        if (special > 0)
            i += special - 1;
        else if (kept[i] == '<' && i > 0)
            i = (size_t)(after_bracket(kept + i) - kept) - 1;
        else if (kept[i] == ' ' && i >= 8 && begins_with(kept + i - 8, "operator"))
            break; /* a conversion, or operator new */
        else if (kept[i] == ' ')
            begin = i + 1;
    }
    return begin;
}

/* What NAME has of an anonymous namespace, which tells nothing but that a function is its
 * file's own: the length, or 0. */
static size_t anonymous_length(const char *name)
{
    static const char anonymous[] = "(anonymous namespace)::";
    return begins_with(name, anonymous) ? sizeof anonymous - 1 : 0;
}

/* Whether a list of parameters that ends before REST is the last part of a name. */
static bool ends_name(const char *rest)
{
    return !begins_with(rest, "::") && !begins_with(rest, "const::");
}

/* Drops template arguments at NAME, or adds them if they are to be KEPT; returns what follows.
 */
static const char *pass_arguments(struct text *text, const char *name, bool kept)
{
    const char *end = after_bracket(name);
    if (kept)
        text_add_bytes(text, name, (size_t)(end - name));
    /* "operator<< <int>" */
    else if (text->length > 0 && text->bytes[text->length - 1] == ' ')
        text_cut(text, text->length - 1);
    return end;
}

/* Adds what NAME keeps; returns whether anything was dropped. */
static bool add_kept(struct text *text, const char *name, bool templates)
{
    const char *begin = name;
    bool dropped = false;
    while (*name) {
        const size_t special =
            name == begin || !is_part_of_word(name[-1]) ? special_length(name) : 0;
        if (anonymous_length(name) > 0) {
            name += anonymous_length(name);
            dropped = true;
        } else if (special > 0) {
            text_add_bytes(text, name, special);
            name += special;
        } else if (*name == '{') {
            name = add_braces(text, name);
            dropped = true;
        } else if (*name == '<' && name > begin) {
            name = pass_arguments(text, name, templates);
            dropped = true;
        } else if (*name == '(' && name > begin && name[-1] != ' ') {
            name = after_bracket(name);
            dropped = true;
            if (begins_with(name, " const::"))
                name += strlen(" const");
            if (ends_name(name))
                break;
        } else {
            text_add_bytes(text, name++, 1);
        }
    }
    return dropped;
}

void text_add_function_name(struct text *text, const char *name, enum name_form form)
{
    struct text kept = {0};
    if (form != NAMES_FULL && add_kept(&kept, name, form == NAMES_WITH_TEMPLATES) &&
        kept.length > 0)
        text_add(text, text_string(&kept) + name_begin(text_string(&kept)));
    else
        text_add(text, name);
    text_free(&kept);
}
