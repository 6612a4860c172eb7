/* Ranks that stand out, all the time or by turns, are found, and others are not. */
#include "tap.h"
#include "tests/unit/utils/findings/findings_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct made_iteration slow_rank(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)iteration;
    struct made_iteration made = flat(random);
    made.solve *= rank == 5 ? 1.3 : 1;
    return made;
}

static void test_a_slow_rank(void)
{
    for (uint32_t ranks = 6; ranks <= 40; ranks += 17) {
        struct found found = found_made(ranks, 300, slow_rank, 1);
        const struct finding *finding = found_only(&found, FINDING_SLOW_RANKS, "a slow rank");
        if (finding) {
            OK(is_on(finding, 5) && is_range(&finding->iterations[0], 0, 299), "which");
            OK(is_about(finding->value, 0.013, 0.05) && is_about(finding->usual, 0.01, 0.05),
               "by how much");
            OK(is_about(finding->excess, 300 * 0.003, 0.1), "how much it is in all");
            OK(has_cause(&found, finding, "computation", "solve", 3), "why");
            OK(says(finding, "Rank 5 computes 30 % longer than the middle rank ("), "in words");
        }
        found_forget(&found);
    }
}

/* Two ranks that have as much more in one function, and one in another. */
static struct made_iteration other_causes(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)iteration;
    struct made_iteration made = flat(random);
    made.solve += rank == 2 || rank == 5 ? 3 * MS : 0;
    made.write += rank == 7 ? 3.5 * MS : 0;
    return made;
}

static void test_each_cause_is_told(void)
{
    struct found found = found_made(12, 300, other_causes, 1);
    bool write = false, solve = false;
    for (size_t i = 0; i < found.findings->count; i++) {
        const struct finding *finding = &found.findings->list[i];
        write = write || (is_on(finding, 7) &&
                          has_cause(&found, finding, "computation", "write<int>", 3.5));
        solve = solve ||
                (finding->rank_count == 2 && finding->ranks[0] == 2 && finding->ranks[1] == 5 &&
                 has_cause(&found, finding, "computation", "solve", 3));
    }
    found_show(&found);
    OK(write && solve && found.findings->count == 2,
       "of ranks that have more for different reasons each has its own, others have one");
    found_forget(&found);
}

static struct made_iteration second_of_two(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= rank == 1 && iteration >= 100 && iteration < 250 ? 1.5 : 1;
    return made;
}

static void test_a_slow_rank_for_a_while(void)
{
    const struct finding *finding;
    struct found found = found_made(2, 600, second_of_two, 1);
    found_show(&found);
    if (found_kind(&found, FINDING_SLOW_RANKS, &finding)) {
        OK(is_on(finding, 1) && finding->range_count == 1 &&
               is_range(&finding->iterations[0], 100, 249),
           "which, and when");
        OK(says(finding,
                "Rank 1 computes 50 % longer than the middle rank in iterations 100-249"),
           "in words");
    }
    found_forget(&found);
}

static struct made_iteration with_output(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = second_of_two(rank, iteration, random);
    made.send = 8 * MS;
    return made;
}

/* All ranks write for long: that is no computation. */
static void test_output_moves_no_borders(void)
{
    const struct finding *finding;
    struct found found = found_make(2, 600, with_output, 1);
    uint32_t io = summary_metric(&found.made->summary, "mpi_io");
    for (uint32_t r = 0; r < 2; r++)
        for (size_t i = 0; i < 600; i++) {
            struct profile *sums = &found.made->summary.locations[r].series->clusters[i].sums;
            for (size_t c = 0; c < sums->count; c++)
                if (sums->cells[c].node == MADE_wait && sums->cells[c].metric != 0)
                    sums->cells[c].metric = io;
        }
    found_in(&found, "time");
    found_show(&found);
    if (found_kind(&found, FINDING_SLOW_RANKS, &finding))
        OK(is_range(&finding->iterations[0], 100, 249), "when");
    found_forget(&found);
}

static struct made_iteration moving(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= rank == iteration / 100 % 4 ? 1.6 : 1;
    return made;
}

static void test_a_hot_rank_that_moves(void)
{
    struct found found = found_made(4, 500, moving, 1);
    const struct finding *finding =
        found_only(&found, FINDING_MOVING_RANK, "a hot rank that moves");
    if (finding) {
        EQ_INT(finding->part_count, 5, "how often");
        for (uint32_t i = 0; i < finding->part_count; i++)
            OK(finding->parts[i].rank == i % 4 &&
                   is_range(&finding->parts[i].iterations, 100 * i, 100 * i + 99),
               "place %u", i);
        EQ_INT(finding->rank_count, 4, "all ranks that it is on");
        OK(is_about(finding->excess, 500 * 0.006, 0.1), "how much it is in all");
        OK(says(finding, "changes: rank 0 in 0-99, rank 1 in 100-199, "), "in words");
    }
    found_forget(&found);
}

/* The last of them has much more than the others had. */
static struct made_iteration moving_unequally(uint32_t rank, uint64_t iteration,
                                              uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= rank != iteration / 100 % 4 ? 1 : iteration >= 400 ? 2.5 : 1.3;
    return made;
}

