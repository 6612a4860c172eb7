/*
 * Passes that the program's own counts tell, and loops that are found though counts and answers
 * about the machine code come late.
 */
#include "detect/loop_checks.h"
#include "detect/recogniser.h"

#include <string.h>

/* Passes that calls do not tell, but the program's own count. */
static void test_counted(void)
{
    conditions.counts = true;
    is_cut("all calls are from a loop inside", "M:x400(5(s))y", 0, true);
    is_cut("from one further inside", "M:x400(5(3(ab)))y", 0, true);
    is_cut("in two functions", "M:x400(5(F))y F:abs", 0, true);
    is_cut("not in every pass", "M:x301(%3(4(s)))y", 0, true);
    is_cut("often, before the next pass", "M:x50(500(s))y", 0, true);
    is_cut("often, and from functions", "M:x50(100(F))y F:9(ab)", 0, true);
    is_cut("nine of ten passes make no calls", "M:x991(%10(abs))y", 0, true);
    is_cut("passes make calls by chance", "M:x1000(?(abs)?(rs))s", 0, true);
    is_cut("most of them, but not in a function", "M:x500(F)s F:?(a)?(b)", 0, true);
    is_cut("now and then a function is left out", "M:x298(%3(F)%7(G)%50(H))s F:ab G:rs H:c", 0,
           true);
    simulate("M:x5000(abs)y", true, 1);
    OK(world.asked < 400, "a loop of which nothing is missed is seldom asked");
    conditions.spare_after = 300;
    simulate("M:x9991(%10(abs)?(r))ab", true, 1);
    conditions.spare_after = 0;
    uint64_t cut = cut_at(place_in(world.text, 0));
    OK(cut <= 9991 && cut > 9900, "where counts are read less often few passes are lost");
    EQ_INT(world.spared, 1, "once");
    conditions.spare_after = 300;
    simulate("M:x3000(5(s))y", true, 1);
    conditions.spare_after = 0;
    cut = cut_at(place_in(world.text, 0));
    OK(cut <= 3000 && cut > 2900, "nor of a loop around the one that makes all calls");
    simulate("M:x100(%10(abs))y", true, 1);
    spare();
    loops_spare_not(&world.loops, 0);
    OK(!loops_get(&world.loops, 0)->spared, "and as often as before once it is to be so");
    conditions.counts = false;
    simulate("M:x1000(%10(abs))y", true, 1);
    EQ_INT(cut_at(place_in(world.text, 0)), 99, "without a count they are not known");
}

/* Where it takes some calls to find out how a loop is counted. */
static void test_counted_late(void)
{
    conditions.counts = true;
    conditions.counts_late = 60;
    is_cut("counts come late: all calls are from a loop inside", "M:x400(5(s))y", 0, true);
    is_cut("from one further inside", "M:x400(5(3(ab)))y", 0, true);
    is_cut("nine of ten passes make no calls", "M:x991(%10(abs))y", 0, true);
    is_cut("passes make calls by chance", "M:x1000(?(abs)?(rs))s", 0, true);
    const struct loop *loop = known_loop(place_in(world.text, 0));
    OK(loop && loop->missed, "passes that came before the first call may have come after it");
    simulate("M:x5000(abs)y", true, 1);
    OK(world.asked < 400, "a loop of which nothing is missed is seldom asked then");
    is_cut("only the last of each six", "M:x100(abF)y F:6(>4(rs))", 0, true);
    const uint64_t cut = cut_at(place_in(world.text, 1));
    OK(cut <= 600 && cut > 500, "those before the first call of a later run are known");
    conditions.counts_late = UINT64_MAX;
    simulate("M:x1000(%10(abs))y", true, 1);
    EQ_INT(cut_at(place_in(world.text, 0)), 99, "where they never come calls tell");
    conditions.counts_late = 0;
    conditions.counts = false;
}

/* Where there is no time to read the code at first: what came until then is not seen. */
static void test_late(void)
{
    conditions.late_for = 60;
    simulate("M:x200(aF)y F:5(b)s", true, 1);
    const uint64_t cut = cut_at(place_in(world.text, 0));
    OK(!world.broken, "verdicts fit together where answers are late");
    OK(cut < 199 && cut > 180, "passes are found once they are there");
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial)
            OK(loops_get(&world.loops, i)->partly, "and that there were more is known");
    conditions.late_for = UINT64_MAX;
    simulate("M:x200(aF)y F:5(b)s", true, 1);
    EQ_INT(cut_at(place_in(world.text, 0)), 0, "nothing is found where they never come");
    conditions.late_for = 0;
}

