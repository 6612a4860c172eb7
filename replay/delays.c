/*
 * What delayed the processes that were waited for.
 *
 * Since a pair last synchronized, the one that was waited for has spent more time than the one
 * that waits: on call paths, or waiting itself.  The wait is charged to both in proportion.
 * What falls to its own waiting is charged on, to what had caused that: so waits are looked at
 * from the last to the first.  See causes.h.
 */
#include "replay/delays.h"

#include "replay/list.h"
#include "replay/stays.h"

#include <stdlib.h>
#include <string.h>

enum cause delay_of(const struct replay *replay, uint32_t metric)
{
    static const struct {
        const char *metric;
        enum cause cause;
    } causes[] = {
        {"mpi_latesender", CAUSE_delay_latesender},
        {"mpi_latereceiver", CAUSE_delay_latereceiver},
        {"mpi_wait_nxn", CAUSE_delay_n2n},
        {"mpi_wait_neighbors", CAUSE_delay_n2n},
        {"mpi_io_wait", CAUSE_delay_n2n},
        {"mpi_latebroadcast", CAUSE_delay_12n},
        {"mpi_earlyreduce", CAUSE_delay_n21},
        {"mpi_earlyscan", CAUSE_delay_n21},
    };
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strcmp(replay->metrics[metric].name, causes[i].metric) == 0)
            return causes[i].cause;
    return CAUSE_delay_barrier;
}

static void add_share(struct delaying *delaying, struct share share)
{
    if (!list_reserve(&delaying->shares, delaying->share_count, &delaying->share_room,
                      sizeof *delaying->shares)) {
        delaying->replay->failed = true;
        return;
    }
    delaying->shares[delaying->share_count++] = share;
}

int64_t *delays_excess(struct delaying *delaying, uint32_t node)
{
    if (!delaying->is_known[node]) {
        delaying->is_known[node] = true;
        delaying->nodes[delaying->node_count++] = node;
    }
    return &delaying->node_ns[node];
}

/* How much longer the one that is waited for was on the node of PATH. */
static int64_t *excess_on(struct delaying *delaying, uint32_t path)
{
    return delays_excess(delaying, delaying->replay->paths.list[path].node);
}

/* Of the one that is waited for, the paths are listed, too. */
static void visit_stay(void *context, uint32_t path, uint64_t ns)
{
    struct delaying *delaying = context;
    *excess_on(delaying, path) += delaying->sign * (int64_t)ns;
    if (delaying->sign < 0)
        return;
    if (delaying->path_shares[path] > 0) {
        delaying->shares[delaying->path_shares[path] - 1].ns += ns;
        return;
    }
    add_share(delaying, (struct share){path, REPLAY_NONE, ns});
    delaying->path_shares[path] = (uint32_t)delaying->share_count;
}

/* NS of wait NUMBER are a share of their own: the path has been given them, too, in VISIT_STAY.
 */
static void share_wait(struct delaying *delaying, uint32_t number, uint64_t ns)
{
    const uint32_t of_path = delaying->path_shares[delaying->replay->waits[number].path];
    if (of_path > 0) {
        struct share *share = &delaying->shares[of_path - 1];
        share->ns -= ns < share->ns ? ns : share->ns;
    }
    add_share(delaying, (struct share){REPLAY_NONE, number, ns});
}

/* Takes the waits of THREAD between BEGIN_NS and END_NS out of what it did there. */
static void visit_waits(struct delaying *delaying, uint32_t thread, uint64_t begin_ns,
                        uint64_t end_ns)
{
    const struct replay *replay = delaying->replay;
    const struct wait_list *waits = &delaying->waits[thread];
    for (size_t i = waits_until(replay, waits, begin_ns); i < waits->count; i++) {
        const struct replay_wait *wait = &replay->waits[waits->list[i]];
        const uint64_t from = wait->begin_ns > begin_ns ? wait->begin_ns : begin_ns;
        const uint64_t to = wait_end(wait);
        if (to > end_ns || to >= delaying->end_ns)
            return;
        *excess_on(delaying, wait->path) -= delaying->sign * (int64_t)(to - from);
        if (delaying->sign > 0)
            share_wait(delaying, waits->list[i], to - from);
    }
}

void delays_visit(struct delaying *delaying, int sign, uint32_t thread, uint64_t begin_ns,
                  uint64_t end_ns)
{
    delaying->sign = sign;
    stays_visit(&delaying->replay->threads[thread], begin_ns, end_ns, visit_stay, delaying);
    visit_waits(delaying, thread, begin_ns, end_ns);
}

static int compare_shares(const void *a, const void *b)
{
    const struct share *one = a, *other = b;
    if (one->wait != other->wait)
        return one->wait < other->wait ? -1 : 1;
    return one->path < other->path ? -1 : one->path > other->path;
}

/* Puts the shares into the order in which they are charged. */
static void sort_shares(struct delaying *delaying)
{
    for (size_t i = 0; i < delaying->share_count; i++)
        if (delaying->shares[i].path != REPLAY_NONE)
            delaying->path_shares[delaying->shares[i].path] = 0;
    if (delaying->share_count > 0)
        qsort(delaying->shares, delaying->share_count, sizeof *delaying->shares,
              compare_shares);
}

/* Cuts each path's share down to what is in excess on its node; returns the sum of all. */
static uint64_t cut_shares(struct delaying *delaying)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < delaying->share_count; i++) {
        struct share *share = &delaying->shares[i];
        if (share->path != REPLAY_NONE) {
            int64_t *excess = excess_on(delaying, share->path);
            const uint64_t left = *excess > 0 ? (uint64_t)*excess : 0;
            share->ns = share->ns < left ? share->ns : left;
            *excess -= (int64_t)share->ns;
        }
        sum += share->ns;
    }
    return sum;
}

