/* What is given up where looking for loops takes too much, and what is not lost by it. */
#include "detect/loop_text.h"
#include "detect/recogniser.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

/* What is irregular deep inside costs too much; the main loop is not lost by it. */
static void test_lessen(void)
{
    const char *text = "M:x400(aFs)y F:9(?(G)b?(H)) G:9~(?(c)H?(d)) H:9~(?(e)f?(g))";
    simulate(text, true, 1);
    const uint64_t place = place_in(text, 0), slow = world.slow;
    conditions.lessen_after = slow / 20;
    simulate(text, true, 1);
    conditions.lessen_after = 0;
    OK(!world.broken, "looking less deep: verdicts fit together");
    EQ_INT(cut_at(place), world.truth[place] - 1, "and the main loop is cut all the same");
    if (!OK(world.slow < slow / 4, "for a quarter of the cost"))
        printf("# %llu of %llu\n", (unsigned long long)world.slow, (unsigned long long)slow);
    conditions.lessen_after = 1;
    simulate(text, true, 1);
    conditions.lessen_after = 0;
    OK(!world.broken && world.open_count == 0, "looking at nothing at all: no loop is open");
}

/* A loop that makes one call, whose passes differ further in only, is kept if that is wanted.
 */
static void test_kept(void)
{
    const char *text = "M:x400(F)y F:G G:H H:b9~(?(c)?(d))e";
    simulate(text, true, 1);
    const uint64_t place = place_in(text, 0);
    conditions.lessen_after = world.slow / 40;
    simulate(text, true, 1);
    OK(cut_at(place) < 399, "where it is looked less deep its passes look like one");
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial && place_of(loops_get(&world.loops, i)) == place)
            OK(loops_get(&world.loops, i)->missed, "which is known");
    conditions.kept_place = place;
    simulate(text, true, 1);
    OK(!world.broken, "a loop is kept: verdicts fit together");
    EQ_INT(cut_at(place), 399, "and it is looked as deep as that takes");
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial && place_of(loops_get(&world.loops, i)) == place)
            OK(!loops_get(&world.loops, i)->missed, "so nothing is missed");
    conditions.lessen_after = conditions.kept_place = 0;
}

/* Where nothing more can be given up for the sake of a loop, nothing is forgotten. */
static void test_nothing_to_give_up(void)
{
    const char *text = "M:x4000(F)y F:G G:bcdefghijklmnopqrstuvw9~(?(c)?(d))e";
    simulate(text, true, 1);
    const uint64_t slow = world.slow;
    conditions.kept_place = place_in(text, 0);
    conditions.lessen_after = 60;
    simulate(text, true, 1);
    conditions.lessen_after = conditions.kept_place = 0;
    EQ_INT(world.relearnt, 0, "nothing is learnt again");
    OK(world.slow < slow + slow / 20, "which takes no more looks: %llu rather than %llu",
       (unsigned long long)world.slow, (unsigned long long)slow);
}

/* Later passes of a loop that is kept are told apart further in than those before. */
static void test_needs_more(void)
{
    const char *text = "M:2(x400(W)z)y W:F1&100:0(b) F:G G:H H:9~(?(c)?(d))e";
    simulate(text, true, 1);
    const uint64_t place = strstr(text, "400") - text + 3;
    conditions.kept_place = place;
    conditions.lessen_after = 120;
    conditions.deepen_at = 'z';
    simulate(text, true, 1);
    conditions.lessen_after = conditions.kept_place = 0;
    conditions.deepen_at = 0;
    const struct loop *loop = known_loop(place);
    OK(!world.broken && loop, "a loop that needs more later: verdicts fit together");
    OK(cut_at(place) >= 790 || (loop && loop->missed),
       "%d of 800 passes are cut, and it is known that some may be missed", (int)cut_at(place));
}

/* There is no room for a loop time and again, and then it becomes the longest. */
static void test_left_out(void)
{
    const char *text = "M:x9(AB)y A:3&8:5000(c) B:30(a)30(b)30(c)30(d)30(e)30(f)30(g)30(h)30(i)"
                       "30(j)30(k)30(l)30(m)30(n)";
    simulate(text, true, 1);
    OK(!world.broken, "loops that are left out: verdicts fit together");
    OK(cut_at(place_in(text, 1)) >= 4900,
       "the one that becomes the longest is known: %d of 5024", (int)cut_at(place_in(text, 1)));
}

/* What comes in no order takes so much that only the outermost calls are looked at. */
static void test_deepen(void)
{
    const char *text = "M:WxT W:999(?(c)H?(d)) H:9~(?(e)f?(g)) T:yU U:zV V:200(ahks)";
    simulate(text, true, 1);
    conditions.lessen_after = world.slow / 20;
    simulate(text, true, 1);
    const uint64_t place = strstr(text, "200") - text + 3;
    EQ_INT(cut_at(place), 0, "a loop further in is not found then");
    conditions.deepen_at = 'z';
    simulate(text, true, 1);
    conditions.lessen_after = 0;
    conditions.deepen_at = 0;
    OK(!world.broken, "looking deeper again: verdicts fit together");
    EQ_INT(cut_at(place), 199, "but if it is looked deeper again before it comes");
}

/* Nothing is looked at for a while, in a loop some of whose passes make no calls. */
static void test_look_away(void)
{
    const char *text = "M:x400(?(F)) F:ab";
    const uint64_t place = strstr(text, "400") - text + 3;
    conditions.counts = true;
    simulate(text, true, 1);
    const struct loop *loop = known_loop(place);
    OK(loop && !loop->missed && loop->passes > 390, "counted, all passes are known");
    conditions.away_at = 101;
    conditions.back_at = 201;
    simulate(text, true, 1);
    conditions.away_at = conditions.back_at = 0;
    conditions.counts = false;
    loop = known_loop(place);
    OK(!world.broken && loop, "not looking for a while: verdicts fit together");
    OK(loop && loop->missed, "a loop that comes again is known to have been missed");
    OK(loop && loop->passes <= world.truth[place] && loop->passes > 200,
       "no pass counts twice: %d of %d", loop ? (int)loop->passes : 0, (int)world.truth[place]);
}

int main(void)
{
    test_lessen();
    test_kept();
    test_nothing_to_give_up();
    test_needs_more();
    test_left_out();
    test_deepen();
    test_look_away();
    return tap_done();
}
