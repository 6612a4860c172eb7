/*
 * Loops are recognised in streams of call paths whose truth is known: small programs, written
 * as text or drawn at random, are run here, call by call.
 */
#include "detect/loop_checks.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void test_programs(void)
{
    is_cut_always("one call", "M:100(a)", 0);
    is_cut_always("flat", "M:xy100(abc)z", 0);
    is_cut_always("in a function", "M:x100(aF) F:bc", 0);
    is_cut_always("solver in a function", "M:x50(aF) F:b7(cd)", 0);
    is_cut_always("solver beside", "M:x50(ab7(cd)e)", 0);
    is_cut_always("convergence", "M:x50(ab9~(cd)e)", 0);
    is_cut_always("by turns", "M:x50(a%2(b)c)", 0);
    is_cut_always("checkpoint at the end", "M:x100(abF%10(c)) F:de", 0);
    is_cut_always("a loop before and one after", "M:3(x)100(abc)10(yz)w", 1);
    is_cut_always("five loops, the first", "M:20(a)30(b)40(cd)50(e)60(f)", 0);
    is_cut_always("five loops, the last", "M:20(a)30(b)40(cd)50(e)60(f)", 4);
    is_cut_always("warm-up by the same code", "M:10(F)x100(F)y F:abc", 1);
    is_cut_always("one helper for all", "M:H100(FG)H F:aH G:Hb3(H) H:z", 0);
    is_cut_always("calls by chance", "M:x200(a?(b)?(c)d?(e))", 0);
    is_cut_always("recursion", "M:x50(aF) F:b?(F)c", 0);
    is_cut_always("three deep", "M:30(aF) F:5(bG) G:4(cd)", 0);
    is_cut_always("four deep", "M:30(aF) F:5(bG) G:4(cH) H:3(ef)", 0);
    is_cut_always("every call in the loop by chance", "M:x200(?(a)?(b)s?(c))", 0);
}

/* Where only the machine code can tell. */
static void test_with_code(void)
{
    is_cut("checkpoint first", "M:x100(%10(c)ab)", 0, true);
    is_cut("checkpoint first, step in a function", "M:x100(%10(c)F) F:abd", 0, true);
    is_cut("now and then, first", "M:x100(?(c)F) F:abd", 0, true);
    is_cut("solver first", "M:x50(7(cd)ae)", 0, true);
    is_cut("by turns, first", "M:x50(%2(b)%3(d)c)", 0, true);
    is_cut("left by a call after it", "M:20(a)b30(c)d", 1, true);
    is_cut("loops that take turns", "M:40(5(a)6(b))", 1, true);
    is_cut("loops whose passes call different functions", "M:x50(F) F:2(%2(a))3(%3(b))", 0,
           true);
}

/* Shapes of real codes. */
static void test_codes(void)
{
    is_cut_always("more rounds before a checkpoint", "M:x2000(%20(C)Er)y E:1&20:4(abrd) C:rs",
                  0);
    is_cut_always("more rounds after it", "M:xS S:x2000(Er%20(C)) E:1&20:4(abad) C:rs", 0);
    is_cut_always("five sums and a checkpoint", "M:x400(FFFFF%50(C))y C:abF F:s", 0);
    is_cut_always("an inner loop and a checkpoint", "M:x400(r5(s)%50(C))y C:abs", 0);
    is_cut_always("the first pass peeled", "M:xrst50(FrGst)y F:ab G:cd", 0);
    is_cut_always("the first pass in another function", "M:xS S:arst50(FrGst)y F:ab G:cd", 0);
    is_cut_always("a setup and a solver", "M:x6(SP)y S:5(Lr) L:4(ab) P:8(Vr) V:5(L)5(L)", 0);
    is_cut("stages and checksums", "M:x25(10(2(E)F%10(C))G)y E:3(abcd) F:e C:r G:E", 0, true);
    is_cut("printed every ten steps", "M:x10(r9(abs)t)y", 1, true);
    is_cut("outer and inner iterations", "M:x10(9~(3(Fr)s)t)y F:4(abcd)", 0, true);
}

