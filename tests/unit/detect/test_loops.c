/*
 * Loops are recognised in streams of call paths whose truth is known: small programs, written
 * as text or drawn at random, are run here, call by call.
 *
 * A program is functions of single statements: a lower-case letter calls MPI from a place of
 * its own, an upper-case one the function of that name.  3(…) repeats, %4(…) does something in
 * every fourth pass of the loop around it (the first of them, too), >4(…) in all but the first
 * four, ?(…) by chance, {…} something that the machine code has elsewhere.  A capital and a
 * colon begin a function; M is the first.
 */
#include "detect/loops.h"
#include "detect/recogniser.h"
#include "tap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 1 << 17, TEXT_MOST = 2048, FRAMES_MOST = 300, SERIALS_MOST = 1 << 16 };

struct call_node {
    uint32_t parent;
    uint32_t place; /* in the program's text */
    uint32_t next, first;
};

static struct world {
    const char *text;
    bool reads_code; /* whether loops_around may be asked */
    struct call_node nodes[NODES_MOST];
    uint32_t node_count;
    struct loops loops;
    void *memory;
    uint64_t random;
    uint64_t calls, slow;
    /* By serial of a loop: passes that were cut. */
    uint64_t cut[SERIALS_MOST];
    uint64_t inside[SERIALS_MOST]; /* calls in them */
    uint32_t open[LOOPS_NESTED];
    unsigned open_count;
    bool broken;
    uintptr_t entered[NODES_MOST]; /* how often the function of a node was entered */
    uintptr_t watched[LOOPS_MOST]; /* and how often when its loop was watched last */
    uint64_t truth[TEXT_MOST];     /* passes of the loop that begins there in the text */
    uint64_t pass[TEXT_MOST];      /* and which one it is in */
    uint64_t asked;                /* how often that was asked for */
    uint64_t late_calls;           /* for which answers were late that are there soon */
    uint64_t hash;                 /* of all verdicts */
} world;

static bool counts;           /* the program counts the passes of its loops */
static bool takes_repeats;    /* what only repeats the innermost loop is taken at once */
static uint64_t counts_late;  /* so many times it is not known yet how loops are counted */
static uint64_t late_for;     /* answers about the code are late in so many slow calls */
static uint64_t spare_after;  /* counts are read less often after so many slow calls */
static unsigned spared;       /* how often that was done */
static uint64_t relearnt;     /* and how often all was forgotten though nothing was given up */
static uint64_t lessen_after; /* it is looked less deep after so many slow calls, and again, */
static uint64_t kept_place;   /* but the loop there is kept */
static unsigned came;         /* calls so far, */
static unsigned away_at;      /* nothing is looked at from this one on, */
static unsigned back_at;      /* up to this one; 0: never */
static char deepen_at;        /* when this call comes it is looked as deep as at first again */
static char late_function;    /* answers about this function are late */
static char again_at;         /* until this call comes, when they are asked for again */
static uint64_t soon_for;     /* or are there after so many calls of it, each of which comes */

static uint32_t parent(const void *context, uint32_t node)
{
    (void)context;
    return world.nodes[node].parent;
}

static uint32_t child(uint32_t node, uint32_t place)
{
    for (uint32_t at = world.nodes[node].first; at; at = world.nodes[at].next)
        if (world.nodes[at].place == place)
            return at;
    uint32_t new = world.node_count++;
    world.nodes[new] =
        (struct call_node){.parent = node, .place = place, .next = world.nodes[node].first};
    world.nodes[node].first = new;
    return new;
}

/* Whether the parenthesis AT is that of a loop. */
static bool is_loop(const char *text, size_t at)
{
    if (at == 0 || (text[at - 1] != '~' && !isdigit((unsigned char)text[at - 1])))
        return false;
    for (at--; isdigit((unsigned char)text[at]) || strchr("~&:", text[at]);)
        at--;
    return text[at] != '%' && text[at] != '>';
}

