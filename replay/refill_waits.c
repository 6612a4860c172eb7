/*
 * Late senders where a pipeline of wavefronts is filled again because they come from another
 * corner of the grid of processes: Wolf, Mohr, Dongarra and Moore, Automatic Analysis of
 * Inefficiency Patterns in Parallel Applications, section 5.
 *
 * The grid is the one of the program in which most messages go to neighbours, or, if the
 * program has none, the one that they form.  It is known at the end only; until then messages
 * are kept.
 */
#include "replay/engine.h"
#include "replay/topology/derived_grid.h"
#include "replay/topology/fronts.h"

#include "replay/list.h"

#include <string.h>

/* By direction (topology/fronts.h): of two axes the first is north, of three that is up. */
enum { REFILL, REFILL_PLANE, REFILL_SPACE = REFILL_PLANE + 4 };

#define REFILL_FROM(suffix, words)                                                             \
    {                                                                                          \
        "wavefront_refill_" suffix, "wavefront_refill", "s", "Wavefronts come from the " words \
    }

static const struct tsprof_metric metrics[] = {
    [REFILL] = {"wavefront_refill", NULL, "s",
                "Waiting for the first messages of wavefronts from another corner of the grid"},
    [REFILL_PLANE] = REFILL_FROM("nw", "north-west"),
    REFILL_FROM("sw", "south-west"),
    REFILL_FROM("ne", "north-east"),
    REFILL_FROM("se", "south-east"),
    [REFILL_SPACE] = REFILL_FROM("nwu", "north-west and above"),
    REFILL_FROM("nwd", "north-west and below"),
    REFILL_FROM("swu", "south-west and above"),
    REFILL_FROM("swd", "south-west and below"),
    REFILL_FROM("neu", "north-east and above"),
    REFILL_FROM("ned", "north-east and below"),
    REFILL_FROM("seu", "south-east and above"),
    REFILL_FROM("sed", "south-east and below"),
};

/* A message whose two ends are known. */
struct passed {
    uint64_t sent_ns, received_ns, order;
    uint64_t wait_ns; /* for it; 0: none */
    uint32_t from, to, path;
};

struct state {
    struct tsprof_analysis *analysis;
    const struct tsprof_analysis_functions *functions;
    struct passed *messages;
    size_t messages_count, messages_room;
    bool failed; /* out of memory: nothing is published */
    bool is_off; /* there can be no grid */
};

static void *begin(struct tsprof_analysis *analysis,
                   const struct tsprof_analysis_functions *functions)
{
    const struct replay_world *world = analysis->replay->world;
    struct state *state = calloc(1, sizeof *state);
    if (state)
        *state = (struct state){.analysis = analysis,
                                .functions = functions,
                                .is_off = world->grid_count == 0 &&
                                          !grid_can_be_derived(world->rank_count)};
    return state;
}

static void on_call(void *context, const struct tsprof_call *call)
{
    struct state *state = context;
    if (!state || state->is_off)
        return;
    for (const struct tsprof_message *at = call->arrived; at; at = at->next_arrived) {
        if (at->from == at->to)
            continue;
        if (!LIST_RESERVE(state->messages)) {
            state->failed = true;
            return;
        }
        state->messages[state->messages_count++] =
            (struct passed){.sent_ns = at->send.time_ns,
                            .received_ns = call->leave_ns,
                            .order = at->order,
                            .from = at->from,
                            .to = at->to,
                            .path = call->enter.path};
    }
}

/* The message that FINDING's call waited for, which on_call has just been told of. */
static void on_severity(void *context, const struct tsprof_finding *finding)
{
    struct state *state = context;
    if (!state || state->is_off || !finding->call ||
        strcmp(finding->metric, "mpi_latesender") != 0)
        return;
    size_t number = state->messages_count;
    for (const struct tsprof_message *at = finding->call->arrived; at; at = at->next_arrived)
        number -= at->from != at->to;
    for (const struct tsprof_message *at = finding->call->arrived;
         at && number < state->messages_count; at = at->next_arrived) {
        if (at->from == at->to)
            continue;
        if (at->send.thread == finding->cause.thread && at->send.path == finding->cause.path &&
            at->send.time_ns == finding->cause.time_ns) {
            state->messages[number].wait_ns = finding->amount;
            return;
        }
        number++;
    }
}

/* NUMBER, added up over all who share the analysis. */
static uint64_t sum_of(const struct state *state, uint64_t number)
{
    const struct replay_share *share = state->analysis->replay->share;
    return !share || team_sum(share->team, &number, 1) ? number : 0;
}

/* The links that messages make, while they are counted. */
struct links {
    struct grid_link *list;
    size_t list_count, list_room;
    struct index index;
};

