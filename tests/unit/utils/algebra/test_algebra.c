/*
 * Calculating with summaries: parts of a run, definitions of several runs as one, and what
 * their differences, means and joins hold.
 */
#include "accuracy/checks.h"
#include "algebra/derive.h"
#include "common/metrics.h"
#include "file/encode_definitions.h"
#include "file/write_summary.h"
#include "query/sums.h"
#include "tap.h"
#include "tests/unit/utils/summary_maker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MS 1000000

/* A file in memory, by its name. */
struct made {
    int memory;
    char path[64];
};

static struct made save(struct maker *maker)
{
    struct made made = {.memory = memfd_create("algebra", 0)};
    struct encoder file = {0};
    snprintf(made.path, sizeof made.path, "/proc/self/fd/%d", made.memory);
    maker_write(maker, &file);
    maker_save(made.path, file.bytes, file.size);
    encoder_free(&file);
    maker_free(maker);
    return made;
}

static struct made make(void (*fill)(struct maker *maker))
{
    struct maker maker;
    fill(&maker);
    return save(&maker);
}

static const struct options everything = {
    .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};

/* Options for FILES, which must outlive them. */
static struct options options_of(const char *const *files, size_t count)
{
    struct options options = everything;
    options.files = files;
    options.file_count = count;
    return options;
}

static void choose_iterations(struct options *options, uint64_t first, uint64_t last)
{
    options->iterations_given = true;
    options->iterations = (struct range){first, last};
}

/* The value of METRIC at NODE of one of the result's locations, in stored units. */
static int64_t cell(const struct summary *summary, size_t location, uint32_t node,
                    const char *metric)
{
    const struct profile *whole = &summary->locations[location].whole;
    uint32_t number = summary_metric(summary, metric);
    for (size_t i = 0; i < whole->count; i++)
        if (whole->cells[i].node == node && whole->cells[i].metric == number)
            return whole->cells[i].value;
    return 0;
}

/* What holds in every file, and that it is the same when it was written and read. */
static void check_result(const struct summary *summary, const char *label)
{
    char path[] = "/tmp/test_algebra.XXXXXX";
    struct error error;
    struct check accounts = check_accounting(summary), totals = check_totals(summary);
    OK(check_holds(&accounts) && check_holds(&totals), "%s: it adds up", label);
    text_free(&accounts.first);
    text_free(&totals.first);
    close(mkstemp(path));
    unlink(path);
    if (!OK(summary_create(summary, path, &error), "%s: it is written", label))
        printf("# %s\n", error.text);
    struct summary *read = summary_read(path, &error);
    if (!OK(read != NULL, "%s: and read", label))
        printf("# %s\n", error.text);
    bool same = read && read->location_count == summary->location_count &&
                strcmp(read->derived, summary->derived) == 0;
    for (size_t i = 0; same && i < read->location_count; i++) {
        const struct location *a = &read->locations[i], *b = &summary->locations[i];
        same = a->wall_ns == b->wall_ns && a->whole.count == b->whole.count &&
               (a->whole.count == 0 || memcmp(a->whole.cells, b->whole.cells,
                                              a->whole.count * sizeof *a->whole.cells) == 0);
    }
    OK(same, "%s: and has the same numbers", label);
    summary_free(read);
    unlink(path);
}

static void test_definitions_come_back(void)
{
    struct maker maker;
    struct error error;
    maker_example(&maker);
    struct encoder wanted[MAKER_SECTIONS] = {0};
    for (size_t kind = SECTION_METRICS; kind < SECTION_LOCATION; kind++)
        encode_bytes(&wanted[kind], maker.sections[kind].bytes, maker.sections[kind].size);
    struct made made = save(&maker);
    struct summary *summary = summary_read(made.path, &error);
    for (size_t kind = SECTION_METRICS; kind < SECTION_LOCATION; kind++) {
        struct encoder got = {0};
        encode_definitions(summary, (enum format_section)kind, &got);
        OK(got.size == wanted[kind].size &&
               memcmp(got.bytes, wanted[kind].bytes, got.size) == 0,
           "section %zu is encoded as it was read", kind);
        encoder_free(&got);
        encoder_free(&wanted[kind]);
    }
    summary_free(summary);
    close(made.memory);
}