/* Loops are known by where they begin in the text. */
static int loops_around(const void *context, uint32_t node, uint64_t *around)
{
    uint64_t stack[32];
    bool loop[32];
    unsigned depth = 0;
    int count = 0;
    (void)context;
    if (!world.reads_code)
        return -1;
    for (uint32_t at = 0; at < world.nodes[node].place; at++) {
        const char c = world.text[at];
        if (isupper((unsigned char)c) && world.text[at + 1] == ':')
            depth = 0;
        if (c == '(' || c == '{') {
            loop[depth] = c == '(' && is_loop(world.text, at);
            stack[depth++] = at;
        } else if (c == ')' || c == '}') {
            depth--;
        }
    }
    while (depth-- > 0 && count < LOOPS_AROUND_MOST)
        if (loop[depth])
            around[count++] = stack[depth];
    return count;
}

/* In the text a call comes after another in one pass, unless that is behind it. */
static struct code_way way(const void *context, uint32_t from, uint32_t to)
{
    uint64_t one[LOOPS_AROUND_MOST], other[LOOPS_AROUND_MOST];
    const int ones = loops_around(context, from, one),
              others = loops_around(context, to, other);
    const bool ahead = world.nodes[to].place > world.nodes[from].place;
    struct code_way found = {.known = world.reads_code, .possible = ahead};
    bool inside = ahead; /* whether a loop inside of those looked at leads there */
    for (int i = 0; i < others; i++) {
        bool shared = false;
        for (int j = 0; j < ones; j++)
            shared = shared || one[j] == other[i];
        if (!inside || !shared)
            found.crossed |= 1u << i;
        else if (!ahead || strpbrk(world.text, "?%>"))
            found.unseen |= 1u << i;
        inside = inside || shared;
        found.possible = found.possible || shared;
    }
    return found;
}

/* Whether answers about the function that makes the call NODE are late. */
static bool is_late(uint32_t node)
{
    const char pattern[3] = {late_function, ':', 0};
    return world.slow <= late_for ||
           (late_function &&
            world.nodes[node].place > (uint32_t)(strstr(world.text, pattern) - world.text));
}

static int ask_around(const void *context, uint32_t node, uint64_t *around)
{
    const int late = soon_for ? LOOPS_SOON : LOOPS_LATER;
    return is_late(node) ? late : loops_around(context, node, around);
}

static struct code_way ask_way(const void *context, uint32_t from, uint32_t to)
{
    return is_late(to) ? (struct code_way){.late = true} : way(context, from, to);
}

/* Loops count from 3, by 7. */
static struct loops_count count(const void *context, uint32_t node, uint64_t entry)
{
    (void)context;
    (void)node;
    world.asked++;
    if (world.asked <= counts_late)
        return (struct loops_count){.late = true};
    return (struct loops_count){.known = counts,
                                .starts = true,
                                .is = 3 + 7 * (uint32_t)world.pass[entry],
                                .step = 7,
                                .first = 3};
}

static const uintptr_t *watch(const void *context, unsigned number, uint32_t function)
{
    (void)context;
    world.watched[number] = world.entered[function];
    return &world.entered[function];
}

static bool is_called_again(const void *context, unsigned number, uint32_t function)
{
    (void)context;
    return world.watched[number] != world.entered[function];
}

static uint64_t worth(const void *context, unsigned number)
{
    (void)context;
    return world.inside[loops_get(&world.loops, number)->serial % SERIALS_MOST];
}

static uint32_t chance(uint32_t below)
{
    world.random = world.random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(world.random >> 33) % below;
}

/* Saves costs: of two loops the inner one is given up, too. */
static void spare(void)
{
    spared += loops_spare(&world.loops);
    if (world.open_count == 2) {
        loops_ignore(&world.loops);
        world.open_count--;
    }
}

static uint64_t place_of(const struct loop *loop);

static void lessen(void)
{
    uint32_t kept = 0;
    for (unsigned i = 0; kept_place && i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&world.loops, i);
        if (loop->serial && place_of(loop) == kept_place)
            kept |= UINT32_C(1) << i;
    }
    const uint64_t era = world.loops.era;
    const uint32_t deepest = world.loops.rest->deepest;
    const unsigned keep = loops_lessen(&world.loops, kept);
    relearnt += deepest == world.loops.rest->deepest && era != world.loops.era;
    world.broken = world.broken || keep > world.open_count;
    world.open_count = keep;
}

