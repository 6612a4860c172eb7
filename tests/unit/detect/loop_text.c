/* See loop_text.h. */
#include "detect/loop_text.h"

#include "detect/recogniser.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MOST = 300 };

struct world world;
struct conditions conditions;

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
    const char pattern[3] = {conditions.late_function, ':', 0};
    return world.slow <= conditions.late_for ||
           (conditions.late_function &&
            world.nodes[node].place > (uint32_t)(strstr(world.text, pattern) - world.text));
}

static int ask_around(const void *context, uint32_t node, uint64_t *around)
{
    const int late = conditions.soon_for ? LOOPS_SOON : LOOPS_LATER;
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
    if (world.asked <= conditions.counts_late)
        return (struct loops_count){.late = true};
    return (struct loops_count){.known = conditions.counts,
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

uint32_t chance(uint32_t below)
{
    world.random = world.random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(world.random >> 33) % below;
}

void spare(void)
{
    world.spared += loops_spare(&world.loops);
    if (world.open_count == 2) {
        loops_ignore(&world.loops);
        world.open_count--;
    }
}

static void lessen(void)
{
    uint32_t kept = 0;
    for (unsigned i = 0; conditions.kept_place && i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&world.loops, i);
        if (loop->serial && place_of(loop) == conditions.kept_place)
            kept |= UINT32_C(1) << i;
    }
    const uint64_t era = world.loops.era;
    const uint32_t deepest = world.loops.rest->deepest;
    const unsigned keep = loops_lessen(&world.loops, kept);
    world.relearnt += deepest == world.loops.rest->deepest && era != world.loops.era;
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
    world.came++;
    if (world.came == conditions.away_at)
        world.open_count = loops_look_away(&world.loops);
    if (letter == conditions.deepen_at || world.came == conditions.back_at)
        loops_deepen(&world.loops);
    if (letter == conditions.again_at) {
        conditions.late_function = 0;
        loops_try_again(&world.loops);
    }
    if (conditions.soon_for > 0 && conditions.late_function && is_late(leaf) &&
        world.late_calls++ == conditions.soon_for) {
        conditions.late_function = 0;
        loops_arrive_in_time(&world.loops, leaf);
    }
    const bool is_examined = (conditions.soon_for > 0 && conditions.late_function) ||
                             loops_is_checking(&world.loops);
    if (!is_examined && loops_pass(&world.loops, leaf))
        return;
    if (conditions.takes_repeats && loops_repeat(&world.loops, leaf)) {
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
    if (conditions.spare_after && world.slow % conditions.spare_after == 0)
        spare();
    if (conditions.lessen_after && world.slow % conditions.lessen_after == 0)
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

void simulate(const char *text, bool reads_code, uint64_t seed)
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

uint64_t place_of(const struct loop *loop)
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

uint64_t cut_at(uint64_t place)
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

uint64_t place_in(const char *text, unsigned nth)
{
    size_t at = 0;
    for (;; at++)
        if (text[at] == '(' && is_loop(text, at) && nth-- == 0)
            return at;
}

const struct loop *known_loop(uint64_t place)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&world.loops, i)->serial && place_of(loops_get(&world.loops, i)) == place)
            return loops_get(&world.loops, i);
    return NULL;
}