/* Where only the stack can tell. */
static void test_called_again(void)
{
    is_cut("a loop in a function", "M:x100(F)y F:3(ab)", 0, true);
    is_cut("in two functions", "M:x100(F)y F:9~(G) G:9~(a)", 0, true);
    is_cut("further out", "M:x100(G)y G:H H:F F:2(ab)", 0, true);
    is_cut("a loop further in than passes are cut", "M:x20(A)y A:5(B) B:9(F) F:3(ab)", 2, true);
    is_cut("two of them", "M:x20(A)y A:5(B) B:9(F) F:3(G) G:2(ab)", 2, true);
}

/* Loops further in than passes are cut take no room that others need. */
static void test_further_in(void)
{
    simulate("M:x9(A)30(rs)y A:5(B) B:4(CDEFGHIJK) C:3(ab) D:3(ab) E:3(ab) F:3(ab) G:3(ab) "
             "H:3(ab) I:3(ab) J:3(ab) K:3(ab)",
             true, 1);
    const struct loop *later = known_loop(place_in(world.text, 1)),
                      *third = known_loop(place_in(world.text, 3));
    OK(!world.broken && later && third, "loops further in: verdicts fit together");
    OK(later && cut_at(place_in(world.text, 1)) == 29,
       "a loop that comes when all rooms are taken is known");
    OK(third && cut_at(place_in(world.text, 3)) >= 178 && !third->partly,
       "the innermost that is cut has all its passes: %d of 180",
       (int)cut_at(place_in(world.text, 3)));
}

/* More loops than are known at the same time, and more places that call than are remembered. */
static void test_many(void)
{
    is_cut_always("loops inside and after, many of them",
                  "M:x8(FGHI)FGHI F:a9(b)9(c)9(d) G:a9(b)9(c)9(d) H:a9(b)9(c)9(d) "
                  "I:a9(b)9(c)9(d)",
                  0);
    is_cut("where only the code can tell, after many call paths",
           "M:3(FFFFFFFF)x50(7(cd)ae) F:GGGGGGGG G:HHHHHHHH H:3(d)3(e)3(f)3(g)", 1, true);
}

/* A call after a loop is not part of its last pass. */
static void test_end(void)
{
    simulate("M:x20(Fab)yz F:c", true, 1);
    EQ_INT(world.open_count, 0, "a loop that was left has no open pass");
    simulate("M:x20(F)yz F:abc", true, 1);
    EQ_INT(world.open_count, 0, "nor has one whose body is a function");
}

static void test_border(void)
{
    const char *text = "M:x50(absc)";
    simulate(text, false, 1);
    bool found = false;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&world.loops, i);
        found = found || (loop->serial && text[world.nodes[loop->border].place] == 's');
    }
    OK(found, "the border is the call that all processes are likely to make");
    is_cut_always("preferred call by chance", "M:x100(ab?(s)c)", 0);
    is_cut_always("preferred call once", "M:x100(ab%100(s)c)", 0);
}

static void test_quick(void)
{
    simulate("M:x1000(abcFGde)y F:fg3(h) G:4(ij)", true, 1);
    OK(world.slow < world.calls * 3 / 4, "many calls mean nothing and are known at once");
    printf("# %llu of %llu\n", (unsigned long long)world.slow, (unsigned long long)world.calls);
    simulate("M:1000000(abcd)", true, 1);
    OK(world.slow < 2100000, "a million passes");
    EQ_INT(cut_at(place_in("M:1000000(abcd)", 0)), 999999, "are all cut");
}