static void test_one_summary_is_its_own_union(void)
{
    struct made made = make(maker_example);
    struct error error;
    struct summary *summary = summary_read(made.path, &error);
    const struct summary *const list[] = {summary};
    struct combined *combined = combine(list, 1);
    bool same = combined->summary->metric_count == summary->metric_count &&
                combined->summary->node_count == summary->node_count &&
                combined->summary->region_count == summary->region_count;
    for (uint32_t n = 0; same && n < summary->node_count; n++)
        same = combined->translations[0].node_of[n] == n &&
               combined->summary->nodes[n].line == summary->nodes[n].line;
    for (uint32_t m = 0; same && m < summary->metric_count; m++)
        same = combined->translations[0].metric_of[m] == m &&
               combined->translations[0].factors[m] == 1;
    OK(same, "every number stays");
    combined_free(combined);
    summary_free(summary);
    close(made.memory);
}

/* Iterations of rank 0: 2, 2, 4, 2, 2, 4 ms as they are shown; the sixth is on rank 0 only. */
static void test_scopes(void)
{
    struct made made = make(maker_example);
    struct error error;
    struct summary *summary = summary_read(made.path, &error);
    static const struct {
        uint64_t first, last, count;
        bool sum;
        long double mpi_ms; /* of both ranks */
    } cases[] = {
        {0, 0, 1, false, 0.49L + 0.49L},
        {2, 2, 1, false, 0.49L + 2 + 0.49L},
        {0, 2, 3, false, 0.49L + 2.0L / 3 + 0.49L},
        {0, 2, 3, true, 3 * 0.49L + 2 + 3 * 0.49L},
        {0, UINT64_MAX, 6, false, 0.49L + 4.0L / 6 + 5 * 0.49L / 6},
        {5, 7, 1, false, 2.49L},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct options options = everything;
        struct selection selection;
        struct scope scope;
        choose_iterations(&options, cases[i].first, cases[i].last);
        options.sum = cases[i].sum;
        OK(selection_make(&selection, summary, &options, &error) &&
               scope_make(&scope, &selection, &options, &error),
           "iterations from %u on", (unsigned)cases[i].first);
        EQ_INT(scope.count, cases[i].count, "are %u", (unsigned)cases[i].count);
        struct path_tree *tree = path_tree_build(summary);
        struct path_values *values = path_values_create(tree);
        long double sum = 0;
        scope_add_all(&scope, NULL, METRICS_INCLUSIVE, values);
        for (size_t p = 0; p < values->count; p++)
            sum += path_value(values, values->list[p], summary_metric(summary, "mpi"));
        EQ_INT((sum * 1e9L + 0.5L), (cases[i].mpi_ms * MS + 0.5L), "and take so long in MPI");
        path_values_free(values);
        path_tree_free(tree);
        selection_free(&selection);
    }
    summary_free(summary);
    close(made.memory);
}