struct sought {
    const struct links *links;
    uint32_t from, to;
};

static bool is_same_link(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct grid_link *link = &sought->links->list[number];
    return link->from == sought->from && link->to == sought->to;
}

/* False if out of memory. */
static bool count_link(struct links *links, uint32_t from, uint32_t to)
{
    const struct sought sought = {links, from, to};
    const uint64_t hash = index_hash_number(INDEX_HASH, (uint64_t)from << 32 | to);
    if (!LIST_RESERVE(links->list) || !index_reserve(&links->index, links->list_count + 1))
        return false;
    uint32_t *slot = index_slot(&links->index, hash, is_same_link, &sought);
    if (*slot == 0) {
        links->list[links->list_count++] = (struct grid_link){from, to, 0};
        *slot = (uint32_t)links->list_count;
    }
    links->list[*slot - 1].messages++;
    return true;
}

static bool derive_grid(const struct state *state, struct grid *grid)
{
    struct links links = {.list = NULL};
    bool good = true;
    for (size_t i = 0; good && i < state->messages_count; i++)
        good = count_link(&links, state->messages[i].from, state->messages[i].to);
    if (!good)
        patterns_fail(state->analysis->replay);
    if (good && state->analysis->replay->share)
        links.list = team_gather(state->analysis->replay->share->team, links.list,
                                 sizeof *links.list, &links.list_count);
    good = good && (links.list || links.list_count == 0);
    if (good && links.list_count > 1)
        qsort(links.list, links.list_count, sizeof *links.list, grid_link_compare);
    good =
        good && grid_derive(grid, state->analysis->replay->world, links.list, links.list_count);
    if (grid->failed)
        patterns_fail(state->analysis->replay);
    free(links.list);
    index_free(&links.index);
    return good;
}

/* How many messages are between neighbours. */
static size_t count_neighbours(const struct state *state, const struct grid *grid)
{
    size_t count = 0;
    unsigned axis;
    enum grid_side side;
    for (size_t i = 0; i < state->messages_count; i++)
        count +=
            grid_neighbours(grid, state->messages[i].from, state->messages[i].to, &axis, &side);
    return count;
}

static bool find_grid(const struct state *state, struct grid *grid)
{
    const struct replay_world *world = state->analysis->replay->world;
    uint64_t most = 0;
    *grid = (struct grid){.axes = 0};
    for (size_t i = 0; i < world->grid_count; i++) {
        struct grid one;
        const uint64_t count = grid_copy(&one, &world->grids[i], world->process_count)
                                   ? sum_of(state, count_neighbours(state, &one))
                                   : 0;
        if (one.failed)
            patterns_fail(state->analysis->replay);
        if (count <= most) {
            grid_free(&one);
            continue;
        }
        most = count;
        grid_free(grid);
        *grid = one;
    }
    return grid->places || derive_grid(state, grid);
}

/* Both ends of all messages between neighbours. */
struct ends {
    struct front_end *list;
    size_t count;
};

static int compare_ends(const void *a, const void *b)
{
    const struct front_end *one = a, *other = b;
    if (one->process != other->process)
        return one->process < other->process ? -1 : 1;
    if (one->time_ns != other->time_ns)
        return one->time_ns < other->time_ns ? -1 : 1;
    if (one->is_sent != other->is_sent)
        return one->is_sent ? 1 : -1;
    if (one->order != other->order)
        return one->order < other->order ? -1 : 1;
    if (one->axis != other->axis)
        return one->axis < other->axis ? -1 : 1;
    if (one->side != other->side)
        return one->side < other->side ? -1 : 1;
    return one->message < other->message ? -1 : one->message > other->message;
}

/* Where several share the analysis, messages are known by those that have the receiver: the
 * ends of senders are theirs that have these. */
static bool exchange_ends(const struct replay_share *share, struct ends *ends)
{
    struct talk talk;
    bool good = talk_open(&talk, share->team);
    for (size_t i = 0; good && i < ends->count; i++)
        good = bytes_add(&talk.out[share->owners[ends->list[i].process]], &ends->list[i],
                         sizeof *ends->list);
    struct bytes all = {0};
    good = good && talk_exchange(&talk);
    for (uint32_t i = 0; good && i < share->team->size; i++)
        good = bytes_add(&all, talk.in[i].data, talk.in[i].count);
    talk_close(&talk);
    free(ends->list);
    *ends = (struct ends){(struct front_end *)(void *)all.data, all.count / sizeof *ends->list};
    return good;
}

