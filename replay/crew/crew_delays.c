/*
 * Delays where several share an analysis: who has a wait asks who has the thread that was
 * waited for.  That one finds the shares of the wait, as delays.c does, and charges them to its
 * paths and its own waits, as soon as it is told what was charged to that wait: which is known
 * when all that were to be charged to it have been.  So charges go back in time, from the last
 * waits to the first, and in rounds where they go from one to another.  See crew_causes.h.
 */
#include "replay/crew/crew_causes.h"
#include "replay/delays.h"

#include "replay/list.h"

#include <stdlib.h>
#include <string.h>

/* A wait, as the one is told of it that has its cause. */
struct asked {
    struct replay_wait wait;
    uint32_t number;       /* of the wait, where it is one's own */
    uint32_t thread, node; /* that waited; the node as of all */
    uint32_t count;        /* of `spent` that follow */
};

/* What the one that waited did since the two last synchronized. */
struct spent {
    int64_t ns;
    uint32_t node; /* as of all */
};

/* A wait that was asked about, with its shares. */
struct explained {
    struct replay_wait wait;
    uint64_t sum; /* of the shares */
    size_t first, count;
    uint32_t who, number; /* whose it is */
    uint32_t thread, node;
};

/* What is told while waits are charged. */
struct news {
    uint64_t ns;
    uint32_t number;
    bool is_indirect; /* the wait NUMBER is one's own, and so much of it indirect; otherwise
                         what was charged to the NUMBERth wait that was asked about */
};

struct crew_delays {
    struct replay *replay;
    struct team *team;
    const struct family *nodes;
    struct delaying delaying;
    struct talk talk;
    struct explained *explained;
    size_t explained_count, explained_room;
    size_t *first_explained; /* by member of the team: those that it asked about */
    struct share *shares;
    size_t shares_count, shares_room;
    uint32_t *asked;   /* by wait: the howmanyth of those that its cause's owner was asked */
    uint32_t *awaited; /* by wait: by how many it has not been charged yet */
    uint32_t *ready;   /* waits by which no more will be charged: a stack */
    size_t ready_count;
    uint64_t told; /* in this round */
};

static uint32_t owner_of(const struct crew_delays *delays, const struct replay_wait *wait)
{
    const struct replay *replay = delays->replay;
    return replay->share->owners[replay->world->processes[wait->cause_thread]];
}

/* What the thread of a wait did, from `node_ns`, which is cleared; *COUNT of them. */
static bool tell_nodes(struct crew_delays *delays, struct bytes *to, uint32_t *count)
{
    struct delaying *delaying = &delays->delaying;
    bool good = true;
    *count = 0;
    for (size_t i = 0; i < delaying->node_count; i++) {
        struct spent spent;
        memset(&spent, 0, sizeof spent);
        spent.ns = delaying->node_ns[delaying->nodes[i]];
        spent.node = delays->nodes->of_all[delaying->nodes[i]];
        if (spent.ns == 0)
            continue;
        ++*count;
        good &= bytes_add(to, &spent, sizeof spent);
    }
    delays_forget(delaying);
    return good;
}

static bool ask(struct crew_delays *delays, uint32_t number)
{
    const struct replay *replay = delays->replay;
    const struct replay_wait *wait = &replay->waits[number];
    const struct path *path = &replay->paths.list[wait->path];
    struct bytes *to = &delays->talk.out[owner_of(delays, wait)];
    struct asked asked;
    memset(&asked, 0, sizeof asked);
    asked.wait = *wait;
    asked.number = number;
    asked.thread = path->thread;
    asked.node = delays->nodes->of_all[path->node];
    const size_t place = to->count;
    if (!bytes_add(to, &asked, sizeof asked))
        return false;
    delays->delaying.end_ns = wait_end(wait);
    delays->delaying.share_count = 0;
    delays_visit(&delays->delaying, -1, path->thread, wait->since_ns, wait->begin_ns);
    const bool good = tell_nodes(delays, to, &asked.count);
    memcpy(to->data + place, &asked, sizeof asked);
    return good;
}

/* In the order of their numbers; the answers come in the same. */
static bool ask_all(struct crew_delays *delays)
{
    uint32_t *counts = calloc(delays->team->size, sizeof *counts);
    bool good = counts != NULL;
    for (uint32_t i = 0; good && i < delays->replay->waits_count; i++) {
        delays->asked[i] = counts[owner_of(delays, &delays->replay->waits[i])]++;
        good = ask(delays, i);
    }
    free(counts);
    return good && talk_exchange(&delays->talk);
}

