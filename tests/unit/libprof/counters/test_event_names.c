/* Names of events that were mistyped are known again. */
#include "counters/event_names.h"

#include "tap.h"

#include <string.h>

static void test_distances(void)
{
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {
        {"PAPI_TOT_CYC", "PAPI_TOT_CYC", 0},
        {"tot-cyc", "PAPI_TOT_CYC", 0},
        {"page_faults", "perf::PAGE-FAULTS", 0},
        {"perf::PAGE-FAULT", "perf::PAGE-FAULTS", 1},
        {"PAPI_TOT_CYL", "PAPI_TOT_CYC", 1},
        {"PAPI_TOTAL_CYC", "PAPI_TOT_CYC", 2},
        {"a::b::xy", "xyz", 1},
        {"", "abc", 3},
        {"abc", "", 3},
        {"", "", 0},
        {"PAPI_", "::", 0},
        {"abcdef", "badcfe", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        EQ_INT(event_names_distance(cases[i].a, cases[i].b), cases[i].distance,
               "\"%s\", \"%s\"", cases[i].a, cases[i].b);
        EQ_INT(event_names_distance(cases[i].b, cases[i].a), cases[i].distance, "and back");
    }
}

static void test_long_names(void)
{
    char a[1000], b[1000];
    memset(a, 'a', sizeof a - 1);
    memset(b, 'b', sizeof b - 1);
    a[sizeof a - 1] = b[sizeof b - 1] = '\0';
    EQ_INT(event_names_distance(a, b), 64, "of long names 64 letters count");
    memcpy(b, a, 64);
    EQ_INT(event_names_distance(a, b), 0, "the first ones");
}

static void test_what_is_plausible(void)
{
    OK(event_names_plausible("PAGE-FAULT", 1), "one letter of nine");
    OK(!event_names_plausible("PAGE-FAULT", 3), "but not three");
    OK(!event_names_plausible("abc", 1), "of three letters none");
    OK(!event_names_plausible("PAGE-FAULT", SIZE_MAX), "nor is what is not there");
}

int main(void)
{
    test_distances();
    test_long_names();
    test_what_is_plausible();
    return tap_done();
}
