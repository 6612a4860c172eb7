/*
 * Fuzz target: a clustering of any configuration is given any iterations, with memory that
 * fails in any way, and must keep what clustering_checks.h lists.
 *
 * The input is a header of eight bytes, then operations; see configure and the table below it.
 * Every input is tried twice, because the same must come of it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tests/unit/compress/clustering_checks.h"

enum {
    MOST_CONDENSED = 48,
    MOST_CELLS = 24,
    MOST_PATHS = 12,
    MOST_ITERATIONS = 300, /* checks take longer than that */
    MOST_CHECKS = 3,       /* in the middle */
    MOST_BYTES = 2 << 20
};

/* What is left of the input; reads 0 after its end. */
struct input {
    const uint8_t *data;
    size_t size;
};

static uint8_t take(struct input *input)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->data++;
}

static uint64_t take_wide(struct input *input)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | take(input);
    return value;
}

static struct cell_role role_of(void *context, uint32_t cell)
{
    const struct clustering_config *config = context;
    return (struct cell_role){cell % config->condensed_count, cell % 4 != 3, cell % 3 == 0};
}

/* The bytes in their order: method, equivalence, clusters, condensed values, whether cells are
 * compared and the error bound, bound of the map, in which way memory fails, and when. */
static struct clustering_config configure(struct input *input, struct counting_memory *failing)
{
    struct clustering_config config = {
        .method = clustering_methods[take(input) % CLUSTERING_METHODS].method,
        .equivalence = (enum equivalence)(take(input) % (EQUIVALENCE_SIMILAR + 1)),
    };
    uint8_t clusters = take(input);
    config.max_clusters = clusters < 192   ? clusters % 41
                          : clusters < 240 ? CLUSTERS_AUTO
                                           : 4u * clusters;
    config.auto_bytes = (size_t)clusters % 8 << 14;
    config.condensed_count = take(input) % (MOST_CONDENSED + 1);
    uint8_t cells = take(input);
    config.role = cells % 4 && config.condensed_count > 0 ? role_of : NULL;
    config.error_bound = cells % 8 > 4 ? cells / 1000.0 : 0;
    uint8_t map = take(input);
    config.map_bytes = map < 192 ? 0 : (size_t)(map - 191) * 64;
    uint8_t way = take(input), when = take(input);
    *failing = (struct counting_memory){.limit = MOST_BYTES};
    switch (way % 5) {
    case 1:
        failing->limit = 512 + 512 * (size_t)when;
        break;
    case 2:
        failing->fail_one_in = 2 + when;
        break;
    case 3:
        failing->fail_from = 1 + when;
        failing->fail_to = failing->fail_from + way / 5;
        break;
    case 4:
        failing->fail_from = 1 + when;
        failing->fail_to = UINT64_MAX;
        break;
    }
    return config;
}

struct iteration {
    uint32_t cells[MOST_CELLS];
    int64_t values[MOST_CELLS];
    struct path_entry paths[MOST_PATHS];
    double condensed[MOST_CONDENSED];
    struct iteration_profile
        profile; /* its counts, duration and samples; pointers are set when used */
};

struct session {
    struct input input;
    struct checked checked;
    struct iteration now;
    unsigned checks;
};

static int64_t take_value(struct input *input, bool odd)
{
    int64_t value = odd ? (int64_t)take_wide(input) : (int64_t)take(input) - 64;
    return value ? value : 1;
}

static void take_cells(struct input *input, struct iteration *it, bool odd)
{
    size_t count = take(input) % (MOST_CELLS + 1);
    uint32_t cell = 0;
    for (size_t c = 0; c < count; c++) {
        uint32_t step = 1 + take(input) % 8;
        it->cells[c] = cell += step;
        it->values[c] = take_value(input, odd);
    }
    if (odd && count > 0)
        it->cells[count - 1] = UINT32_MAX;
    it->profile.cell_count = count;
}