/* Adds what the thread of a wait has SPENT, which is negative, to what its cause did. */
static void use_spent(struct crew_delays *delays, const char *spent, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct spent one;
        memcpy(&one, spent + i * sizeof one, sizeof one);
        const uint32_t node = delays->nodes->own[one.node];
        if (node != REPLAY_NONE)
            *delays_excess(&delays->delaying, node) += one.ns;
    }
}

static bool keep_shares(struct crew_delays *delays, struct explained *explained)
{
    const struct delaying *delaying = &delays->delaying;
    explained->first = delays->shares_count;
    explained->count = delaying->share_count;
    for (size_t i = 0; i < delaying->share_count; i++) {
        if (!LIST_RESERVE(delays->shares))
            return false;
        delays->shares[delays->shares_count++] = delaying->shares[i];
        if (delaying->shares[i].wait != REPLAY_NONE)
            delays->awaited[delaying->shares[i].wait]++;
    }
    return true;
}

/* Finds the shares of what WHO has asked about. */
static bool explain(struct crew_delays *delays, uint32_t who, const struct asked *asked,
                    const char *spent)
{
    struct delaying *delaying = &delays->delaying;
    const struct replay_wait *wait = &asked->wait;
    struct explained explained = {.wait = *wait,
                                  .who = who,
                                  .number = asked->number,
                                  .thread = asked->thread,
                                  .node = asked->node};
    delaying->share_count = 0;
    delaying->end_ns = wait_end(wait);
    delays_visit(delaying, 1, wait->cause_thread, wait->since_ns, wait->cause_ns);
    use_spent(delays, spent, asked->count);
    explained.sum = delays_share(delaying, wait->cause_path);
    if (delays->replay->failed || !LIST_RESERVE(delays->explained) ||
        !keep_shares(delays, &explained))
        return false;
    delays->explained[delays->explained_count++] = explained;
    return true;
}

static bool explain_all(struct crew_delays *delays)
{
    bool good = true;
    for (uint32_t i = 0; good && i < delays->team->size; i++) {
        const struct bytes *in = &delays->talk.in[i];
        delays->first_explained[i] = delays->explained_count;
        for (size_t at = 0; good && at < in->count;) {
            struct asked asked;
            memcpy(&asked, in->data + at, sizeof asked);
            at += sizeof asked;
            good = explain(delays, i, &asked, in->data + at);
            at += asked.count * sizeof(struct spent);
        }
    }
    return good;
}

static bool tell_news(struct crew_delays *delays, uint32_t who, uint32_t number, uint64_t ns,
                      bool is_indirect)
{
    struct news news;
    memset(&news, 0, sizeof news);
    news.ns = ns;
    news.number = number;
    news.is_indirect = is_indirect;
    delays->told++;
    return bytes_add(&delays->talk.out[who], &news, sizeof news);
}

/* Of what PAIR waited, NS are due to SHARE. */
static bool note_reason(struct crew_delays *delays, uint32_t pair, const struct share *share,
                        uint64_t ns)
{
    struct replay *replay = delays->replay;
    const bool is_indirect = share->wait != REPLAY_NONE;
    const uint32_t path = is_indirect ? replay->waits[share->wait].path : share->path;
    return ns == 0 || path == REPLAY_NONE ||
           pairs_charge(&replay->pairs, pair,
                        delays->nodes->of_all[replay->paths.list[path].node], is_indirect, ns);
}

static void note_indirect(struct replay *replay, uint32_t number, uint64_t indirect)
{
    const struct replay_wait *wait = &replay->waits[number];
    paths_add(&replay->paths, wait->path, replay->first_cause + CAUSE_wait_direct,
              (int64_t)(wait->ns - indirect));
    paths_add(&replay->paths, wait->path, replay->first_cause + CAUSE_wait_indirect,
              (int64_t)indirect);
}

static void charge_wait(struct crew_delays *delays, uint32_t number, uint64_t ns)
{
    delays->delaying.longterm_ns[number] += ns;
    delays->delaying.propagates[number] |= ns > 0;
    if (--delays->awaited[number] == 0)
        delays->ready[delays->ready_count++] = number;
}