static void test_whole_runs(void)
{
    struct made made = make(maker_example), other = make(maker_threads);
    const char *const same[] = {made.path, made.path}, *const both[] = {other.path, made.path};
    struct options options = options_of(same, 2);
    struct operands operands;
    EQ_INT(operands_read(&operands, &options, true, true), EXIT_DONE, "a run and itself");
    const struct summary *result = derive(&operands, DERIVED_DIFFERENCE);
    EQ_INT(result->location_count, 3, "have the same places");
    for (size_t i = 0; i < result->location_count; i++)
        EQ_INT(result->locations[i].whole.count, 0, "and no difference there");
    check_result(result, "A - A");
    operands_free(&operands);

    EQ_INT(operands_read(&operands, &options, false, true), EXIT_DONE, "their mean");
    result = derive(&operands, DERIVED_MEAN);
    bool equal = true;
    for (size_t i = 0; i < result->location_count; i++) {
        const struct location *a = &result->locations[i], *b = &operands.files[0]->locations[i];
        equal &= a->wall_ns == b->wall_ns && a->whole.count == b->whole.count &&
                 memcmp(a->whole.cells, b->whole.cells,
                        a->whole.count * sizeof *a->whole.cells) == 0;
    }
    OK(equal, "is the run, cell by cell");
    check_result(result, "mean(A, A)");
    operands_free(&operands);

    options = options_of(both, 2);
    EQ_INT(operands_read(&operands, &options, true, true), EXIT_DONE, "threads less processes");
    result = derive(&operands, DERIVED_DIFFERENCE);
    EQ_INT(result->location_count, 5, "have the places of both");
    EQ_INT(cell(result, 0, NODE_solve_1, "computation"), 0, "what both have is gone");
    EQ_INT(cell(result, 1, NODE_solve_1, "computation"), 4 * MS, "what only one has is there");
    check_result(result, "threads - processes");
    operands_free(&operands);

    const char *const swapped[] = {made.path, other.path};
    options = options_of(swapped, 2);
    EQ_INT(operands_read(&operands, &options, true, true), EXIT_DONE, "processes less threads");
    result = derive(&operands, DERIVED_DIFFERENCE);
    EQ_INT(cell(result, 1, NODE_solve_1, "computation"), -4 * MS, "is as much below zero");
    OK(result->locations[1].wall_ns < 0, "and so is the wall time");
    check_result(result, "processes - threads");
    operands_free(&operands);
    close(made.memory);
    close(other.memory);
}

static void test_broken_means(void)
{
    struct made made = make(maker_example);
    const char *const files[] = {made.path};
    struct options options = options_of(files, 1);
    struct operands operands;
    choose_iterations(&options, 2, 4);
    options.ranks = (struct range){0, 0};
    EQ_INT(operands_read(&operands, &options, false, true), EXIT_DONE, "iterations 2, 3 and 4");
    const struct summary *result = derive(&operands, DERIVED_MEAN);
    uint32_t bytes = summary_metric(result, "bytes_coll_out");
    EQ_INT(result->metrics[bytes].scale, 6,
           "bytes that are no whole number have decimal places");
    EQ_INT(result->metrics[summary_metric(result, "bytes")].scale, 6, "so has their sum");
    EQ_INT(result->metrics[summary_metric(result, "visits")].scale, 0, "visits have not");
    EQ_INT(result->metrics[summary_metric(result, "time")].scale, 9, "times have enough");
    /* 1600.5 of the cluster of iterations 2 and 5, and 1600 of the other two. */
    EQ_INT(cell(result, 0, NODE_allreduce_1, "bytes_coll_out"), 1600166667, "they are right");
    EQ_INT(cell(result, 0, NODE_allreduce_1, "visits"), 2, "whole numbers are whole");
    EQ_INT(cell(result, 0, NODE_allreduce_1, "mpi_collective"), 390000 + 2 * MS / 3 + 1,
           "times are rounded");
    check_result(result, "a mean");
    operands_free(&operands);
    close(made.memory);
}

static void test_ranks_that_do_not_fit(void)
{
    struct made made = make(maker_example);
    const char *const files[] = {made.path};
    struct options options = options_of(files, 1);
    struct operands operands;
    options.ranks = (struct range){1, 1};
    options.minus_ranks_given = true;
    options.minus_ranks = (struct range){0, 0};
    EQ_INT(operands_read(&operands, &options, true, true), EXIT_DONE, "rank 1 less rank 0");
    const struct summary *result = derive(&operands, DERIVED_DIFFERENCE);
    EQ_INT(result->location_count, 1, "one place");
    OK(!operands.ranks_fit && strcmp(summary_fact(result, "derived.ranks"), "summed") == 0,
       "that stands for all ranks");
    /* 5 iterations of 2 ms less 6 of 1 ms. */
    EQ_INT(cell(result, 0, NODE_solve_1, "computation"), 4 * MS, "with their difference");
    EQ_INT(result->locations[0].note_count, 1, "and the notes of both");
    check_result(result, "ranks");
    operands_free(&operands);
    close(made.memory);
}

