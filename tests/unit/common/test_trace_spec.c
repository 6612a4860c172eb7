/* What TSPROF_TRACE says, and what is refused. */
#include "common/trace_spec.h"

#include "tap.h"

#include <string.h>

static void test_choices(void)
{
    static const struct {
        const char *text;
        enum trace_choice choice;
        uint32_t most;
        const char *phase;
    } cases[] = {
        {"", TRACE_NOTHING, 0, NULL},
        {"all", TRACE_ALL, 0, NULL},
        {"12", TRACE_LISTED, 0, NULL},
        {"12,100-109", TRACE_LISTED, 0, NULL},
        {"slowest:8", TRACE_SLOWEST, 8, NULL},
        {"new:10000", TRACE_NEW, 10000, NULL},
        {"timestep:12", TRACE_LISTED, 0, "timestep"},
        {"timestep:slowest:8", TRACE_SLOWEST, 8, "timestep"},
        {"a::b:12", TRACE_LISTED, 0, "a::b"},
        {"solve(int):new:2", TRACE_NEW, 2, "solve(int)"},
        {"all::news:12", TRACE_LISTED, 0, "all::news"},
        {"Newton:12", TRACE_LISTED, 0, "Newton"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_spec spec;
        const bool read = trace_spec_read(cases[i].text, &spec);
        const bool named = cases[i].phase
                               ? spec.phase && trace_spec_means_async(&spec, cases[i].phase) &&
                                     !trace_spec_means_async(&spec, "other")
                               : !spec.phase && trace_spec_means_async(&spec, "other");
        OK(read && spec.choice == cases[i].choice && spec.most == cases[i].most && named,
           "'%s'", cases[i].text);
    }
}

static void test_lists(void)
{
    struct trace_spec spec;
    trace_spec_read("3,5-7", &spec);
    static const bool wanted[] = {false, false, false, true, false, true, true, true, false};
    bool right = true;
    for (uint64_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        right &= trace_spec_lists_async(&spec, i) == wanted[i];
    OK(right, "3,5-7 has these four");
}

static void test_refused(void)
{
    static const char *const texts[] = {"slowest",
                                        "slowest:",
                                        "slowest:0",
                                        "slowest:10001",
                                        "new:-1",
                                        "5-3",
                                        "1,",
                                        ",1",
                                        "1,,2",
                                        "x:",
                                        ":3",
                                        "1-",
                                        "all:3",
                                        "slowest:3:4:x",
                                        "1 2",
                                        "99999999999999999999999",
                                        "Slowest:8",
                                        " slowest:8",
                                        "NEW :3",
                                        "slowest:3:4",
                                        "step:Slowest:8"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct trace_spec spec;
        OK(!trace_spec_read(texts[i], &spec), "'%s' is refused", texts[i]);
    }
}

int main(void)
{
    test_choices();
    test_lists();
    test_refused();
    return tap_done();
}
