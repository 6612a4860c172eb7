/* Of the loops that processes have found the right ones are shown. */
#include "detect/choice.h"
#include "tap.h"

#include <string.h>

/* Loops of a job that took 1000: key, key of the loop around, passes, time. */
static struct loop_offers offers;

static void begin(void)
{
    offers = (struct loop_offers){.time_ns = 1000};
}

static struct loop_offer *offer(uint64_t key, uint64_t around, uint64_t passes,
                                uint64_t time_ns)
{
    struct loop_offer *new = &offers.offers[offers.count++];
    *new = (struct loop_offer){.key = key,
                               .around = around,
                               .processes = 1,
                               .least = passes,
                               .most = passes,
                               .time_ns = time_ns,
                               .begin_ns = key,
                               .certain = true};
    return new;
}

/* The keys that are chosen, as digits. */
static uint64_t chosen(void)
{
    struct loop_choice choice;
    uint64_t digits = 0;
    choice_make(&offers, &choice);
    for (uint64_t i = 0; i < choice.count; i++)
        digits = 10 * digits + choice.loops[i].key;
    return digits;
}

static void test_outermost(void)
{
    begin();
    offer(2, 1, 500, 800);
    offer(1, 0, 100, 900);
    EQ_INT(chosen(), 1, "the outer of two loops");
    begin();
    offer(1, 0, 100, 300);
    offer(2, 0, 100, 200);
    offer(3, 0, 100, 400);
    EQ_INT(chosen(), 312, "the one that takes most time, then others as they began");
    begin();
    offer(1, 0, 100, 14);
    EQ_INT(chosen(), 0, "none that takes no time");
    begin();
    offer(1, 0, 100, 900);
    offers.marked = true;
    EQ_INT(chosen(), 0, "none where there are markers");
}

static void test_repetition(void)
{
    begin();
    offer(1, 0, 4, 900);
    offer(2, 1, 400, 850);
    EQ_INT(chosen(), 2, "a loop that is only repeated four times");
    begin();
    offer(1, 0, 4, 900);
    offer(2, 1, 400, 300);
    EQ_INT(chosen(), 1, "but not one that takes little of that time");
    begin();
    offer(1, 0, 20, 900);
    struct loop_offer *steps = offer(2, 1, 200, 850);
    steps->run_least = steps->run_most = 10;
    steps->beside = true;
    EQ_INT(chosen(), 1, "an inner loop in the same function, which the code has");
    steps->certain = false;
    EQ_INT(chosen(), 2,
           "one that it is not known to have: something is done in every tenth pass");
}

/* A loop all of whose passes are in one pass of that around it. */
static void offer_command(uint64_t key, uint64_t around, uint64_t passes, uint64_t time_ns)
{
    struct loop_offer *new = offer(key, around, passes, time_ns);
    new->run_least = new->run_most = passes;
}

static void test_commands(void)
{
    begin();
    offer(1, 0, 17, 900);
    offer_command(2, 1, 699, 850);
    EQ_INT(chosen(), 2, "steps all of which are in one pass of a loop over commands");
    begin();
    offer(1, 0, 17, 900);
    offer_command(2, 1, 70, 250);
    offer_command(3, 1, 399, 300);
    offer_command(4, 1, 30, 5);
    offer(5, 3, 800, 200);
    EQ_INT(chosen(), 32, "several such computations");
    begin();
    offer(1, 0, 17, 900);
    offer(2, 1, 19, 850);
    offer_command(3, 2, 399, 800);
    EQ_INT(chosen(), 1, "commands in each pass of another loop");
    begin();
    offer(1, 0, 17, 900);
    offer_command(2, 1, 19, 850);
    offer_command(3, 2, 399, 800);
    EQ_INT(chosen(), 3, "a script that is read by another one");
    begin();
    offer(1, 0, 17, 900);
    struct loop_offer *steps = offer(2, 1, 699, 850);
    steps->run_least = 30;
    steps->run_most = 60;
    EQ_INT(chosen(), 1, "steps that are in all passes");
}