static void begin_pass(uint32_t serial)
{
    world.cut[serial % SERIALS_MOST]++;
    world.hash = (world.hash ^ serial) * UINT64_C(0x9E3779B97F4A7C15);
}

static void come(uint32_t leaf, char letter)
{
    came++;
    if (came == away_at)
        world.open_count = loops_look_away(&world.loops);
    if (letter == deepen_at || came == back_at)
        loops_deepen(&world.loops);
    if (letter == again_at) {
        late_function = 0;
        loops_try_again(&world.loops);
    }
    if (soon_for > 0 && late_function && is_late(leaf) && world.late_calls++ == soon_for) {
        late_function = 0;
        loops_arrive_in_time(&world.loops, leaf);
    }
    const bool is_examined = (soon_for > 0 && late_function) || loops_is_checking(&world.loops);
    if (!is_examined && loops_pass(&world.loops, leaf))
        return;
    if (takes_repeats && loops_repeat(&world.loops, leaf)) {
        world.hash =
            (world.hash ^ leaf ^ (world.open_count - 1)) * UINT64_C(0x9E3779B97F4A7C15);
        begin_pass(world.open[world.open_count - 1]);
        return;
    }
    world.slow++;
    const struct loops_verdict verdict =
        loops_arrive(&world.loops, leaf, letter >= 'r' ? 2 : 1);
    if (verdict.keep > world.open_count || verdict.keep + verdict.count > LOOPS_NESTED) {
        world.broken = true;
        return;
    }
    world.open_count = verdict.keep;
    world.hash = (world.hash ^ leaf ^ verdict.keep) * UINT64_C(0x9E3779B97F4A7C15);
    for (unsigned i = 0; i < verdict.count; i++) {
        const struct loop *loop = loops_get(&world.loops, verdict.open[i]);
        world.open[world.open_count++] = loop->serial;
        begin_pass(loop->serial);
        world.cut[loop->serial % SERIALS_MOST] += verdict.unseen[i];
    }
    if (spare_after && world.slow % spare_after == 0)
        spare();
    if (lessen_after && world.slow % lessen_after == 0)
        lessen();
}

static void call(uint32_t leaf, char letter)
{
    world.calls++;
    come(leaf, letter);
    for (unsigned i = 0; i < world.open_count; i++)
        world.inside[world.open[i] % SERIALS_MOST]++;
}

static const char *find_function(char name)
{
    const char pattern[3] = {name, ':', 0};
    return strstr(world.text, pattern) + 2;
}

static const char *end_of(const char *open)
{
    int depth = 0;
    for (;; open++) {
        depth += *open == '(' || *open == '{';
        depth -= *open == ')' || *open == '}';
        if (depth == 0)
            return open;
    }
}

/* Reads "9~(…)", a number that varies, or "1&20:4(…)", 4 in every 20th pass around the caller.
 */
static uint64_t read_times(const char **at, uint64_t outer_pass)
{
    char *end;
    uint64_t times = strtoull(*at, &end, 10);
    if (*end == '~') {
        end++;
        times = 2 + chance((uint32_t)times);
    } else if (*end == '&') {
        const uint64_t every = strtoull(end + 1, &end, 10), other = strtoull(end + 1, &end, 10);
        times = outer_pass % every == every - 1 ? other : times;
    }
    *at = end;
    return times;
}

/* PASS is that of the loop around what runs, OUTER_PASS that of the loop around its caller. */
static void run(const char *at, const char *end, uint32_t node, uint64_t pass,
                uint64_t outer_pass, int depth)
{
    for (; at < end && *at != ' '; at++) {
        if (islower((unsigned char)*at)) {
            call(child(node, (uint32_t)(at - world.text)), *at);
        } else if (isupper((unsigned char)*at)) {
            const uint32_t function = child(node, (uint32_t)(at - world.text));
            world.entered[function]++;
            if (depth < FRAMES_MOST)
                run(find_function(*at), world.text + strlen(world.text), function, 0, pass,
                    depth + 1);
        } else if (isdigit((unsigned char)*at)) {
            const char *body = at;
            const uint64_t times = read_times(&body, outer_pass);
            for (uint64_t i = 0; i < times; i++) {
                world.pass[body - world.text] = i;
                run(body + 1, end_of(body), node, i, outer_pass, depth);
            }
            world.truth[body - world.text] += times;
            at = end_of(body);
        } else if (*at == '%' || *at == '>' || *at == '?') {
            char *body = (char *)(uintptr_t)(at + 1);
            const uint64_t number = *at != '?' ? strtoull(at + 1, &body, 10) : 0;
            if (*at == '%' ? pass % number == 0 : *at == '>' ? pass >= number : chance(3) == 0)
                run(body + 1, end_of(body), node, pass, outer_pass, depth);
            at = end_of(body);
        }
    }
}