/* A byte for each: how far from the last one, its kind and its visits. */
static void take_paths(struct input *input, struct iteration *it, bool odd)
{
    size_t count = take(input) % (MOST_PATHS + 1);
    uint32_t path = 0;
    for (size_t p = 0; p < count; p++) {
        uint8_t byte = take(input);
        path += 1 + byte % 2;
        it->paths[p] = (struct path_entry){path, (byte >> 1) % 3, byte >> 4};
        if (odd)
            it->paths[p].visits = (int64_t)take_wide(input);
    }
    it->profile.path_count = count;
}

static double odd_double(struct input *input)
{
    static const double table[] = {NAN,     INFINITY, -INFINITY, 1.79e308, -1.79e308, 5e-324,
                                   -1e-310, -0.0,     1e300,     -1e300,   9.3e18,    1e-200};
    uint8_t byte = take(input);
    double value;
    if (byte < sizeof(table) / sizeof(table[0]))
        return table[byte];
    uint64_t bits = take_wide(input);
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Two bytes choose all values, so that inputs stay short; odd ones come one by one. */
static void take_condensed(struct input *input, struct iteration *it, bool odd)
{
    uint32_t state = 1 + take(input), unlike = take(input);
    for (uint32_t k = 0; k < MOST_CONDENSED; k++) {
        state = state * 1664525 + 1013904223;
        it->condensed[k] = (double)(state >> 24) + (k == unlike % MOST_CONDENSED ? unlike : 0);
    }
    for (uint8_t left = odd ? take(input) % 8 : 0; left > 0; left--)
        it->condensed[take(input) % MOST_CONDENSED] = odd_double(input);
}

static void add(struct session *session)
{
    struct iteration *it = &session->now;
    it->profile.cells = it->cells;
    it->profile.values = it->values;
    it->profile.paths = it->paths;
    it->profile.condensed = it->condensed;
    checked_add(&session->checked, &it->profile);
}

static void take_iteration(struct session *session, bool odd)
{
    take_cells(&session->input, &session->now, odd);
    take_paths(&session->input, &session->now, odd);
    take_condensed(&session->input, &session->now, odd);
    session->now.profile.wall_ns = take_value(&session->input, odd);
}

static void add_new(struct session *session)
{
    take_iteration(session, false);
    add(session);
}

static void add_odd(struct session *session)
{
    take_iteration(session, true);
    add(session);
}

static void add_again(struct session *session)
{
    for (uint8_t left = 1 + take(&session->input) % 16; left > 0; left--)
        add(session);
}

/* The same call tree and cells, other numbers. */
static void add_similar(struct session *session)
{
    struct iteration *it = &session->now;
    take_condensed(&session->input, it, false);
    for (size_t c = 0; c < it->profile.cell_count; c++)
        it->values[c] = (int64_t)((uint64_t)it->values[c] * 31 + c);
    add(session);
}

static void add_other_tree(struct session *session)
{
    take_paths(&session->input, &session->now, false);
    add(session);
}

static void skip(struct session *session)
{
    uint8_t byte = take(&session->input);
    checked_skip(&session->checked, byte < 192 ? byte : UINT64_C(1) << (byte - 192) % 40);
}

static void check(struct session *session)
{
    if (session->checks++ < MOST_CHECKS)
        checked_check(&session->checked);
}

static void (*const operations[])(struct session *) = {
    add_new, add_similar, add_other_tree, add_again, add_odd, skip, check, add_similar};

static bool run(struct session *session, const uint8_t *data, size_t size)
{
    struct counting_memory failing;
    *session = (struct session){.input = {data, size}};
    struct clustering_config config = configure(&session->input, &failing);
    config.role_context = &session->checked.config;
    if (!checked_start(&session->checked, &config, &failing))
        return false;
    while (session->input.size > 0 && session->checked.history.count < MOST_ITERATIONS)
        operations[take(&session->input) % (sizeof(operations) / sizeof(operations[0]))](
            session);
    checked_check(&session->checked);
    checked_finish(&session->checked);
    checked_check(&session->checked);
    return true;
}

static void end(struct session *session)
{
    const char *fault = checked_end(&session->checked);
    if (!fault)
        return;
    fprintf(stderr, "fuzz_clustering: %s\n", fault);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct session first, second;
    if (run(&first, data, size) & run(&second, data, size))
        checked_compare(&first.checked, &second.checked);
    end(&first);
    end(&second);
    return 0;
}