/* A loop around time steps that prints after every ten of them. */
static struct loop_offer *printed(uint64_t most, uint64_t run_least, uint64_t run_most,
                                  uint64_t time_ns)
{
    begin();
    offer(1, 0, most, 900);
    struct loop_offer *inner = offer(2, 1, 10 * most, time_ns);
    inner->run_least = run_least;
    inner->run_most = run_most;
    return inner;
}

static void test_printed(void)
{
    printed(9, 10, 10, 850);
    EQ_INT(chosen(), 2, "time steps rather than a loop that prints after every ten of them");
    printed(9, 9, 10, 850);
    EQ_INT(chosen(), 2, "one step more or less does not matter");
    printed(12, 10, 10, 850);
    EQ_INT(chosen(), 1, "not where there are many passes of the outer loop");
    printed(9, 5, 10, 850);
    EQ_INT(chosen(), 1, "nor where the number of the inner loop's varies, as a solver's does");
    printed(9, 4, 4, 850);
    EQ_INT(chosen(), 1, "nor where it is small");
    printed(9, 10, 10, 700);
    EQ_INT(chosen(), 1, "nor where the outer loop does something else as well");
}

static void test_little_time(void)
{
    begin();
    offer(1, 0, 100, 110);
    EQ_INT(chosen(), 1, "a loop that takes little of the time");
    offers.sliced = true;
    EQ_INT(chosen(), 0, "but not where slices can be shown instead");
    offer(2, 0, 100, 60);
    EQ_INT(chosen(), 12, "several loops that together take a sixth of it");
}

static void test_few_passes(void)
{
    begin();
    offer(1, 0, 2, 80);
    EQ_INT(chosen(), 1, "few long passes of a loop that the code has");
    begin();
    offer(1, 0, 2, 50);
    EQ_INT(chosen(), 0, "not if they take little of the time");
    begin();
    offer(1, 0, 2, 500);
    offer(2, 0, 40, 100);
    EQ_INT(chosen(), 2, "nor if there is a loop with more");
    begin();
    offer(1, 0, 2, 900)->certain = false;
    EQ_INT(chosen(), 0, "nor if the code is not known to have it");
    begin();
    offer(1, 0, 1, 900);
    EQ_INT(chosen(), 0, "nor a single one");
    begin();
    offer(1, 0, 2, 900);
    offer(2, 1, 100, 800);
    EQ_INT(chosen(), 2, "nor if many are inside");
}

/* Beside the main loop nothing is shown that some processes have and others may have missed. */
static void test_known_well(void)
{
    begin();
    offers.processes = 2;
    offer(1, 0, 100, 500)->missed = true;
    struct loop_offer *other = offer(2, 0, 100, 300);
    EQ_INT(chosen(), 12, "another loop of one process");
    other->missed = true;
    EQ_INT(chosen(), 1, "not if the other process may have missed it");
    other->processes = 2;
    EQ_INT(chosen(), 12, "but if both have it");
}

static void test_merge(void)
{
    begin();
    offer(1, 0, 100, 900);
    offer(2, 0, 50, 80);
    struct loop_offers others = offers;
    others.offers[0].most = others.offers[0].least = 101;
    others.offers[1].key = 3;
    choice_merge(&offers, &others);
    EQ_INT(offers.count, 3, "the same loop of two processes is one");
    EQ_INT(offers.offers[0].processes, 2, "of two processes");
    EQ_INT(offers.offers[0].least, 100, "with the least passes of both");
    EQ_INT(offers.offers[0].most, 101, "and the most");
    EQ_INT(offers.offers[0].time_ns, 1800, "and the time of both");
    EQ_INT(offers.time_ns, 2000, "out of the time of both");
    begin();
    for (uint64_t i = 1; i <= CHOICE_OFFERS_MOST; i++)
        offer(i, 0, 100, 10 + i);
    others = (struct loop_offers){.count = 1};
    others.offers[0] = (struct loop_offer){.key = 99, .time_ns = 500};
    choice_merge(&offers, &others);
    EQ_INT(offers.count, CHOICE_OFFERS_MOST, "there are no more than fit");
    EQ_INT(offers.offers[0].key, 99, "one more takes the place of the least");
}

int main(void)
{
    test_outermost();
    test_repetition();
    test_commands();
    test_printed();
    test_little_time();
    test_few_passes();
    test_known_well();
    test_merge();
    return tap_done();
}
