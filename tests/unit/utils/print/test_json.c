/* JSON: no string breaks out of it, numbers keep their digits; tables in both notations. */
#include "print/json.h"

#include "print/number.h"
#include "print/table.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void check_string(const char *given, const char *written)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    json_string(stream, given);
    fclose(stream);
    if (!OK(strcmp(text, written) == 0, "written as %s", written))
        printf("# got %s\n", text);
    free(text);
}

static void test_strings(void)
{
    check_string("", "\"\"");
    check_string("f(int, char)", "\"f(int, char)\"");
    check_string("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    check_string("\n\t\r\x01\x1f\x7f", "\"\\n\\t\\u000d\\u0001\\u001f\\u007f\"");
    check_string("</script>&amp;", "\"\\u003c/script\\u003e\\u0026amp;\"");
    check_string("größe \xf0\x9f\x98\x80", "\"größe \xf0\x9f\x98\x80\"");
    check_string("\xc2\x9b\xc2\x85", "\"\\u009b\\u0085\"");
    check_string("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae\xe2\x81\xa6",
                 "\"\\u2028\\u2029\\u202e\\u2066\"");
    check_string("a\xff"
                 "b",
                 "\"a\\ufffdb\"");
    check_string("\xc0\x80\xed\xa0\x80\xe2\x82",
                 "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"");
    check_string("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

static void test_numbers(void)
{
    static const struct {
        long double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-3, "-3"},
        {9223372036854775807.0L, "9223372036854775807"},
        {-9223372036854775807.0L, "-9223372036854775807"},
        {18446744073709551616.0L, "1.8446744073709552e+19"},
        {0.1L, "0.10000000000000001"},
        {1.0L / 3, "0.33333333333333331"},
        {-1e-9L, "-1.0000000000000001e-09"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[NUMBER_SIZE];
        OK(strcmp(number_text(text, cases[i].value), cases[i].text) == 0, "written as %s",
           cases[i].text);
    }
}

/* Two rows with everything that a table can hold. */
static char *make_table(enum table_notation notation, size_t rows)
{
    static const char *const names[] = {"main", "a,b"};
    static const uint64_t places[] = {0, 18446744073709551615u};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct table table;
    table_begin(&table, stream, notation, "things", "name,empty,count,value,path,place");
    for (size_t i = 0; i < rows; i++) {
        table_text(&table, "x\"y");
        table_empty(&table);
        table_count(&table, i);
        table_value(&table, 0.5L);
        table_texts(&table, names, i + 1, ";");
        table_counts(&table, places, 2 * i, " ");
        table_end_row(&table);
    }
    table_end(&table);
    fclose(stream);
    return text;
}

static void check_table(enum table_notation notation, size_t rows, const char *wanted)
{
    char *text = make_table(notation, rows);
    if (!OK(strcmp(text, wanted) == 0, "%s with %zu rows",
            notation == TABLE_CSV ? "CSV" : "JSON", rows))
        printf("# got %s\n", text);
    free(text);
}

static void test_tables(void)
{
    check_table(TABLE_CSV, 0, "name,empty,count,value,path,place\n");
    check_table(TABLE_CSV, 2,
                "name,empty,count,value,path,place\n"
                "\"x\"\"y\",,0,0.5,main,\n"
                "\"x\"\"y\",,1,0.5,\"main;a,b\",0 18446744073709551615\n");
#define HEAD                                                                                   \
    "{\"what\":\"things\",\n\"columns\":[\"name\",\"empty\",\"count\",\"value\",\"path\","     \
    "\"place\"],\n\"rows\":["
    check_table(TABLE_JSON, 0, HEAD "\n]}\n");
    check_table(TABLE_JSON, 2,
                HEAD "\n{\"name\":\"x\\\"y\",\"empty\":null,\"count\":0,\"value\":0.5,"
                     "\"path\":[\"main\"],\"place\":[]},"
                     "\n{\"name\":\"x\\\"y\",\"empty\":null,\"count\":1,\"value\":0.5,"
                     "\"path\":[\"main\",\"a,b\"],\"place\":[0,18446744073709551615]}\n]}\n");
}

int main(void)
{
    test_strings();
    test_numbers();
    test_tables();
    return tap_done();
}
