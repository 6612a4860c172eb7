/* What people see: escaping, shortening, quantities, and the graph. */
#include "print/text.h"

#include "common/printable.h"
#include "print/csv.h"
#include "report/graph.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_nothing_harmful_reaches_a_terminal(void)
{
    static const struct {
        const char *given, *shown;
    } cases[] = {
        {"plain", "plain"},
        {"\x1b[2J", "\\x1b[2J"},
        {"a\nb\tc", "a\\x0ab c"},
        {"\x7f", "\\x7f"},
        {"größe µ", "größe µ"},
        {"\xff\xfe", "\\xff\\xfe"},
        {"\xc2\x9b", "\\xc2\\x9b"},
        {"\xc0\x80", "\\xc0\\x80"},
        {"\xe2\x82", "\\xe2\\x82"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond the last character */
        {"\xc2\xa0|€|𝄞", "\xc2\xa0|€|𝄞"},
        {"a\u202eb", "a\\xe2\\x80\\xaeb"}, /* what turns the direction of writing */
        {"\u2066", "\\xe2\\x81\\xa6"},
        {"\u2069", "\\xe2\\x81\\xa9"},
        {"\u200f", "\\xe2\\x80\\x8f"},
        {"\u061c", "\\xd8\\x9c"},
        {"\u2028", "\\xe2\\x80\\xa8"}, /* separators of lines and of paragraphs */
        {"\u2029", "\\xe2\\x80\\xa9"},
        {"\u2027\u202f\u2065\u206a", "\u2027\u202f\u2065\u206a"}, /* their neighbours */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = {0};
        text_add_escaped(&text, cases[i].given);
        OK(strcmp(text_string(&text), cases[i].shown) == 0, "shown as %s", cases[i].shown);
        text_free(&text);
    }
}

/* True if nothing in TEXT can do anything but be seen, by another definition than
 * printable.c's. */
static bool is_plain(const char *text)
{
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return false;
    static const char *const evil[] = {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
                                       "\u2066", "\u2067", "\u2068", "\u2069", "\u2028",
                                       "\u2029", "\u200e", "\u200f", "\u061c"};
    for (size_t i = 0; i < sizeof evil / sizeof evil[0]; i++)
        if (strstr(text, evil[i]))
            return false;
    for (const char *at = text; (at = strchr(at, '\xc2')); at++)
        if ((unsigned char)at[1] < 0xa0)
            return false;
    return true;
}

static void test_messages_are_made_harmless_in_place(void)
{
    char text[] = "a\x1b[31mß\u202e\xff\xc2\x85";
    printable_make(text);
    OK(strcmp(text, "a?[31mß??????") == 0, "a question mark for each byte: %s", text);
}

/* Every sequence of two bytes, and what follows the leads of longer characters. */
static void test_no_bytes_are_obeyed(void)
{
    size_t harmful = 0;
    for (unsigned lead = 1; lead < 256; lead += tap_stride())
        for (unsigned second = 1; second < 256; second++)
            for (unsigned third = 0x7f; third < 0xc1; third++) {
                const char given[] = {(char)lead, (char)second, (char)third, '\0'};
                struct text text = {0};
                text_add_escaped(&text, given);
                harmful += !is_plain(text_string(&text));
                text_free(&text);
            }
    EQ_INT(harmful, 0, "of all short texts");
}

static void test_long_names_lose_their_middle(void)
{
    struct text text = {0};
    text_add_shortened(&text, "abcdefghij", 10);
    OK(strcmp(text_string(&text), "abcdefghij") == 0, "what fits stays");
    text_clear(&text);
    text_add_shortened(&text, "abcdefghij", 7);
    OK(strcmp(text_string(&text), "abc…hij") == 0, "what does not keeps both ends");
    text_clear(&text);
    text_add_shortened(&text, "äöüÄÖÜßéèê", 4);
    OK(strcmp(text_string(&text), "ä…èê") == 0, "characters are not cut");
    for (size_t columns = 0; columns < 5; columns++) {
        text_clear(&text);
        text_add_shortened(&text, "abcdefghij", columns);
        EQ_INT(text_columns(text_string(&text)), columns, "%zu columns are all used", columns);
    }
    text_free(&text);
}

static void test_lines_are_wrapped_at_blanks(void)
{
    struct text text = {0};
    text_add_wrapped(&text, "one two three", 0, 2, 8);
    OK(strcmp(text_string(&text), "one two\n  three\n") == 0, "between words");
    text_clear(&text);
    text_add_wrapped(&text, "abcdefghijkl", 0, 2, 8);
    OK(strcmp(text_string(&text), "abcdefgh\n  ijkl\n") == 0, "or in one that is too long");
    text_clear(&text);
    text_add_wrapped(&text, "a space::name::longer", 0, 2, 14);
    OK(strcmp(text_string(&text), "a\n  space::\n  name::longer\n") == 0,
       "a long name between its parts");
    text_clear(&text);
    text_add_wrapped(&text, "in (anonymous namespace)::solve", 0, 0, 26);
    OK(strcmp(text_string(&text), "in\n(anonymous namespace)::\nsolve\n") == 0,
       "not in the name of a namespace that has none");
    text_clear(&text);
    text_add_wrapped(&text, "", 0, 2, 8);
    OK(strcmp(text_string(&text), "\n") == 0, "nothing is an empty line");
    text_free(&text);
}

static void test_quantities_are_readable(void)
{
    static const struct {
        long double value;
        const char *unit, *shown;
    } cases[] = {
        {0, "s", "0"},
        {1.2345e-3L, "s", "1.23 ms"},
        {12.3456L, "s", "12.3 s"},
        {999.96e-6L, "s", "1.00 ms"},
        {9.996e-6L, "s", "10.0 µs"},
        {-2e-6L, "s", "-2.00 µs"},
        {3e-10L, "s", "0.30 ns"},
        {999.4L, "s", "999 s"},
        {1700, "s", "28.3 min"},
        {12345, "s", "206 min"},
        {72000, "s", "20.0 h"},
        {3e6L, "s", "833 h"},
        {512, "bytes", "512 B"},
        {1536, "bytes", "1.54 kB"},
        {2.5e9L, "bytes", "2.50 GB"},
        {7, "occ", "7"},
        {2.5L, "occ", "2.50"},
        {123456, "occ", "123 k"},
        {1e30L, "occ", "1.00e+18 T"},
    };
    char out[QUANTITY_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        OK(strcmp(format_quantity(out, cases[i].value, cases[i].unit), cases[i].shown) == 0,
           "%s (%s)", cases[i].shown, format_quantity(out, cases[i].value, cases[i].unit));
    OK(strcmp(format_percent(out, 1, 8), "12.5") == 0, "one of eight is 12.5 per cent");
    OK(strcmp(format_percent(out, 1, 2500), "0.04") == 0, "small shares keep a digit");
    OK(strcmp(format_percent(out, 1, 0), "-") == 0, "of nothing there is no share");
}

static unsigned count_lines(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static size_t widest_line(const char *text)
{
    size_t widest = 0;
    char *copy = strdup(text), *place = NULL;
    for (char *line = strtok_r(copy, "\n", &place); line; line = strtok_r(NULL, "\n", &place))
        widest = text_columns(line) > widest ? text_columns(line) : widest;
    free(copy);
    return widest;
}

/* One iteration with these values. */
static struct stretch single(uint64_t first, double max, double mean, double min)
{
    return (struct stretch){first, 1, max, mean, min, 0};
}

static struct graph graph_of(const struct stretch *values, size_t count, size_t columns,
                             unsigned rows)
{
    return (struct graph){values, count, "occ", columns, rows, palette_for("never")};
}

static void test_graphs_fit_their_columns(void)
{
    static const size_t counts[] = {1, 2, 9, 71, 72, 73, 100, 1000};
    struct stretch values[1000];
    for (size_t i = 0; i < 1000; i++) {
        double value = 1e-3 * (double)(1 + i % 7);
        values[i] = single(i, value, value, value);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct graph graph = graph_of(values, counts[i], 80, 8);
        graph.unit = "s";
        struct text text = {0};
        graph_add(&text, &graph);
        EQ_INT(count_lines(text_string(&text)), 10, "%zu iterations: 8 rows and the axis",
               counts[i]);
        OK(widest_line(text_string(&text)) <= 80, "%zu iterations: at most 80 columns",
           counts[i]);
        text_free(&text);
    }
}

static void test_a_graph_shows_minimum_mean_and_maximum(void)
{
    const struct stretch values[] = {single(5, 8, 4, 1), single(6, 8, 6, 2), single(7, 4, 4, 4),
                                     single(8, NAN, NAN, NAN)};
    struct graph graph = graph_of(values, 4, 12, 2);
    struct text text = {0};
    graph_add(&text, &graph);
    OK(strcmp(text_string(&text), "      8┤░▄\n"
                                  "      4┤▓██\n"
                                  "      0└────\n"
                                  "        5  8\n") == 0,
       "full for the minimum, shaded for the mean, light for the maximum, nothing where "
       "nothing is:\n%s",
       text_string(&text));
    text_clear(&text);
    graph.palette = palette_for("always");
    graph_add(&text, &graph);
    OK(strstr(text_string(&text), "      8┤\x1b[1;38;5;130m░\x1b[0m▄\n"),
       "what is above the mean stands out");
    text_clear(&text);
    graph = graph_of(values + 3, 1, 80, 8);
    graph_add(&text, &graph);
    EQ_INT(text.length, 0, "no values, no graph");
    text_free(&text);
}

/* Stretches are drawn as if each of their iterations was. */
static void test_a_graph_of_stretches_is_that_of_their_iterations(void)
{
    enum { STRETCHES = 40 };
    struct stretch stretches[STRETCHES], singles[40 * STRETCHES];
    size_t count = 0, different = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        count = 0;
        for (size_t i = 0; i < STRETCHES; i++) {
            uint64_t length = 1 + i * seed * 7 % 40;
            double value = (i * seed) % 5 ? (double)((i * 13 + seed) % 11) : NAN;
            stretches[i] = (struct stretch){10 + count, length, value, value / 2, value / 4, 0};
            for (uint64_t k = 0; k < length; k++, count++)
                singles[count] = single(10 + count, value, value / 2, value / 4);
        }
        struct graph few = graph_of(stretches, STRETCHES, 80, 8);
        struct graph many = graph_of(singles, count, 80, 8);
        struct text a = {0}, b = {0};
        graph_add(&a, &few);
        graph_add(&b, &many);
        different += strcmp(text_string(&a), text_string(&b)) != 0;
        EQ_INT(graph_iterations_per_column(&few), graph_iterations_per_column(&many),
               "%zu iterations", count);
        text_free(&a);
        text_free(&b);
    }
    EQ_INT(different, 0, "all graphs are the same");
}

static void test_a_graph_of_billions_of_iterations(void)
{
    const struct stretch values[] = {{0, UINT64_C(1) << 31, 8, 4, 4, 0},
                                     {UINT64_C(1) << 31, UINT64_C(1) << 31, 4, 4, 4, 0}};
    struct graph graph = graph_of(values, 2, 12, 2);
    struct text text = {0};
    graph_add(&text, &graph);
    OK(strcmp(text_string(&text), "      8┤░░\n"
                                  "      4┤████\n"
                                  "      0└────\n"
                                  "        0 4294967295\n") == 0,
       "%s", text_string(&text));
    EQ_INT(graph_iterations_per_column(&graph), 1 << 30, "in a column");
    text_free(&text);
}

static void test_csv_fields_are_quoted_where_needed(void)
{
    char line[256] = "";
    FILE *stream = fmemopen(line, sizeof line, "w");
    struct csv csv = {stream, 0};
    csv_text(&csv, "plain");
    csv_text(&csv, "a,b");
    csv_text(&csv, "say \"x\"");
    csv_text(&csv, "");
    csv_empty(&csv);
    csv_value(&csv, 0.1L);
    csv_value(&csv, 9007199254740993.0L);
    csv_value(&csv, -3);
    csv_value(&csv, 2.5L);
    csv_end_line(&csv);
    csv_text(&csv, "two\r\nlines");
    csv_text(&csv, "\x1b[2J\xff\t\u202e,");
    csv_end_line(&csv);
    fclose(stream);
    OK(strcmp(line,
              "plain,\"a,b\",\"say \"\"x\"\"\",,,0.10000000000000001,9007199254740993,-3,2.5\n"
              "\"two\r\nlines\",\"\\x1b[2J\\xff\t\\xe2\\x80\\xae,\"\n") == 0,
       "quotes where they must be, nothing that a terminal obeys, and exact numbers");
}

static void test_lists_of_names(void)
{
    static const char *const names[] = {"a", "b", "c"};
    static const char *const wanted[] = {"", "a", "a or b", "a, b or c"};
    for (size_t count = 0; count <= 3; count++) {
        struct text text = {0};
        text_add_list(&text, names, count, "or");
        OK(strcmp(text_string(&text), wanted[count]) == 0, "%zu names: %s", count,
           text_string(&text));
        text_free(&text);
    }
}

static void test_words_of_shells(void)
{
    static const struct {
        const char *given, *shown;
    } cases[] = {
        {"plain.filter", "plain.filter"},
        {"/a/b-c_d+e@1,2:3%", "/a/b-c_d+e@1,2:3%"},
        {"", "''"},
        {"a b", "'a b'"},
        {"a;rm b", "'a;rm b'"},
        {"$HOME", "'$HOME'"},
        {"~", "'~'"},
        {"it's", "'it'\\''s'"},
        {"größe", "'größe'"},
        {"a\nb's\\", "$'a\\x0ab\\'s\\\\'"},
        {"\xff", "$'\\xff'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = {0};
        text_add_shell_word(&text, cases[i].given);
        OK(strcmp(text_string(&text), cases[i].shown) == 0, "a word of a shell: %s",
           text_string(&text));
        text_free(&text);
    }
}

int main(void)
{
    test_words_of_shells();
    test_lists_of_names();
    test_nothing_harmful_reaches_a_terminal();
    test_no_bytes_are_obeyed();
    test_messages_are_made_harmless_in_place();
    test_long_names_lose_their_middle();
    test_lines_are_wrapped_at_blanks();
    test_quantities_are_readable();
    test_graphs_fit_their_columns();
    test_a_graph_shows_minimum_mean_and_maximum();
    test_a_graph_of_stretches_is_that_of_their_iterations();
    test_a_graph_of_billions_of_iterations();
    test_csv_fields_are_quoted_where_needed();
    return tap_done();
}
