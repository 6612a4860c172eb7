/* How new an iteration is: planted kinds, and what is remembered of them. */
#include "trace/novelty.h"

#include "tests/unit/tap.h"

#include <string.h>

enum { COUNT = 6 };

static struct novelty novelty;

/* An iteration with these TOTALS comes; returns how new it is, in thousandths. */
static int meet(const double *totals)
{
    const double distance = novelty_of_async(&novelty, totals, COUNT);
    novelty_learn_async(&novelty, totals, COUNT, distance);
    return (int)(distance * 1000 + 0.5);
}

/* One of KIND that differs from others of its kind by PARTS in a thousand. */
static int meet_kind(unsigned kind, int parts)
{
    double totals[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        totals[i] = (1 << (kind + i) % 7) * (1 + kind) * (1 + parts / 1000.0);
    return meet(totals);
}

static void test_distances(void)
{
    const double first[COUNT] = {8, 4, 2, 0, 0, 0}, half[COUNT] = {4, 2, 1, 0, 0, 0},
                 other[COUNT] = {0, 0, 0, 3, 0, 0}, one[COUNT] = {8, 4, 1, 0, 0, 0};
    memset(&novelty, 0, sizeof novelty);
    EQ_INT(meet(first), 1000, "the first is as new as can be");
    EQ_INT(meet(first), 0, "the same is not");
    EQ_INT(meet(one), 167, "every metric that one of the two has counts alike");
    EQ_INT(meet(half), 333, "the nearest counts");
    EQ_INT(meet(other), 1000, "with nothing in common");
}

static void test_kinds(void)
{
    memset(&novelty, 0, sizeof novelty);
    bool first = true, again = true;
    for (unsigned kind = 0; kind < 5; kind++)
        first &= meet_kind(kind, 0) > 100;
    for (int i = 0; i < 100; i++)
        again &= meet_kind((unsigned)i % 5, i % 20) <= 20;
    OK(first, "the first of each kind is new");
    OK(again, "others of these kinds are not, however many there are");
    OK(meet_kind(5, 0) > 100, "one of another kind is, after all of them");
    EQ_INT(novelty.count, 6, "one of each kind is remembered");
}

static void test_latest_kinds_are_remembered(void)
{
    double totals[COUNT] = {0};
    memset(&novelty, 0, sizeof novelty);
    for (unsigned kind = 0; kind <= NOVELTY_LEADERS; kind++) {
        totals[0] = totals[0] * 2 + 1;
        totals[1] = 1e12 / totals[0];
        meet(totals);
    }
    EQ_INT(novelty.count, NOVELTY_LEADERS + 1, "there was one kind too many");
    EQ_INT(meet(totals), 0, "the latest is known");
    totals[0] = 1;
    totals[1] = 1e12;
    OK(meet(totals) > 100, "the oldest is new again");
}

static void test_what_is_not_learned_stays_new(void)
{
    const double totals[COUNT] = {1, 2, 3, 4, 5, 6};
    memset(&novelty, 0, sizeof novelty);
    OK(novelty_of_async(&novelty, totals, COUNT) > 0.99 && meet(totals) == 1000,
       "asking makes nothing old");
}

int main(void)
{
    test_distances();
    test_kinds();
    test_latest_kinds_are_remembered();
    test_what_is_not_learned_stays_new();
    return tap_done();
}