static bool list_ends(const struct state *state, const struct grid *grid, struct ends *ends)
{
    *ends = (struct ends){malloc((2 * state->messages_count + 1) * sizeof *ends->list), 0};
    for (size_t i = 0; ends->list && i < state->messages_count; i++) {
        const struct passed *message = &state->messages[i];
        struct front_end end = {.order = message->order, .message = i};
        if (!grid_neighbours(grid, message->from, message->to, &end.axis, &end.side))
            continue;
        end.process = message->to;
        end.time_ns = message->received_ns;
        ends->list[ends->count++] = end;
        end.process = message->from;
        end.time_ns = message->sent_ns;
        end.side = grid_opposite(end.side);
        end.is_sent = true;
        ends->list[ends->count++] = end;
    }
    const struct replay_share *share = state->analysis->replay->share;
    const bool good = ends->list && (!share || exchange_ends(share, ends));
    if (!good)
        patterns_fail(state->analysis->replay);
    if (ends->count > 0)
        qsort(ends->list, ends->count, sizeof *ends->list, compare_ends);
    return good;
}

/* How many of ENDS, from AT on, are of the same process. */
static size_t same_process(const struct ends *ends, size_t at)
{
    size_t end = at;
    while (end < ends->count && ends->list[end].process == ends->list[at].process)
        end++;
    return end - at;
}

/* From where wavefronts come that all processes of the grid take part in, as a set of bits. */
static unsigned find_directions(const struct state *state, const struct grid *grid,
                                const struct ends *ends)
{
    const struct replay_share *share = state->analysis->replay->share;
    unsigned directions = ~0u;
    /* By direction, how many do not have it; how many there are. */
    uint64_t lacking[DIRECTIONS + 1] = {0}, processes = 0;
    for (size_t at = 0, count; at < ends->count; at += count, processes++) {
        count = same_process(ends, at);
        directions &= fronts_directions(grid, &ends->list[at], count);
    }
    for (unsigned i = 0; i < DIRECTIONS; i++)
        lacking[i] = !(directions >> i & 1);
    lacking[DIRECTIONS] = processes;
    if (share && !team_sum(share->team, lacking, DIRECTIONS + 1))
        return 0;
    directions = 0;
    for (unsigned i = 0; i < DIRECTIONS; i++)
        directions |= lacking[i] == 0 ? 1u << i : 0;
    return lacking[DIRECTIONS] == grid_count(grid) ? directions : 0;
}

/* What was waited for in a step that is the first one from its direction. */
static void publish_step(const struct state *state, const struct grid *grid,
                         const struct front_end *ends, const struct front_step *step)
{
    const unsigned metric = (grid->axes == 2 ? REFILL_PLANE : REFILL_SPACE) + step->direction;
    for (size_t i = step->first; i < step->end; i++) {
        /* What was sent may be a message that another member of a team has received. */
        if (ends[i].is_sent)
            continue;
        const struct passed *message = &state->messages[ends[i].message];
        struct tsprof_severity severity = {.metric = REFILL,
                                           .path = message->path,
                                           .amount = message->wait_ns,
                                           .cause = {.path = TSPROF_NONE}};
        if (message->wait_ns == 0)
            continue;
        state->functions->publish(state->analysis, &severity);
        severity.metric = metric;
        state->functions->publish(state->analysis, &severity);
    }
}

static void publish_process(const struct state *state, const struct grid *grid,
                            unsigned directions, const struct front_end *ends, size_t count)
{
    struct front_step step;
    front_direction last = DIRECTIONS;
    size_t next = 0;
    while (fronts_next(grid, ends, count, &next, &step)) {
        if (!(directions >> step.direction & 1))
            continue;
        if (step.direction != last)
            publish_step(state, grid, ends, &step);
        last = step.direction;
    }
}

static void find_refills(const struct state *state)
{
    struct grid grid;
    struct ends ends;
    if (!find_grid(state, &grid))
        return;
    if (list_ends(state, &grid, &ends)) {
        const unsigned directions = find_directions(state, &grid, &ends);
        for (size_t at = 0, count; at < ends.count; at += count) {
            count = same_process(&ends, at);
            publish_process(state, &grid, directions, &ends.list[at], count);
        }
    }
    free(ends.list);
    grid_free(&grid);
}

static void end(void *context)
{
    struct state *state = context;
    if (!state)
        return;
    if (state->failed)
        patterns_fail(state->analysis->replay);
    if (!state->is_off && !state->failed && sum_of(state, state->messages_count) > 0)
        find_refills(state);
    free(state->messages);
    free(state);
}

const struct tsprof_pattern refill_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "wavefront refill",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = begin,
    .on_call = on_call,
    .on_severity = on_severity,
    .end = end,
};
