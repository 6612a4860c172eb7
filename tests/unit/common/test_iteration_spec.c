/* What TSPROF_ITERATION says: items, what they hold, names of phases, and what is refused. */
#include "common/iteration_spec.h"

#include "common/settings.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static struct iteration_text text(const char *string)
{
    return (struct iteration_text){string, strlen(string)};
}

static bool is(struct iteration_text got, const char *wanted)
{
    return got.length == strlen(wanted) &&
           (got.length == 0 || memcmp(got.start, wanted, got.length) == 0);
}

static void test_items(void)
{
    static const struct {
        const char *text;
        enum iteration_kind kind;
        const char *name, *function;
        int line;
        int64_t number;
        const char *phase;
    } cases[] = {
        {"auto", ITERATION_AUTO, "", "", 0, 0, ""},
        {"markers", ITERATION_MARKERS, "", "", 0, 0, ""},
        {"function:step", ITERATION_FUNCTION, "step", "", 0, 0, "step"},
        {"function:a<int, b>::f(c, d)", ITERATION_FUNCTION, "a<int, b>::f(c, d)", "", 0, 0,
         "a<int, b>::f(c, d)"},
        {"function:auto,matic", ITERATION_FUNCTION, "auto,matic", "", 0, 0, "auto,matic"},
        {"call:MPI_Send", ITERATION_CALL, "MPI_Send", "", 0, 0, "MPI_Send"},
        {"call:MPI_Send@put", ITERATION_CALL, "MPI_Send", "put", 0, 0, "MPI_Send in put"},
        {"call:MPI_Send@put:214", ITERATION_CALL, "MPI_Send", "put", 214, 0,
         "MPI_Send in put:214"},
        {"call:MPI_Send@a::put", ITERATION_CALL, "MPI_Send", "a::put", 0, 0,
         "MPI_Send in a::put"},
        {"call:MPI_Send@a::7", ITERATION_CALL, "MPI_Send", "a::7", 0, 0, "MPI_Send in a::7"},
        {"call: MPI_Send @ a::put:7 ", ITERATION_CALL, "MPI_Send", "a::put", 7, 0,
         "MPI_Send in a::put:7"},
        {"call:main > f > MPI_Send", ITERATION_PATH, "main > f > MPI_Send", "", 0, 0,
         "MPI_Send in f"},
        {"call:main;f;MPI_Send", ITERATION_PATH, "main;f;MPI_Send", "", 0, 0, "MPI_Send in f"},
        {"call:a<b<c> > > g<(d > 1)> > MPI_Send", ITERATION_PATH,
         "a<b<c> > > g<(d > 1)> > MPI_Send", "", 0, 0, "MPI_Send in g<(d > 1)>"},
        {"call:main:12 > f:7 > MPI_Send", ITERATION_PATH, "main:12 > f:7 > MPI_Send", "", 0, 0,
         "MPI_Send in f:7"},
        {"loop:solve", ITERATION_LOOP, "solve", "", 0, 0, ""},
        {"loop:solve+0x4f2", ITERATION_LOOP, "solve", "", 0, 0x4f2, ""},
        {"loop: main:12 > a::solve +0x4f2 ", ITERATION_LOOP, "main:12 > a::solve", "", 0, 0x4f2,
         ""},
        {"loop:app+0x1230+0x8", ITERATION_LOOP, "app+0x1230", "", 0, 8, ""},
        {"loop:n::operator+", ITERATION_LOOP, "n::operator+", "", 0, 0, ""},
        {"loop:n::operator++0x10", ITERATION_LOOP, "n::operator+", "", 0, 16, ""},
        {"loop:f<a, b>::g(c, d)+0x1", ITERATION_LOOP, "f<a, b>::g(c, d)", "", 0, 1, ""},
        {"every:MPI_Send:10", ITERATION_EVERY, "MPI_Send", "", 0, 10, "10 MPI_Send"},
        {"time:2", ITERATION_TIME, "", "", 0, 2000000000, "2 s"},
        {"time:0.25", ITERATION_TIME, "", "", 0, 250000000, "0.25 s"},
        {"time:10.000000001", ITERATION_TIME, "", "", 0, 10000000001, "10.000000001 s"},
        {"time:.001", ITERATION_TIME, "", "", 0, 1000000, "0.001 s"},
        {"time:100000000", ITERATION_TIME, "", "", 0, ITERATION_TIME_MOST_NS, "100000000 s"},
        {"pcontrol", ITERATION_PCONTROL, "", "", 0, 0, ""},
        {"pcontrol:3", ITERATION_PCONTROL, "", "", 0, 3, ""},
        {"caliper:main loop", ITERATION_CALIPER, "main loop", "", 0, 0, "main loop"},
        {"nvtx:*", ITERATION_NVTX, "*", "", 0, 0, "*"},
        {"scorep:x", ITERATION_SCOREP, "x", "", 0, 0, "x"},
        {"likwid:x", ITERATION_LIKWID, "x", "", 0, 0, "x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct iteration_spec spec;
        char phase[ITERATION_NAME_BYTES];
        if (!OK(iteration_spec_read(cases[i].text, &spec) && spec.count == 1, "%s is an item",
                cases[i].text))
            continue;
        const struct iteration_item *item = &spec.items[0];
        OK(item->kind == cases[i].kind && is(item->name, cases[i].name) &&
               is(item->function, cases[i].function) && item->line == cases[i].line &&
               item->number == cases[i].number,
           "%s: what it holds", cases[i].text);
        iteration_item_name(item, phase);
        OK(strcmp(phase, cases[i].phase) == 0, "%s: its phase is \"%s\"", cases[i].text, phase);
    }
}

static void test_what_is_refused(void)
{
    static const char *const cases[] = {
        "automatic",
        "step",
        "function:",
        "function",
        "call:",
        "call:solve",
        "call:MPI_",
        "call:MPI_Send@",
        "call:a > b",
        "call: > MPI_X",
        "call:a;;MPI_X",
        "call:MPI_Send;",
        "loop",
        "loop:",
        "loop:+0x10",
        "loop:f+0x0",
        "loop:f+0xg1",
        "loop:f+0x123456789",
        "loop:f;",
        "loop:f,loop:g",
        "loop:f,time:1",
        "auto,loop:f",
        "every:MPI_Send",
        "every:MPI_X:0",
        "every:send:3",
        "every:MPI_X:-1",
        "every:MPI_X:1.5",
        "every:MPI_X:99999999999",
        "time:",
        "time:0",
        "time:-1",
        "time:1e3",
        "time:0.0009",
        "time:1.2.3",
        "time:1s",
        "time:100000000.1",
        "time:99999999999999999999999",
        "time:0.0000000001",
        "pcontrol:",
        "pcontrol:0",
        "pcontrol:x",
        "auto,",
        ",auto",
        "auto,time:1",
        "time:1,auto",
        "auto,auto",
        "time:1,,time:2",
        "Function:x",
        "caliper:",
        "nvtx:",
        "likwid",
        "time:1,time:1,time:1,time:1,time:1,time:1,time:1,time:1,time:1",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct iteration_spec spec;
        OK(!iteration_spec_read(cases[i], &spec), "\"%s\" is refused", cases[i]);
    }
}

static void test_several(void)
{
    struct iteration_spec spec;
    OK(iteration_spec_read("function:f<a,b>,every:MPI_Send:2,pcontrol,call:a,b;MPI_X,markers",
                           &spec),
       "several items");
    EQ_INT(spec.count, 5, "a comma ends an item only where another one follows");
    OK(is(spec.items[0].name, "f<a,b>") && is(spec.items[3].name, "a,b;MPI_X"), "as written");
    OK(iteration_spec_read("", &spec) && spec.count == 0, "an empty text has none");
}

static void test_long_names_are_cut(void)
{
    char long_text[1000] = "function:", phase[ITERATION_NAME_BYTES];
    struct iteration_spec spec;
    memset(long_text + 9, 'x', sizeof long_text - 10);
    OK(iteration_spec_read(long_text, &spec), "a long name");
    iteration_item_name(&spec.items[0], phase);
    EQ_INT(strlen(phase), ITERATION_NAME_BYTES - 1, "is cut");
}

static void test_names_match(void)
{
    static const struct {
        const char *wanted, *name;
        bool matches;
    } cases[] = {
        {"step", "step", true},
        {"step", "steps", false},
        {"step*", "steps", true},
        {"s?ep", "step", true},
        {"*::step", "sim::grid::step", true},
        {"*", "", true},
        {"a*b*c", "axxbyyc", true},
        {"a*b*c", "axxbyy", false},
        {"step", "step(int, double)", true},
        {"step(int, double)", "step(int, double)", true},
        {"step(int)", "step(int, double)", false},
        {"(anonymous namespace)::step", "(anonymous namespace)::step(int)", true},
        {"f::operator()", "f::operator()(int) const", true},
        {"step<a(b)>", "step<a(b)>(int)", true},
        {"a::solve<int>", "double (anonymous namespace)::a::solve<int>(int, b<c d>)", true},
        {"solve", "void a<b c>::solve(int)", false},
        {"a::f(b<c d>)", "double (anonymous namespace)::a::f((anonymous namespace)::b<c d>)",
         true},
        {"a<b c>::solve", "void a<b c>::solve(int)", true},
        {"solve", "solve_", true},
        {"solve", "__heat_MOD_solve", true},
        {"__heat_MOD_solve", "__heat_MOD_solve", true},
        {"solve", "resolve_", false},
        {"solve_", "solve", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        EQ_INT(iteration_name_matches(text(cases[i].wanted), cases[i].name), cases[i].matches,
               "%s and %s", cases[i].wanted, cases[i].name);
}

static void keep(void *context, const char *message)
{
    snprintf(context, 1000, "%s", message);
}

static void test_a_bad_value_is_named(void)
{
    char said[1000] = "", variable[] = "TSPROF_ITERATION=call:solve",
         *environment[] = {variable, NULL};
    struct settings settings;
    settings_load(&settings, environment, keep, said);
    OK(strstr(said, "TSPROF_ITERATION=call:solve") && strstr(said, "call:MPI_NAME@") == NULL &&
           strstr(said, "call:MPI_NAME[@FUNCTION[:LINE]]") && strstr(said, "using the default"),
       "with what is accepted: %s", said);
    OK(strcmp(settings.text[SETTING_ITERATION], "auto") == 0, "the default holds");
}

int main(void)
{
    test_items();
    test_what_is_refused();
    test_several();
    test_long_names_are_cut();
    test_names_match();
    test_a_bad_value_is_named();
    return tap_done();
}