static void simulate(const char *text, bool reads_code, uint64_t seed)
{
    free(world.memory);
    memset(&world, 0, sizeof world);
    world.text = text;
    world.reads_code = reads_code;
    world.random = seed;
    world.node_count = 1;
    const size_t bytes = (loops_bytes(NODES_MOST) + 63) / 64 * 64;
    world.memory = memset(aligned_alloc(64, bytes), 0, bytes);
    const struct loops_config config = {.nodes = NODES_MOST,
                                        .parent = parent,
                                        .loops_around = ask_around,
                                        .way = ask_way,
                                        .count = count,
                                        .watch = watch,
                                        .is_called_again = is_called_again,
                                        .worth = worth};
    loops_start(&world.loops, &config, world.memory);
    run(find_function('M'), text + strlen(text), 0, 0, 0, 0);
}

/* Where the code has the loop that this one is of. */
static uint64_t place_of(const struct loop *loop)
{
    uint64_t around[LOOPS_AROUND_MOST];
    const bool reads = world.reads_code;
    uint64_t place = loop->entry;
    world.reads_code = true;
    for (uint32_t at = loop->header; at && !place; at = world.nodes[at].parent)
        if (loops_around(NULL, at, around) > 0)
            place = around[0];
    world.reads_code = reads;
    return place;
}

/* Passes that were cut of loops that the code has at PLACE, the most of any. */
static uint64_t cut_at(uint64_t place)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&world.loops, i);
        if (loop->serial && place_of(loop) == place &&
            world.cut[loop->serial % SERIALS_MOST] > most)
            most = world.cut[loop->serial % SERIALS_MOST];
    }
    return most;
}

static uint64_t place_in(const char *text, unsigned nth)
{
    size_t at = 0;
    for (;; at++)
        if (text[at] == '(' && is_loop(text, at) && nth-- == 0)
            return at;
}

/* Loop NTH of the text is cut as often as it has passes, less at most two. */
static void is_cut(const char *name, const char *text, unsigned nth, bool reads_code)
{
    simulate(text, reads_code, 1);
    const uint64_t place = place_in(text, nth), truth = world.truth[place], cut = cut_at(place);
    OK(!world.broken, "%s: verdicts fit together", name);
    if (!OK(cut <= truth && cut + 2 >= truth, "%s: %s%s", name, text,
            reads_code ? ", the code is read" : ""))
        printf("# %llu of %llu\n", (unsigned long long)cut, (unsigned long long)truth);
}

static void is_cut_always(const char *name, const char *text, unsigned nth)
{
    is_cut(name, text, nth, false);
    is_cut(name, text, nth, true);
}

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

/* What is irregular deep inside costs too much; the main loop is not lost by it. */
static void test_lessen(void)
{
    const char *text = "M:x400(aFs)y F:9(?(G)b?(H)) G:9~(?(c)H?(d)) H:9~(?(e)f?(g))";
    simulate(text, true, 1);
    const uint64_t place = place_in(text, 0), slow = world.slow;
    lessen_after = slow / 20;
    simulate(text, true, 1);
    lessen_after = 0;
    OK(!world.broken, "looking less deep: verdicts fit together");
    EQ_INT(cut_at(place), world.truth[place] - 1, "and the main loop is cut all the same");
    if (!OK(world.slow < slow / 4, "for a quarter of the cost"))
        printf("# %llu of %llu\n", (unsigned long long)world.slow, (unsigned long long)slow);
    lessen_after = 1;
    simulate(text, true, 1);
    lessen_after = 0;
    OK(!world.broken && world.open_count == 0, "looking at nothing at all: no loop is open");
}

/* A loop that makes one call, whose passes differ further in only, is kept if that is wanted.
 */