/* Where the code of a function further in is late, loops further out are found all the same. */
static void test_late_further_in(void)
{
    const char *text = "M:x2(300(aE)y)z E:bF F:5(c)s";
    const uint64_t outer = place_in(text, 1), inner = place_in(text, 2);
    conditions.late_function = 'F';
    simulate(text, true, 1);
    OK(!world.broken, "part of the code is late: verdicts fit together");
    EQ_INT(cut_at(outer), 599, "the loop around is cut");
    OK(world.slow < world.calls / 3, "and calls further in are not looked at again and again");
    OK(loops_is_waiting(&world.loops), "although it is waited for them");
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial && place_of(loops_get(&world.loops, i)) == outer)
            OK(!loops_get(&world.loops, i)->missed, "no pass of it can have been missed");
    EQ_INT(cut_at(inner), 0, "the one inside is not known");
    conditions.again_at = 'y';
    simulate(text, true, 1);
    conditions.again_at = conditions.late_function = 0;
    OK(!world.broken, "it is there later: verdicts fit together");
    OK(cut_at(inner) >= 300 * 4, "then the one inside is cut, %d times", (int)cut_at(inner));
    EQ_INT(cut_at(outer), 599, "and the one around as before");
}

/* Whether passes of the loop at PLACE may have been missed. */
static bool is_missed(uint64_t place)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&world.loops, i);
        if (loop->serial && place_of(loop) == place && (loop->missed || loop->partly))
            return true;
    }
    return false;
}

static void simulate_soon(const char *text, char function, uint64_t calls)
{
    conditions.late_function = function;
    conditions.soon_for = calls;
    simulate(text, true, 1);
    conditions.late_function = 0;
    conditions.soon_for = 0;
    OK(!world.broken, "%s: verdicts fit together", text);
}

/* Where the code of a function is being read, it is known afterwards what was missed meanwhile.
 */
static void test_soon(void)
{
    const char *once = "M:x300(F)y F:abcdefgh", *loop = "M:x300(F)y F:a4(b)c",
               *beside = "M:x300(aF)y F:bcd E:f", *deep = "M:x300(F)y F:aGb G:cd4(E)f E:gh";
    simulate_soon(once, 'F', 5);
    OK(cut_at(place_in(once, 0)) == 299 && !is_missed(place_in(once, 0)),
       "no pass is missed while the function's first calls come");
    simulate_soon(once, 'F', 12);
    OK(is_missed(place_in(once, 0)), "but if it may have been called again");
    simulate_soon(once, 'F', 200);
    OK(is_missed(place_in(once, 0)), "or too much has come");
    simulate_soon(beside, 'F', 7);
    OK(cut_at(place_in(beside, 0)) == 299 && is_missed(place_in(beside, 0)),
       "or it has, though another call told so");
    simulate_soon(loop, 'F', 3);
    OK(!is_missed(place_in(loop, 0)), "a loop in it does not hide one around it");
    OK(is_missed(place_in(loop, 1)), "but has passes that were missed");
    simulate_soon(deep, 'F', 8);
    OK(!is_missed(place_in(deep, 0)), "nor do functions further in");
    OK(is_missed(place_in(deep, 1)), "whose loops are missed");
}

/* A loop becomes known by a call whose code further in is late. */
static void test_news_while_late(void)
{
    const char *text = "M:x300(wP)y P:a1&5:2(G)q G:0&2:1(H)1&2:0(b) H:cd";
    const uint64_t inner = strstr(text, "2(G)") - text + 1;
    simulate(text, true, 1);
    const uint64_t in_time = cut_at(inner);
    conditions.late_function = 'H';
    simulate(text, true, 1);
    conditions.late_function = 0;
    OK(!world.broken && in_time > 300, "news while code is late: verdicts fit together");
    OK(cut_at(inner) >= in_time - 10, "the loop is cut as if it were there: %d rather than %d",
       (int)cut_at(inner), (int)in_time);
}

int main(void)
{
    test_counted();
    test_counted_late();
    test_late();
    test_late_further_in();
    test_soon();
    test_news_while_late();
    return tap_done();
}
