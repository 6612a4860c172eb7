/*
 * Parts of two processes united: call paths that both have get one definition, what each holds
 * is put aside and comes back in its own numbers, and a part or thread that does not fit is
 * left out.
 */
#include "parts/unite_part.h"

#include "common/metrics.h"

#include "tap.h"
#include "tests/unit/utils/parts/part_maker.h"
#include "tests/unit/utils/summary_maker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS       INT64_C(1000000)
#define EPOCH_NS (INT64_C(1767323045) * 1000000000)

static char path[] = "/tmp/tsprof-test-XXXXXX";
static struct union_of_parts all;

static void begin(void)
{
    all = (struct union_of_parts){.aside = tmpfile()};
    NEED(all.aside);
}

static void end(void)
{
    fclose(all.aside);
    union_free(&all);
}

/* Adds the part of RANK, as CHANGE makes it; ERROR says what is wrong. */
static bool add(uint32_t rank, void (*change)(struct part_maker *maker), struct error *error)
{
    struct part_maker maker;
    struct part_reading part;
    struct encoder file = {0};
    part_maker_example(&maker, rank, "K1");
    if (change)
        change(&maker);
    part_maker_write(&maker, &file);
    NEED(maker_save(path, file.bytes, file.size));
    encoder_free(&file);
    part_maker_free(&maker);
    NEED(part_open(&part, path, error));
    const bool added = union_add_part(&all, &part, rank, error);
    part_close(&part);
    return added;
}

static void add_both(void (*change)(struct part_maker *maker))
{
    struct error error = {""};
    OK(add(0, change, &error), "the part of rank 0 is added");
    OK(add(1, NULL, &error), "and that of rank 1");
}

static struct taken_location take(size_t number)
{
    struct taken_location taken;
    struct error error = {""};
    if (!OK(union_take(&all, &all.locations[number], &taken, &error), "location %zu comes back",
            number))
        printf("# %s\n", error.text);
    return taken;
}

/* A value of the summary's METRIC on the united call path NODE. */
static int64_t value_of(const struct taken_location *taken, const struct profile *profile,
                        uint32_t node, enum metric metric)
{
    int64_t sum = 0;
    for (size_t i = 0; i < profile->count; i++)
        if (taken->nodes[profile->cells[i].node] == node &&
            taken->metrics[profile->cells[i].metric] == (uint32_t)metric)
            sum += profile->cells[i].value;
    return sum;
}

static void test_what_is_common(void)
{
    struct error error = {""};
    begin();
    OK(add(0, NULL, &error), "one part is added");
    const uint32_t nodes = all.definitions.node_count, modules = all.definitions.module_count;
    EQ_INT(all.location_count, 1, "it has one thread");
    OK(add(1, NULL, &error), "then another one");
    EQ_INT(all.definitions.node_count, nodes, "call paths that both have are there once");
    EQ_INT(all.definitions.module_count, modules, "so are modules");
    EQ_INT(all.definitions.phase_count, 2, "and phases");
    EQ_INT(all.host_count, 1, "and their host");
    OK(strcmp(all.hosts[0], "node01") == 0, "by its name");
    EQ_INT(all.metric_count, METRIC_COUNT, "metrics are those of the first");
    EQ_INT(all.counter_count, 0, "there are no counters");
    OK(all.fact_count > 0 && strcmp(all.facts[0].key, "program") == 0 &&
           strcmp(all.facts[0].value, "wave") == 0,
       "and so are facts");
    EQ_INT(all.end_ns, EPOCH_NS + (int64_t)PART_MAKER_SAVED_NS, "it says how far they go");
    EQ_INT(all.skipped, 0, "nothing is left out");
    OK(!all.failed, "and all was put aside");
    end();
}

static void test_locations(void)
{
    static const uint32_t places[][2] = {{0, 0}, {1, 0}, {1, 1}};
    begin();
    add_both(NULL);
    EQ_INT(all.location_count, 3, "each thread is a location");
    for (size_t i = 0; i < 3; i++) {
        EQ_INT(all.locations[i].rank, places[i][0], "location %zu has its rank", i);
        EQ_INT(all.locations[i].thread, places[i][1], "and thread");
        EQ_INT(all.locations[i].process, 4000 + places[i][0], "and process");
        EQ_INT(all.locations[i].host, 0, "and host");
    }
    EQ_INT(all.live.count, 3, "it is known where each of them is");
    end();
}