static void test_the_cause_is_as_large_as_the_difference(void)
{
    struct found found = found_made(4, 500, moving_unequally, 1);
    const struct finding *finding;
    if (found_kind(&found, FINDING_MOVING_RANK, &finding))
        OK(is_about(finding->cause.value, finding->value - finding->usual, 0.05),
           "of unequal parts the cause is what they have more in the mean");
    found_show(&found);
    found_forget(&found);
}

/* A hump that goes through the ranks and round. */
static struct made_iteration hump(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    double distance = fabs((double)rank - (double)iteration / 20);
    distance = fmin(distance, 16 - distance);
    made.solve *= 1 + 0.6 * exp(-distance * distance / 4);
    return made;
}

static void test_a_hump_that_moves(void)
{
    struct found found = found_made(16, 320, hump, 1);
    const struct finding *finding = found_only(&found, FINDING_MOVING_RANK, "a hump");
    unsigned near = 0;
    for (size_t i = 0; finding && i < finding->part_count; i++) {
        double middle =
            (double)(finding->parts[i].iterations.first + finding->parts[i].iterations.last) /
            40;
        double distance = fabs(middle - finding->parts[i].rank);
        near += fmin(distance, 16 - distance) < 1.6;
    }
    if (finding)
        EQ_INT(near, finding->part_count, "on ranks that have most then");
    found_forget(&found);
}

static struct made_iteration two_at_once(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= (rank == 1 || rank == 4) && iteration < 320 ? 1.5 : 1;
    return made;
}

static void test_ranks_at_once_do_not_move(void)
{
    const struct finding *finding;
    struct found found = found_made(8, 500, two_at_once, 1);
    found_show(&found);
    if (found_kind(&found, FINDING_SLOW_RANKS, &finding))
        OK(finding->rank_count == 2 && finding->ranks[0] == 1 && finding->ranks[1] == 4 &&
               is_range(&finding->iterations[0], 0, 319),
           "both together");
    found_forget(&found);
}

static struct made_iteration in_turn(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= rank == iteration % 6 ? 1.6 : 1;
    return made;
}

static void test_a_hot_rank_in_turn(void)
{
    struct found found = found_made(6, 500, in_turn, 1);
    const struct finding *finding = found_only(&found, FINDING_MOVING_RANK, "ranks in turn");
    if (finding) {
        EQ_INT(finding->period, 6, "after how many iterations");
        OK(finding->part_count == 12 && finding->parts[3].rank == 3, "in which order");
    }
    found_forget(&found);
}

static struct made_iteration unequal(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)iteration;
    struct made_iteration made = flat(random);
    made.solve *= 1 + rank / 16.0;
    return made;
}

static void test_unequal_shares(void)
{
    struct found found = found_made(16, 300, unequal, 1);
    const struct finding *finding =
        found_only(&found, FINDING_IMBALANCE, "shares that rise with rank");
    if (finding) {
        OK(is_about(finding->value, (1.9375 - 1.46875) / 1.9375 * 16 / 15, 0.03),
           "by how much");
        OK(finding->rank_count == 4 && finding->ranks[3] == 15, "who has most");
    }
    found_forget(&found);
}

static struct made_iteration growing(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    double more = rank == 2 ? 3 : rank == 3 ? -1 : -0.5;
    made.solve *= 1 + 0.2 * more * (double)iteration / 400;
    return made;
}

static void test_growing_imbalance(void)
{
    const struct finding *finding;
    struct found found = found_made(6, 400, growing, 1);
    found_show(&found);
    if (found_kind(&found, FINDING_GROWING_IMBALANCE, &finding)) {
        OK(finding->usual < 0.07 && is_about(finding->value, 0.42, 0.1), "from and to");
        OK(says(finding, "The imbalance of computation grows from "), "in words");
    }
    found_forget(&found);
}

static struct made_iteration with_master(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)iteration;
    struct made_iteration made = flat(random);
    made.solve *= rank == 0 ? 0.02 : 1;
    return made;
}

static void test_an_idle_rank(void)
{
    struct found found = found_made(8, 100, with_master, 1);
    const struct finding *finding = found_only(&found, FINDING_IDLE_RANKS, "a master");
    if (finding)
        OK(is_on(finding, 0) && says(finding, "Rank 0 has little computation (") &&
               is_about(finding->excess, 100 * 0.0098, 0.05) && finding->share > 0.8,
           "which, and what it has less");
    found_forget(&found);
}

static void test_json(void)
{
    struct found found = found_made(16, 300, unequal, 1);
    char *bytes = found_json(&found);
    OK(strstr(bytes, "{\"kind\":\"imbalance\"") && strstr(bytes, "\"unit\":\"share\","),
       "imbalances are shares");
    free(bytes);
    found_forget(&found);
}

int main(void)
{
    test_a_slow_rank();
    test_each_cause_is_told();
    test_a_slow_rank_for_a_while();
    test_output_moves_no_borders();
    test_a_hot_rank_that_moves();
    test_the_cause_is_as_large_as_the_difference();
    test_a_hump_that_moves();
    test_ranks_at_once_do_not_move();
    test_a_hot_rank_in_turn();
    test_unequal_shares();
    test_growing_imbalance();
    test_an_idle_rank();
    test_json();
    return tap_done();
}