/* Charges a wait, and LONGTERM, which was charged to it, to its shares. */
static bool charge(struct crew_delays *delays, const struct explained *explained,
                   uint64_t longterm)
{
    struct replay *replay = delays->replay;
    const struct replay_wait *wait = &explained->wait;
    const uint32_t pair =
        pairs_add(&replay->pairs, wait,
                  &(struct path){.thread = explained->thread, .node = explained->node});
    const uint32_t metric = replay->first_cause + delay_of(replay, wait->metric);
    uint64_t at = 0, indirect = 0;
    bool good = pair != REPLAY_NONE;
    for (size_t i = 0; good && i < explained->count; i++) {
        const struct share *share = &delays->shares[explained->first + i];
        const uint64_t now = delays_part(wait->ns, at, at + share->ns, explained->sum);
        const uint64_t later = delays_part(longterm, at, at + share->ns, explained->sum);
        at += share->ns;
        good = note_reason(delays, pair, share, now);
        if (share->wait != REPLAY_NONE) {
            charge_wait(delays, share->wait, now + later);
            indirect += now;
            continue;
        }
        paths_add(&replay->paths, share->path, metric, (int64_t)now);
        paths_add(&replay->paths, share->path, metric + 1, (int64_t)later);
    }
    if (explained->who != delays->team->self)
        return good && tell_news(delays, explained->who, explained->number, indirect, true);
    note_indirect(replay, explained->number, indirect);
    return good;
}

static bool hear(struct crew_delays *delays, uint32_t who, const struct news *news)
{
    if (news->is_indirect) {
        note_indirect(delays->replay, news->number, news->ns);
        return true;
    }
    return charge(delays, &delays->explained[delays->first_explained[who] + news->number],
                  news->ns);
}

/* Passes on what is known of the waits that are ready; those of one's own causes go at once. */
static bool pass_on(struct crew_delays *delays)
{
    bool good = true;
    while (good && delays->ready_count > 0) {
        const uint32_t number = delays->ready[--delays->ready_count];
        const uint32_t who = owner_of(delays, &delays->replay->waits[number]);
        const uint64_t ns = delays->delaying.longterm_ns[number];
        const struct news news = {ns, delays->asked[number], false};
        good = who == delays->team->self ? hear(delays, who, &news)
                                         : tell_news(delays, who, news.number, ns, false);
    }
    return good;
}

/* Until nobody has told another one anything. */
static bool charge_all(struct crew_delays *delays)
{
    bool good = true;
    uint64_t told = 1;
    for (uint32_t i = 0; i < delays->replay->waits_count; i++)
        if (delays->awaited[i] == 0)
            delays->ready[delays->ready_count++] = i;
    while (good && told > 0) {
        delays->told = 0;
        good = pass_on(delays) && talk_exchange(&delays->talk);
        for (uint32_t i = 0; good && i < delays->team->size; i++)
            for (size_t at = 0; good && at < delays->talk.in[i].count;) {
                struct news news;
                memcpy(&news, delays->talk.in[i].data + at, sizeof news);
                at += sizeof news;
                good = hear(delays, i, &news);
            }
        told = delays->told + delays->ready_count;
        good = good && team_sum(delays->team, &told, 1);
    }
    return good;
}

static bool find(struct crew_delays *delays)
{
    struct replay *replay = delays->replay;
    if (!ask_all(delays) || !explain_all(delays) || !charge_all(delays))
        return false;
    for (size_t i = 0; i < replay->waits_count; i++)
        paths_add(&replay->paths, replay->waits[i].path,
                  replay->first_cause + (delays->delaying.propagates[i] ? CAUSE_wait_propagating
                                                                        : CAUSE_wait_terminal),
                  (int64_t)replay->waits[i].ns);
    return !replay->paths.failed;
}

bool crew_delays_find(struct replay *replay, struct team *team, const struct family *nodes,
                      const struct wait_list *waits)
{
    const size_t count = replay->waits_count + 1;
    struct crew_delays delays = {.replay = replay,
                                 .team = team,
                                 .nodes = nodes,
                                 .first_explained = calloc(team->size, sizeof(size_t)),
                                 .asked = calloc(count, sizeof(uint32_t)),
                                 .awaited = calloc(count, sizeof(uint32_t)),
                                 .ready = calloc(count, sizeof(uint32_t))};
    const bool opened = delays_open(&delays.delaying, replay, waits);
    const bool good = talk_open(&delays.talk, team) && opened && delays.first_explained &&
                      delays.asked && delays.awaited && delays.ready && find(&delays);
    talk_close(&delays.talk);
    delays_close(&delays.delaying);
    free(delays.explained);
    free(delays.first_explained);
    free(delays.shares);
    free(delays.asked);
    free(delays.awaited);
    free(delays.ready);
    return good;
}
