/*
 * Threads that follow the iterations of one that leads: its borders are crossed exactly where
 * they lie, however late the follower looks, by calls and samples alike.
 */
#include "iterations/follow.h"

#include "iterations/iterations.h"

#include "tap.h"
#include "tests/unit/libprof/timed_thread.h"

static struct thread *leader, *follower;

/* An iteration of the leading thread that takes NS, and PAUSE_NS after it. */
static void lead(int64_t ns, int64_t pause_ns)
{
    timed_begin(leader, "step", true);
    timed_pass(ns);
    timed_end(leader, "step");
    timed_pass(pause_ns);
}

static uint64_t followed(void)
{
    return iteration_count_async(follower, 0);
}

/* The follower's time in iterations, and outside of all. */
static int64_t inside_ns(void)
{
    level_settle_all_async(follower);
    return timed_times(follower, &follower->closed);
}

static int64_t outside_ns(void)
{
    level_settle_all_async(follower);
    return timed_times(follower, &follower->outside);
}

static void test_borders_are_crossed_where_they_lie(void)
{
    timed_pass(7);
    lead(100, 11);
    lead(300, 13);
    EQ_INT(follower->last_ns, follower->begin_ns, "the follower has not looked yet");
    timeline_come(follower, timed_pass(0));
    EQ_INT(followed(), 2, "when it looks it has been in two iterations");
    iteration_flush_queue_async(follower);
    EQ_INT(inside_ns(), 400, "to the nanosecond");
    EQ_INT(outside_ns(), 7 + 11 + 13, "and outside for the rest");
    EQ_INT(follower->followed, 0, "none is open");
    const struct series *series = &follower->iterations->series[0];
    EQ_INT(series->follows, 0, "it gathers them as those of the leading thread's series");
    OK(series->phase == leader->iterations->series[0].phase, "of the same phase");
}

static void test_the_handler_crosses_them(void)
{
    const int64_t inside = inside_ns(), outside = outside_ns();
    timed_pass(5);
    timed_begin(leader, "step", true);
    timed_pass(20);
    OK(timeline_come_async(follower, timed_pass(0)), "a sample falls into an iteration");
    EQ_INT(follower->followed, 1, "which is open then");
    EQ_INT(follower->level->begin_ns, timed_pass(0) - 20, "since the border");
    timed_pass(30);
    timed_end(leader, "step");
    timed_pass(9);
    OK(timeline_come_async(follower, timed_pass(0)), "another one falls after it");
    EQ_INT(inside_ns() - inside, 50, "time is divided at both borders");
    EQ_INT(outside_ns() - outside, 5 + 9, "on both sides");
}

static void test_calls_are_divided(void)
{
    const int64_t mpi = timed_sum(follower, &follower->closed, METRIC_mpi_other),
                  outside = timed_sum(follower, &follower->outside, METRIC_mpi_other);
    const uint64_t before = followed();
    /* The call of the follower begins 40 before the iteration and ends 60 after it. */
    const int64_t now = timed_pass(0);
    timed_pass(40);
    lead(200, 0);
    timed_pass(now - timed_pass(0));
    timed_call(follower, CALL_MPI_Comm_size, 300, 0);
    EQ_INT(followed(), before + 1, "has an iteration in it");
    EQ_INT(timed_sum(follower, &follower->closed, METRIC_mpi_other) - mpi, 200,
           "which has its part");
    EQ_INT(timed_sum(follower, &follower->outside, METRIC_mpi_other) - outside, 100,
           "as has what is around it");
}

static void test_phases_of_its_own_come_first(void)
{
    const uint64_t before = followed();
    const int64_t inside = inside_ns();
    timed_begin(follower, "solve", false);
    OK(follow_is_occupied_async(follower), "a phase of its own is open");
    lead(100, 10);
    timeline_come(follower, timed_pass(0));
    EQ_INT(follower->next_border, borders_count - 2, "it crosses no border meanwhile");
    timed_end(follower, "solve");
    timed_pass(3);
    timeline_come(follower, timed_pass(0));
    EQ_INT(follower->next_border, borders_count, "but when that has ended");
    EQ_INT(inside_ns(), inside, "too late to be in the iteration");
    EQ_INT(followed(), before, "of which it has no profile rather than an empty one");
}

static void test_a_newcomer_joins(void)
{
    timed_begin(leader, "step", true);
    timed_pass(10);
    const struct follow_place place = follow_place(leader);
    EQ_INT(place.count, 1, "who leads is in one iteration");
    EQ_INT(place.open[0].iteration, iteration_count_async(leader, 0), "with its number");
    struct thread *newcomer = timed_attach();
    follow_join(newcomer, &place);
    EQ_INT(newcomer->followed, 1, "a new thread takes part in it");
    timed_pass(15);
    timed_end(leader, "step");
    timed_pass(4);
    timeline_come(newcomer, timed_pass(0));
    iteration_flush_queue_async(newcomer);
    EQ_INT(timed_times(newcomer, &newcomer->closed), 15, "from its first instant on");
    EQ_INT(iteration_count_async(newcomer, 0), place.open[0].iteration + 1,
           "in the iteration of that number");
    EQ_INT(follow_place(NULL).count, 0, "an unmeasured thread is in none");
}

static void test_lost_borders(void)
{
    timeline_come(follower, timed_pass(0));
    const uint64_t before = followed();
    OK(!(follower->notes >> NOTE_BORDERS_LOST & 1), "no border has been lost");
    for (int i = 0; i < BORDERS_KEPT / 2 + 1; i++)
        lead(10, 1);
    timeline_come(follower, timed_pass(0));
    OK(follower->notes >> NOTE_BORDERS_LOST & 1, "who looks too late has lost borders");
    EQ_INT(followed(), before, "and has no profile of those iterations");
    const int64_t inside = inside_ns();
    lead(10, 1);
    timeline_come(follower, timed_pass(0));
    EQ_INT(inside_ns() - inside, 10, "but of the next one");
    EQ_INT(followed(), iteration_count_async(leader, 0), "which has its right number");
}

static void test_who_marks_does_not_follow(void)
{
    const int64_t total = inside_ns() + outside_ns();
    timed_begin(follower, "own", true);
    EQ_INT(follower->next_border, BORDERS_NEVER, "who marks iterations leaves");
    EQ_INT(inside_ns(), 0, "what it did in those of the leading thread");
    EQ_INT(outside_ns(), total, "is outside now");
    timed_pass(25);
    lead(10, 1);
    timed_end(follower, "own");
    timed_stop(follower);
    EQ_INT(inside_ns(), 25 + 11, "its own iteration is all that it has");
    EQ_INT(timed_total(follower), follower->end_ns - follower->begin_ns,
           "computation, MPI and overhead are the wall time");
}

int main(void)
{
    timed_start();
    leader = timed_attach();
    follower = timed_attach();
    test_borders_are_crossed_where_they_lie();
    test_the_handler_crosses_them();
    test_calls_are_divided();
    test_phases_of_its_own_come_first();
    test_a_newcomer_joins();
    test_lost_borders();
    test_who_marks_does_not_follow();
    return tap_done();
}