void delays_forget(struct delaying *delaying)
{
    for (size_t i = 0; i < delaying->node_count; i++) {
        delaying->node_ns[delaying->nodes[i]] = 0;
        delaying->is_known[delaying->nodes[i]] = false;
    }
    delaying->node_count = 0;
}

uint64_t delays_share(struct delaying *delaying, uint32_t cause_path)
{
    sort_shares(delaying);
    const uint64_t sum = cut_shares(delaying);
    delays_forget(delaying);
    if (sum > 0)
        return sum;
    /* Nothing took longer: it is the call itself. */
    delaying->share_count = 0;
    add_share(delaying, (struct share){cause_path, REPLAY_NONE, 1});
    return 1;
}

uint64_t delays_part(uint64_t amount, uint64_t from, uint64_t to, uint64_t whole)
{
    return (uint64_t)((unsigned __int128)amount * to / whole) -
           (uint64_t)((unsigned __int128)amount * from / whole);
}

/* Of what PAIR waited, NS are due to SHARE. */
static void note_reason(struct delaying *delaying, uint32_t pair, const struct share *share,
                        uint64_t ns)
{
    struct replay *replay = delaying->replay;
    const bool is_indirect = share->wait != REPLAY_NONE;
    const uint32_t path = is_indirect ? replay->waits[share->wait].path : share->path;
    if (ns == 0)
        return;
    if (pair == REPLAY_NONE || path == REPLAY_NONE)
        replay->failed |= pair == REPLAY_NONE;
    else if (!pairs_charge(&replay->pairs, pair, replay->paths.list[path].node, is_indirect,
                           ns))
        replay->failed = true;
}

/* Charges wait NUMBER, and what was charged to it, to the shares; SUM is that of all. */
static void charge(struct delaying *delaying, uint32_t number, uint64_t sum)
{
    struct replay *replay = delaying->replay;
    const struct replay_wait *wait = &replay->waits[number];
    const uint32_t pair = pairs_add(&replay->pairs, wait, &replay->paths.list[wait->path]);
    const uint32_t metric = replay->first_cause + delay_of(replay, wait->metric);
    const uint64_t longterm = delaying->longterm_ns[number];
    uint64_t at = 0, indirect = 0;
    for (size_t i = 0; i < delaying->share_count; i++) {
        const struct share *share = &delaying->shares[i];
        const uint64_t now = delays_part(wait->ns, at, at + share->ns, sum);
        const uint64_t later = delays_part(longterm, at, at + share->ns, sum);
        at += share->ns;
        note_reason(delaying, pair, share, now);
        if (share->wait != REPLAY_NONE) {
            delaying->longterm_ns[share->wait] += now + later;
            delaying->propagates[share->wait] |= now + later > 0;
            indirect += now;
            continue;
        }
        paths_add(&replay->paths, share->path, metric, (int64_t)now);
        paths_add(&replay->paths, share->path, metric + 1, (int64_t)later);
    }
    paths_add(&replay->paths, wait->path, replay->first_cause + CAUSE_wait_direct,
              (int64_t)(wait->ns - indirect));
    paths_add(&replay->paths, wait->path, replay->first_cause + CAUSE_wait_indirect,
              (int64_t)indirect);
}

static void explain(struct delaying *delaying, uint32_t number)
{
    const struct replay *replay = delaying->replay;
    const struct replay_wait *wait = &replay->waits[number];
    const uint32_t waiter = replay->paths.list[wait->path].thread;
    delaying->share_count = 0;
    delaying->end_ns = wait_end(wait);
    delays_visit(delaying, 1, wait->cause_thread, wait->since_ns, wait->cause_ns);
    delays_visit(delaying, -1, waiter, wait->since_ns, wait->begin_ns);
    charge(delaying, number, delays_share(delaying, wait->cause_path));
}

bool delays_open(struct delaying *delaying, struct replay *replay,
                 const struct wait_list *waits)
{
    const size_t nodes = replay->paths.nodes_count + 1, count = replay->waits_count + 1;
    *delaying = (struct delaying){.replay = replay,
                                  .waits = waits,
                                  .longterm_ns = calloc(count, sizeof(uint64_t)),
                                  .propagates = calloc(count, sizeof(bool)),
                                  .node_ns = calloc(nodes, sizeof(int64_t)),
                                  .nodes = calloc(nodes, sizeof(uint32_t)),
                                  .is_known = calloc(nodes, sizeof(bool)),
                                  .path_shares =
                                      calloc(replay->paths.list_count + 1, sizeof(uint32_t))};
    return delaying->longterm_ns && delaying->propagates && delaying->node_ns &&
           delaying->nodes && delaying->is_known && delaying->path_shares;
}

void delays_close(struct delaying *delaying)
{
    free(delaying->longterm_ns);
    free(delaying->propagates);
    free(delaying->node_ns);
    free(delaying->nodes);
    free(delaying->is_known);
    free(delaying->path_shares);
    free(delaying->shares);
}

void delays_find(struct replay *replay, const struct wait_list *all,
                 const struct wait_list *waits)
{
    struct delaying delaying;
    const bool good = delays_open(&delaying, replay, waits);
    for (size_t i = all->count; good && i-- > 0;)
        explain(&delaying, all->list[i]);
    for (size_t i = 0; good && i < replay->waits_count; i++)
        paths_add(&replay->paths, replay->waits[i].path,
                  replay->first_cause +
                      (delaying.propagates[i] ? CAUSE_wait_propagating : CAUSE_wait_terminal),
                  (int64_t)replay->waits[i].ns);
    replay->failed |= !good;
    delays_close(&delaying);
}