/* A function of random statements, DEPTH deep. */
static void write_body(char *out, size_t size, int depth, int *letter)
{
    const uint32_t statements = 1 + chance(3);
    for (uint32_t i = 0; i < statements; i++) {
        char inner[TEXT_MOST] = "";
        const size_t used = strlen(out);
        const uint32_t kind = depth > 0 ? chance(6) : 0;
        if (kind >= 2)
            write_body(inner, sizeof inner / 4, depth - 1, letter);
        if (used + strlen(inner) + 32 > size)
            return;
        switch (kind) {
        case 2:
            snprintf(out + used, size - used, "%u(%.400s)", 2 + chance(6), inner);
            break;
        case 3:
            snprintf(out + used, size - used, "%u~(%.400s)", 3 + chance(6), inner);
            break;
        case 4:
            snprintf(out + used, size - used, "%%%u(%.400s)", 2 + chance(9), inner);
            break;
        case 5:
            snprintf(out + used, size - used, "?(%.400s)", inner);
            break;
        case 1:
            snprintf(out + used, size - used, "%c", 'F' + (int)chance(4));
            break;
        default:
            snprintf(out + used, size - used, "%c", 'a' + (*letter)++ % 26);
        }
    }
}

/* A main loop of anything around something that every pass has. */
static void write_program(char *text, size_t size)
{
    int letter = 0;
    char parts[3][TEXT_MOST] = {"", "", ""}, functions[TEXT_MOST] = "";
    for (int i = 0; i < 3; i++)
        write_body(parts[i], 300, 2, &letter);
    for (int i = 0; i < 4; i++) {
        char body[TEXT_MOST] = "";
        const size_t used = strlen(functions);
        /* No recursion: a function calls those after it. */
        write_body(body, 300, 2, &letter);
        for (char *c = body; *c; c++)
            if (isupper((unsigned char)*c) && *c <= 'F' + i)
                *c = (char)tolower((unsigned char)*c);
        snprintf(functions + used, sizeof functions - used, " %c:%.300s", 'F' + i, body);
    }
    snprintf(text, size, "M:%.300s%u(%.300sz%.300s)y%s", parts[0], 20 + chance(60), parts[1],
             parts[2], functions);
}

/* The main loop's place: it is the last on the first level whose body has the z of its own. */
static uint64_t main_place(const char *text)
{
    uint64_t place = 0;
    int depth = 0;
    for (const char *at = text + 2; *at != ' '; at++) {
        if (*at == '(' && depth == 0)
            place = (uint64_t)(at - text);
        depth += *at == '(' || *at == '{';
        depth -= *at == ')' || *at == '}';
    }
    return place;
}

static void test_random(void)
{
    enum { PROGRAMS = 3000 };
    unsigned right = 0, broken = 0, different = 0;
    for (unsigned seed = 1; seed <= PROGRAMS; seed += tap_stride()) {
        static char text[4 * TEXT_MOST];
        world.random = seed;
        write_program(text, sizeof text);
        simulate(text, true, seed);
        const uint64_t place = main_place(text), truth = world.truth[place],
                       cut = cut_at(place), hash = world.hash;
        if (cut <= truth && cut + 2 >= truth)
            right++;
        else if (tap_tried(seed) - right < 12)
            printf("# %llu of %llu: %s\n", (unsigned long long)cut, (unsigned long long)truth,
                   text);
        broken += world.broken;
        conditions.takes_repeats = true;
        simulate(text, true, seed);
        conditions.takes_repeats = false;
        different += world.hash != hash;
    }
    EQ_INT(broken, 0, "random programs: verdicts fit together");
    EQ_INT(different, 0,
           "random programs: the same stream gives the same, repeats at once or not");
    OK(right >= tap_tried(PROGRAMS) * 99 / 100, "random programs: main loops are cut");
    printf("# %u of %u\n", right, tap_tried(PROGRAMS));
}

int main(void)
{
    test_programs();
    test_with_code();
    test_codes();
    test_called_again();
    test_further_in();
    test_many();
    test_end();
    test_border();
    test_quick();
    test_random();
    return tap_done();
}