/* The example with a counter more, in a profile of one location. */
static void make_counted(struct maker *maker)
{
    struct encoder metrics = {0};
    maker_example(maker);
    struct encoder *section = &maker->sections[SECTION_METRICS];
    struct decoder in = {section->bytes, section->size, 0, false};
    uint64_t count = decode_varint(&in);
    encode_varint(&metrics, count + 1);
    encode_bytes(&metrics, section->bytes + in.at, section->size - in.at);
    encode_string(&metrics, "CYCLES");
    encode_varint(&metrics, 0);
    encode_string(&metrics, "occ");
    encode_varint(&metrics, 0);
    encode_varint(&metrics, FORMAT_METRIC_COUNTER);
    encode_string(&metrics, "");
    encoder_free(section);
    *section = metrics;
    /* The thread that has only what is outside iterations counts 7. */
    struct encoder *place = &maker->locations[2], counted = {0};
    for (unsigned number = 0; number < 4; number++)
        encode_varint(&counted, number < 3 ? 1 : 4002); /* rank, thread, host, process */
    encode_string(&counted, "");
    encode_varint(&counted, 5 * MS);
    encode_varint(&counted, 1);
    encode_varint(&counted, 0);
    for (int i = 0; i < 2; i++) {
        encode_varint(&counted, 2);
        encode_varint(&counted, NODE_program);
        encode_varint(&counted, METRIC_computation);
        encode_signed(&counted, 5 * MS);
        encode_varint(&counted, 0);
        encode_varint(&counted, count);
        encode_signed(&counted, 7);
    }
    encode_varint(&counted, 0);
    encode_varint(&counted, 2);
    encode_string(&counted, "counter.CYCLES");
    encode_varint(&counted, 7);
    encode_string(&counted, "counter_overhead.CYCLES");
    encode_varint(&counted, 1);
    encoder_free(place);
    *place = counted;
}

static void test_joins(void)
{
    struct made plain = make(maker_example), counted = make(make_counted);
    const char *const files[] = {plain.path, counted.path};
    struct options options = options_of(files, 2);
    struct operands operands;
    EQ_INT(operands_read(&operands, &options, false, true), EXIT_DONE,
           "a run and one with a counter");
    const struct summary *result = derive(&operands, DERIVED_JOIN);
    EQ_INT(cell(result, 2, NODE_program, "computation"), 5 * MS,
           "times are those of the first");
    EQ_INT(cell(result, 2, NODE_program, "CYCLES"), 7, "the counter is that of the second");
    struct check check = check_counters(result);
    OK(check_holds(&check) && check.locations == 1, "it adds up on the thread that counted");
    text_free(&check.first);
    EQ_INT(location_cost(&result->locations[2], "counter.CYCLES"), 7, "as it is told");
    check_result(result, "a join");
    operands_free(&operands);
    close(plain.memory);
    close(counted.memory);
}

/* In a difference values may cancel out: that they are there is not told by their sum. */
static void test_metrics_that_cancel_out(void)
{
    struct metric_entry metrics[] = {{.name = "all", .parent = SUMMARY_NONE},
                                     {.name = "part", .parent = 0},
                                     {.name = "other", .parent = SUMMARY_NONE}};
    struct cell cells[] = {{0, 1, 5}, {1, 1, -5}};
    struct location location = {.whole = {cells, 2}};
    struct summary summary = {
        .metrics = metrics, .metric_count = 3, .locations = &location, .location_count = 1};
    bool *used = metrics_in_use(&summary);
    OK(used[0] && used[1] && !used[2], "metrics with values are in use");
    free(used);
}

int main(void)
{
    test_metrics_that_cancel_out();
    test_definitions_come_back();
    test_one_summary_is_its_own_union();
    test_scopes();
    test_whole_runs();
    test_broken_means();
    test_ranks_that_do_not_fit();
    test_joins();
    return tap_done();
}