static void test_kept(void)
{
    const char *text = "M:x400(F)y F:G G:H H:b9~(?(c)?(d))e";
    simulate(text, true, 1);
    const uint64_t place = place_in(text, 0);
    lessen_after = world.slow / 40;
    simulate(text, true, 1);
    OK(cut_at(place) < 399, "where it is looked less deep its passes look like one");
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial && place_of(loops_get(&world.loops, i)) == place)
            OK(loops_get(&world.loops, i)->missed, "which is known");
    kept_place = place;
    simulate(text, true, 1);
    OK(!world.broken, "a loop is kept: verdicts fit together");
    EQ_INT(cut_at(place), 399, "and it is looked as deep as that takes");
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial && place_of(loops_get(&world.loops, i)) == place)
            OK(!loops_get(&world.loops, i)->missed, "so nothing is missed");
    lessen_after = kept_place = 0;
}

/* The loop at PLACE of the text; NULL if it is not known. */
static const struct loop *known_loop(uint64_t place)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial && place_of(loops_get(&world.loops, i)) == place)
            return loops_get(&world.loops, i);
    return NULL;
}

/* Where nothing more can be given up for the sake of a loop, nothing is forgotten. */
static void test_nothing_to_give_up(void)
{
    const char *text = "M:x4000(F)y F:G G:bcdefghijklmnopqrstuvw9~(?(c)?(d))e";
    simulate(text, true, 1);
    const uint64_t slow = world.slow;
    kept_place = place_in(text, 0);
    lessen_after = 60;
    relearnt = 0;
    simulate(text, true, 1);
    lessen_after = kept_place = 0;
    EQ_INT(relearnt, 0, "nothing is learnt again");
    OK(world.slow < slow + slow / 20, "which takes no more looks: %llu rather than %llu",
       (unsigned long long)world.slow, (unsigned long long)slow);
}

/* Later passes of a loop that is kept are told apart further in than those before. */
static void test_needs_more(void)
{
    const char *text = "M:2(x400(W)z)y W:F1&100:0(b) F:G G:H H:9~(?(c)?(d))e";
    simulate(text, true, 1);
    const uint64_t place = strstr(text, "400") - text + 3;
    kept_place = place;
    lessen_after = 120;
    deepen_at = 'z';
    simulate(text, true, 1);
    lessen_after = kept_place = 0;
    deepen_at = 0;
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
    lessen_after = world.slow / 20;
    simulate(text, true, 1);
    const uint64_t place = strstr(text, "200") - text + 3;
    EQ_INT(cut_at(place), 0, "a loop further in is not found then");
    deepen_at = 'z';
    simulate(text, true, 1);
    lessen_after = 0;
    deepen_at = 0;
    OK(!world.broken, "looking deeper again: verdicts fit together");
    EQ_INT(cut_at(place), 199, "but if it is looked deeper again before it comes");
}

/* Nothing is looked at for a while, in a loop some of whose passes make no calls. */
static void test_look_away(void)
{
    const char *text = "M:x400(?(F)) F:ab";
    const uint64_t place = strstr(text, "400") - text + 3;
    counts = true;
    simulate(text, true, 1);
    const struct loop *loop = known_loop(place);
    OK(loop && !loop->missed && loop->passes > 390, "counted, all passes are known");
    came = 0;
    away_at = 101;
    back_at = 201;
    simulate(text, true, 1);
    away_at = back_at = 0;
    counts = false;
    loop = known_loop(place);
    OK(!world.broken && loop, "not looking for a while: verdicts fit together");
    OK(loop && loop->missed, "a loop that comes again is known to have been missed");
    OK(loop && loop->passes <= world.truth[place] && loop->passes > 200,
       "no pass counts twice: %d of %d", loop ? (int)loop->passes : 0, (int)world.truth[place]);
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
        takes_repeats = true;
        simulate(text, true, seed);
        takes_repeats = false;
        different += world.hash != hash;
    }
    EQ_INT(broken, 0, "random programs: verdicts fit together");
    EQ_INT(different, 0,
           "random programs: the same stream gives the same, repeats at once or not");
    OK(right >= tap_tried(PROGRAMS) * 99 / 100, "random programs: main loops are cut");
    printf("# %u of %u\n", right, tap_tried(PROGRAMS));
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