static void test_numbers_come_back(void)
{
    begin();
    add_both(NULL);
    struct taken_location first = take(0), second = take(1), third = take(2);
    const uint32_t solve = first.nodes[NODE_solve_1], program = first.nodes[NODE_program];
    OK(solve != DEFINITION_NONE && solve == second.nodes[NODE_solve_1],
       "a call path of both processes is one");
    OK(solve != first.nodes[NODE_solve_2], "another one is another");
    EQ_INT(value_of(&first, &first.location.whole, solve, METRIC_computation), 6 * 1 * MS,
           "rank 0 has its values there");
    EQ_INT(value_of(&second, &second.location.whole, solve, METRIC_computation), 5 * 2 * MS,
           "rank 1 its own");
    EQ_INT(value_of(&third, &third.location.whole, program, METRIC_computation), 5 * MS,
           "and its thread, too");
    OK(third.nodes[NODE_solve_1] == DEFINITION_NONE, "which has nothing elsewhere");
    EQ_INT(first.location.series_count, 1, "series come back");
    EQ_INT(first.location.series[0].iterations, 6, "with their iterations");
    EQ_INT(second.location.series[0].iterations, 5, "of each");
    const struct definition_phase *phase =
        &all.definitions.phases[first.phases[first.location.series[0].phase]];
    OK(strcmp(all.definitions.names[phase->name], "step") == 0 && phase->kept,
       "under the common phase");
    EQ_INT(first.phases[1], second.phases[1], "which is that of both");
    taken_free(&first);
    taken_free(&second);
    taken_free(&third);
    end();
}

static void test_open_iterations(void)
{
    begin();
    add_both(part_maker_open_iteration);
    struct taken_location first = take(0);
    EQ_INT(first.location.series[0].iterations, 6, "an iteration that is open is none");
    EQ_INT(value_of(&first, &first.location.outside, first.nodes[NODE_solve_1],
                    METRIC_computation),
           1 * MS, "what it has so far is outside of all");
    EQ_INT(all.end_ns, EPOCH_NS + (int64_t)PART_MAKER_SAVED_NS + 3 * MS,
           "the latest of all snapshots says how far they go");
    taken_free(&first);
    end();
}

static void rename_metric(struct part_maker *maker)
{
    char *name = memmem(maker->facts.bytes, maker->facts.size, "computation", 11);
    NEED(name);
    name[0] = 'k';
}

static void test_parts_that_do_not_fit(void)
{
    struct error error = {""};
    begin();
    OK(add(0, NULL, &error), "a part is added");
    OK(!add(1, rename_metric, &error), "one with different metrics is not");
    OK(strstr(error.text, "different metrics") && strncmp(error.text, path, strlen(path)) == 0,
       "which is said, with its name");
    EQ_INT(all.location_count, 1, "nothing of it is");
    end();
}

static void lose_log(struct part_maker *maker)
{
    encoder_free(&maker->threads[1].log);
}

static void test_threads_that_are_damaged(void)
{
    struct error error = {""};
    begin();
    OK(add(1, lose_log, &error), "a part with a damaged thread is added");
    EQ_INT(all.location_count, 1, "without the thread");
    EQ_INT(all.locations[0].thread, 0, "but with the other one");
    EQ_INT(all.skipped, 1, "it is counted");
    struct taken_location taken = take(0);
    EQ_INT(
        value_of(&taken, &taken.location.whole, taken.nodes[NODE_solve_1], METRIC_computation),
        5 * 2 * MS, "what is there is right");
    taken_free(&taken);
    end();
}

int main(void)
{
    const int file = mkstemp(path);
    NEED(file >= 0 && close(file) == 0);
    test_what_is_common();
    test_locations();
    test_numbers_come_back();
    test_open_iterations();
    test_parts_that_do_not_fit();
    test_threads_that_are_damaged();
    unlink(path);
    return tap_done();
}
