/* Files that filter functions: what they leave out, and what is said of mistakes. */
#include "common/filter.h"

#include "tap.h"

#include <string.h>

/* What was complained of, as "LINE: MESSAGE" lines. */
struct heard {
    char text[4096];
    unsigned count;
};

static void hear(void *context, unsigned line, const char *message)
{
    struct heard *heard = context;
    const size_t used = strlen(heard->text);
    snprintf(heard->text + used, sizeof heard->text - used, "%u: %s\n", line, message);
    heard->count++;
}

static void read_text(struct filter *filter, const char *text, struct heard *heard)
{
    *heard = (struct heard){.count = 0};
    NEED(filter_read(filter, text, strlen(text), hear, heard));
}

#define REGIONS(rules) "SCOREP_REGION_NAMES_BEGIN\n" rules "\nSCOREP_REGION_NAMES_END\n"
#define FILES(rules)   "SCOREP_FILE_NAMES_BEGIN\n" rules "\nSCOREP_FILE_NAMES_END\n"

static void test_decisions(void)
{
    static const struct {
        const char *text;
        struct filter_function function;
        bool excluded;
    } cases[] = {
        {"", {"f", "f", "f.c", NULL}, false},
        {"# nothing\n", {"f", "f", "f.c", NULL}, false},
        {REGIONS(""), {"f", "f", "f.c", NULL}, false},
        {REGIONS("EXCLUDE f"), {"f", "f", "f.c", NULL}, true},
        {REGIONS("EXCLUDE f"), {"g", "g", "f.c", NULL}, false},
        {REGIONS("EXCLUDE\n  f\n  g h\n"), {"h", "h", "", NULL}, true},
        {REGIONS("EXCLUDE * INCLUDE f"), {"f", "f", "", NULL}, false},
        {REGIONS("EXCLUDE * INCLUDE f"), {"g", "g", "", NULL}, true},
        {REGIONS("INCLUDE f EXCLUDE *"), {"f", "f", "", NULL}, true},
        {REGIONS("EXCLUDE g* INCLUDE g?b EXCLUDE gab"), {"gab", "", "", NULL}, true},
        {REGIONS("EXCLUDE g* INCLUDE g?b EXCLUDE gab"), {"gbb", "", "", NULL}, false},
        {REGIONS("EXCLUDE g[a-c]"), {"gb", "", "", NULL}, true},
        {REGIONS("EXCLUDE g[!a-c]"), {"gb", "", "", NULL}, false},
        {REGIONS("EXCLUDE MANGLED _ZN1a*"), {"a::f()", "_ZN1a1fEv", "", NULL}, true},
        {REGIONS("EXCLUDE _ZN1a*"), {"a::f()", "_ZN1a1fEv", "", NULL}, false},
        {REGIONS("EXCLUDE MANGLED a::*"), {"a::f()", "_ZN1a1fEv", "", NULL}, false},
        {REGIONS("EXCLUDE MANGLED x y INCLUDE z EXCLUDE a::*"),
         {"a::f()", "_ZN1a1fEv", "", NULL},
         true},
        {REGIONS("EXCLUDE MANGLED x _ZN1a1fEv"), {"a::f()", "_ZN1a1fEv", "", NULL}, true},
        {REGIONS("EXCLUDE MANGLED f"), {"f", "f", "", "f.constprop.0"}, true},
        {REGIONS("EXCLUDE MANGLED f.cold"), {"f", "f", "", "f.cold"}, true},
        {REGIONS("EXCLUDE MANGLED f.cold"), {"f", "f", "", "f.part.0"}, false},
        {REGIONS("EXCLUDE MANGLED f.* INCLUDE f"), {"f", "f", "", "f.part.0"}, false},
        {REGIONS("EXCLUDE MANGLED f.* INCLUDE MANGLED f"), {"f", "f", "", "f.part.0"}, false},
        {REGIONS("EXCLUDE f.cold"), {"f", "f", "", "f.cold"}, false},
        {REGIONS("EXCLUDE a::f(int,\\ double)"), {"a::f(int, double)", "", "", NULL}, true},
        {REGIONS("EXCLUDE a::f(int,?double)"), {"a::f(int, double)", "", "", NULL}, true},
        {REGIONS("EXCLUDE a # b"), {"b", "", "", NULL}, false},
        {REGIONS("EXCLUDE a#b"), {"a", "", "", NULL}, true},
        {REGIONS("EXCLUDE a\\#b"), {"a#b", "", "", NULL}, true},
        {REGIONS("#EXCLUDE *\n"), {"a", "", "", NULL}, false},
        {REGIONS("EXCLUDE *"), {"", "", "", NULL}, false},
        {REGIONS("EXCLUDE *"), {NULL, NULL, NULL, NULL}, false},
        {FILES("EXCLUDE */lib/*"), {"f", "", "/src/lib/f.c", NULL}, true},
        {FILES("EXCLUDE */lib/*"), {"f", "", "/src/main/f.c", NULL}, false},
        {FILES("EXCLUDE * INCLUDE *.c"), {"f", "", "/src/main/f.c", NULL}, false},
        {FILES("EXCLUDE * INCLUDE *.c"), {"f", "", "/src/main/f.h", NULL}, true},
        {FILES("EXCLUDE *"), {"f", "", "", NULL}, false},
        {FILES("EXCLUDE *") REGIONS("INCLUDE f"), {"f", "", "f.c", NULL}, true},
        {FILES("INCLUDE *") REGIONS("EXCLUDE f"), {"f", "", "f.c", NULL}, true},
        {REGIONS("EXCLUDE f") REGIONS("INCLUDE f"), {"f", "", "", NULL}, false},
        {"SCOREP_REGION_NAMES_BEGIN EXCLUDE f\r\nSCOREP_REGION_NAMES_END",
         {"f", "", "", NULL},
         true},
        {REGIONS("EXCLUDE SCOREP_REGION_NAMES_BEGINS"),
         {"SCOREP_REGION_NAMES_BEGINS", "", "", NULL},
         true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter filter;
        struct heard heard;
        read_text(&filter, cases[i].text, &heard);
        OK(filter_excludes(&filter, &cases[i].function) == cases[i].excluded &&
               heard.count == 0,
           "case %zu: %s", i, cases[i].function.name ? cases[i].function.name : "no name");
        filter_free(&filter);
    }
}

static void test_mistakes(void)
{
    static const struct {
        const char *text, *complaint;
        size_t rules;
    } cases[] = {
        {"f\n",
         "1: f is not between SCOREP_REGION_NAMES_BEGIN and _END, or SCOREP_FILE_NAMES_BEGIN "
         "and _END\n",
         0},
        {"\n\nEXCLUDE\n",
         "3: EXCLUDE is not between SCOREP_REGION_NAMES_BEGIN and _END, or "
         "SCOREP_FILE_NAMES_BEGIN and _END\n",
         0},
        {REGIONS("f\nEXCLUDE g"), "2: there is no EXCLUDE or INCLUDE before f\n", 1},
        {REGIONS("MANGLED f"),
         "2: MANGLED stands behind EXCLUDE or INCLUDE only\n"
         "2: there is no EXCLUDE or INCLUDE before f\n",
         0},
        {REGIONS("EXCLUDE f MANGLED g"), "2: MANGLED stands behind EXCLUDE or INCLUDE only\n",
         2},
        {FILES("EXCLUDE\nMANGLED f"), "3: MANGLED is for functions, not for files\n", 1},
        {REGIONS("EXCLUDE f\\\nINCLUDE g"), "2: nothing follows the backslash of f\\\n", 1},
        {"SCOREP_REGION_NAMES_BEGIN\nEXCLUDE f\n",
         "1: there is no SCOREP_REGION_NAMES_END behind it\n", 1},
        {"SCOREP_REGION_NAMES_BEGIN\nEXCLUDE f\n" FILES("EXCLUDE g"),
         "3: there is no SCOREP_REGION_NAMES_END before\n", 2},
        {"SCOREP_FILE_NAMES_END\n" REGIONS("EXCLUDE f"),
         "1: there is no SCOREP_FILE_NAMES_BEGIN before\n", 1},
        {REGIONS("exclude f"),
         "2: there is no EXCLUDE or INCLUDE before exclude\n"
         "2: there is no EXCLUDE or INCLUDE before f\n",
         0},
        {"\x1b[31m", /* nothing that a terminal obeys */
         "1: ?[31m is not between SCOREP_REGION_NAMES_BEGIN and _END, or "
         "SCOREP_FILE_NAMES_BEGIN and _END\n",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter filter;
        struct heard heard;
        read_text(&filter, cases[i].text, &heard);
        if (!OK(strcmp(heard.text, cases[i].complaint) == 0, "mistake %zu is told", i))
            printf("# %s", heard.text);
        EQ_INT(filter.count, cases[i].rules, "mistake %zu: the other rules are kept", i);
        filter_free(&filter);
    }
}

/* Of a long word the beginning is shown, up to a whole character. */
static void test_long_words(void)
{
    struct filter filter;
    struct heard heard;
    char text[200];
    for (size_t i = 0; i < sizeof text - 1; i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    text[sizeof text - 1] = '\0';
    read_text(&filter, text, &heard);
    OK(strstr(heard.text, "\xc3\xa4?... is not between"), "a long word is cut");
    filter_free(&filter);
}

static void test_many_mistakes(void)
{
    struct filter filter;
    struct heard heard;
    char text[4096] = "";
    for (size_t i = 0; i < 1000; i++)
        strcpy(text + 2 * i, "x\n");
    read_text(&filter, text, &heard);
    EQ_INT(heard.count, FILTER_COMPLAINTS_MOST + 1, "not all of a wrong file is told");
    OK(strstr(heard.text, "11: there are more such lines"), "that there is more is said");
    filter_free(&filter);
}

static void test_many_rules(void)
{
    enum { RULES = 5000 };
    static char text[16 * RULES];
    size_t used = (size_t)sprintf(text, "SCOREP_REGION_NAMES_BEGIN EXCLUDE\n");
    for (int i = 0; i < RULES; i++)
        used += (size_t)sprintf(text + used, "f%d\n", i);
    strcpy(text + used, "SCOREP_REGION_NAMES_END");
    struct filter filter;
    struct heard heard;
    read_text(&filter, text, &heard);
    EQ_INT(filter.count, RULES, "all rules are read");
    EQ_INT(filter.rules[RULES - 1].line, RULES + 1, "with their lines");
    OK(filter_excludes(&filter, &(struct filter_function){"f4999", NULL, NULL, NULL}) &&
           !filter_excludes(&filter, &(struct filter_function){"f5000", NULL, NULL, NULL}),
       "and they decide");
    filter_free(&filter);
}

/* A file that ends anywhere, with zeros in it: nothing behind it is read. */
static void test_ends(void)
{
    static const char whole[] = FILES("EXCLUDE a\\ b\\") REGIONS("EXCLUDE\0MANGLED f\\#[x #c");
    unsigned read = 0;
    for (size_t length = 0; length < sizeof whole; length++) {
        char *text = malloc(length + 1);
        NEED(text);
        memcpy(text, whole, length);
        struct filter filter;
        read += filter_read(&filter, text, length, NULL, NULL);
        filter_free(&filter);
        free(text);
    }
    EQ_INT(read, sizeof whole, "all are read");
}

static void test_quote(void)
{
    static const char *const names[] = {
        "main",
        "a::f(int, double)",
        "operator[]",
        "operator*=",
        "f\\g#h",
        "tab\there",
        "EXCLUDE",
        "MANGLED",
        "SCOREP_FILE_NAMES_END",
        "~X()",
        "\xc3\xa4(long, char const*)",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char quoted[256], text[512], longer[256];
        const size_t length = filter_quote(quoted, sizeof quoted, names[i]);
        snprintf(text, sizeof text, REGIONS("EXCLUDE %s"), quoted);
        snprintf(longer, sizeof longer, "%sx", names[i]);
        struct filter filter;
        struct heard heard;
        read_text(&filter, text, &heard);
        OK(length == strlen(quoted) && heard.count == 0 && filter.count == 1 &&
               filter_excludes(&filter, &(struct filter_function){.name = names[i]}) &&
               !filter_excludes(&filter, &(struct filter_function){.name = longer}),
           "'%s' as a pattern: %s", names[i], quoted);
        filter_free(&filter);
    }
    char small[4];
    OK(filter_quote(small, sizeof small, "a bc") == 5 && strcmp(small, "a\\ ") == 0,
       "what is too long is cut");
    OK(filter_quote(NULL, 0, "a bc") == 5, "its length can be asked for");
}

static void test_files_are_asked(void)
{
    struct filter filter;
    struct heard heard;
    read_text(&filter, REGIONS("EXCLUDE f"), &heard);
    OK(!filter_asks_files(&filter), "not for functions");
    filter_free(&filter);
    read_text(&filter, REGIONS("EXCLUDE f") FILES("INCLUDE *"), &heard);
    OK(filter_asks_files(&filter), "for files");
    filter_free(&filter);
    OK(!filter_asks_files(&filter) && filter.count == 0, "an empty one has no rules");
}

int main(void)
{
    test_decisions();
    test_mistakes();
    test_long_words();
    test_many_mistakes();
    test_many_rules();
    test_ends();
    test_quote();
    test_files_are_asked();
    return tap_done();
}