/* Passes that calls do not tell, but the program's own count. */
static void test_counted(void)
{
    counts = true;
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
    spare_after = 300;
    simulate("M:x9991(%10(abs)?(r))ab", true, 1);
    spare_after = 0;
    uint64_t cut = cut_at(place_in(world.text, 0));
    OK(cut <= 9991 && cut > 9900, "where counts are read less often few passes are lost");
    EQ_INT(spared, 1, "once");
    spare_after = 300;
    simulate("M:x3000(5(s))y", true, 1);
    spare_after = 0;
    cut = cut_at(place_in(world.text, 0));
    OK(cut <= 3000 && cut > 2900, "nor of a loop around the one that makes all calls");
    simulate("M:x100(%10(abs))y", true, 1);
    spare();
    loops_spare_not(&world.loops, 0);
    OK(!loops_get(&world.loops, 0)->spared, "and as often as before once it is to be so");
    counts = false;
    simulate("M:x1000(%10(abs))y", true, 1);
    EQ_INT(cut_at(place_in(world.text, 0)), 99, "without a count they are not known");
}

/* Where it takes some calls to find out how a loop is counted. */
static void test_counted_late(void)
{
    counts = true;
    counts_late = 60;
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
    counts_late = UINT64_MAX;
    simulate("M:x1000(%10(abs))y", true, 1);
    EQ_INT(cut_at(place_in(world.text, 0)), 99, "where they never come calls tell");
    counts_late = 0;
    counts = false;
}

/* Where there is no time to read the code at first: what came until then is not seen. */
static void test_late(void)
{
    late_for = 60;
    simulate("M:x200(aF)y F:5(b)s", true, 1);
    const uint64_t cut = cut_at(place_in(world.text, 0));
    OK(!world.broken, "verdicts fit together where answers are late");
    OK(cut < 199 && cut > 180, "passes are found once they are there");
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial)
            OK(loops_get(&world.loops, i)->partly, "and that there were more is known");
    late_for = UINT64_MAX;
    simulate("M:x200(aF)y F:5(b)s", true, 1);
    EQ_INT(cut_at(place_in(world.text, 0)), 0, "nothing is found where they never come");
    late_for = 0;
}

/* Where the code of a function further in is late, loops further out are found all the same. */
static void test_late_further_in(void)
{
    const char *text = "M:x2(300(aE)y)z E:bF F:5(c)s";
    const uint64_t outer = place_in(text, 1), inner = place_in(text, 2);
    late_function = 'F';
    simulate(text, true, 1);
    OK(!world.broken, "part of the code is late: verdicts fit together");
    EQ_INT(cut_at(outer), 599, "the loop around is cut");
    OK(world.slow < world.calls / 3, "and calls further in are not looked at again and again");
    OK(loops_is_waiting(&world.loops), "although it is waited for them");
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial && place_of(loops_get(&world.loops, i)) == outer)
            OK(!loops_get(&world.loops, i)->missed, "no pass of it can have been missed");
    EQ_INT(cut_at(inner), 0, "the one inside is not known");
    again_at = 'y';
    simulate(text, true, 1);
    again_at = late_function = 0;
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
    late_function = function;
    soon_for = calls;
    simulate(text, true, 1);
    late_function = 0;
    soon_for = 0;
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
    late_function = 'H';
    simulate(text, true, 1);
    late_function = 0;
    OK(!world.broken && in_time > 300, "news while code is late: verdicts fit together");
    OK(cut_at(inner) >= in_time - 10, "the loop is cut as if it were there: %d rather than %d",
       (int)cut_at(inner), (int)in_time);
}

int main(void)
{
    test_late();
    test_late_further_in();
    test_news_while_late();
    test_soon();
    test_nothing_to_give_up();
    test_needs_more();
    test_left_out();
    test_programs();
    test_with_code();
    test_codes();
    test_called_again();
    test_further_in();
    test_counted();
    test_counted_late();
    test_many();
    test_end();
    test_border();
    test_quick();
    test_lessen();
    test_kept();
    test_deepen();
    test_look_away();
    test_random();
    return tap_done();
}
