/* Patterns of names: what they match is what fnmatch(3) matches in the C locale. */
#include "common/wildcard.h"

#include "tap.h"

#include <fnmatch.h>
#include <string.h>

/* Text number NUMBER of those made of LETTERS, with at most MOST; false if there is none. */
static bool make_text(unsigned number, const char *letters, unsigned most, char *text)
{
    unsigned length = 0;
    for (const unsigned base = (unsigned)strlen(letters); number > 0 && length <= most;
         number = (number - 1) / base)
        text[length++] = letters[(number - 1) % base];
    text[length] = '\0';
    return length <= most;
}

/* Every pattern of up to five of these letters against every text of up to three. */
static void test_all_short_patterns(void)
{
    enum { PATTERN_MOST = 5, TEXT_MOST = 3 };
    char pattern[PATTERN_MOST + 2], text[TEXT_MOST + 2];
    unsigned differ = 0, matched = 0, tried = 0;
    for (unsigned p = 0; make_text(p, "ab-[]!\\*?", PATTERN_MOST, pattern); p += tap_stride())
        for (unsigned t = 0; make_text(t, "ab-]", TEXT_MOST, text); t++) {
            const bool matches = wildcard_matches(pattern, text);
            tried++;
            matched += matches;
            if (matches == (fnmatch(pattern, text, 0) == 0))
                continue;
            if (differ++ < 5)
                printf("# '%s' and '%s': %d\n", pattern, text, matches);
        }
    OK(tried > 1000000 / tap_stride() && matched > 1000, "%u are tried, %u match", tried,
       matched);
    EQ_INT(differ, 0, "all match as fnmatch has it");
}

static void test_classes(void)
{
    static const char *const names[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                        "lower", "print", "punct", "space", "upper", "xdigit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char pattern[32], text[2] = "";
        unsigned differ = 0;
        snprintf(pattern, sizeof pattern, "[[:%s:]]", names[i]);
        for (int c = 1; c < 128; c++) {
            text[0] = (char)c;
            differ += wildcard_matches(pattern, text) != (fnmatch(pattern, text, 0) == 0);
        }
        EQ_INT(differ, 0, "%s", pattern);
    }
}

static void test_names(void)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"*", "", true},
        {"*solve*", "ns::solve(int, double)", true},
        {"solve", "solve2", false},
        {"solve?", "solve2", true},
        {"std::*", "std::vector<int, std::allocator<int> >::push_back(int&&)", true},
        {"operator\\[\\]", "operator[]", true},
        {"operator[]", "operator[]", true},
        {"f\\*", "f*", true},
        {"f\\*", "fx", false},
        {"*/include/*.h", "/usr/include/a/b.h", true},
        {"*.c", ".c", true},
        {"[a-cx]*[!0-9]", "beta", true},
        {"[a-cx]*[!0-9]", "beta1", false},
        {"[[:upper:][:digit:]_]*", "_f", true},
        {"[[:nonsense:]]", "n", false},
        {"\xc3\xa4*", "\xc3\xa4rger", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        OK(wildcard_matches(cases[i].pattern, cases[i].text) == cases[i].matches,
           "'%s' and '%s'", cases[i].pattern, cases[i].text);
}

/* A pattern that takes other matchers longer than anybody waits. */
static void test_many_stars(void)
{
    char pattern[256], text[4096];
    for (size_t i = 0; i < 120; i++)
        memcpy(pattern + 2 * i, "*a", 2);
    strcpy(pattern + 240, "b");
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    OK(!wildcard_matches(pattern, text), "many stars");
}

int main(void)
{
    test_all_short_patterns();
    test_classes();
    test_names();
    test_many_stars();
    return tap_done();
}
