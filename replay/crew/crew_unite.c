/*
 * The result of a team, at the first of it: what all have found, in one replay, whose nodes,
 * paths and iterations are numbered as if it had met them all.  Then what is due to the whole
 * job: what activities on the critical path cost.  See crew.h.
 */
#include "replay/crew/crew_causes.h"

#include "replay/list.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_MOST = CREW_LONGEST };

/* What is told of a path; its values follow. */
struct told_path {
    struct replay_moment birth;
    int64_t time_ns, visits, active_ns, critical_ns;
    uint32_t thread, instance, node, parent; /* the parent: the teller's number */
    uint32_t value_count;
};

struct told_value {
    int64_t value;
    uint32_t metric;
};

struct told_reason {
    uint64_t ns;
    uint32_t node;
    bool is_indirect;
};

/* How what one tells begins. */
struct told_counts {
    uint64_t events, unmatched_sends, unmatched_receives;
    uint64_t paths, pairs, waits;
};

/* A path of somebody's, as the first of the team hears of it. */
struct heard_path {
    struct told_path told;
    uint32_t who, number;
};

/* What is collected of all. */
struct uniting {
    struct replay *whole;
    const struct replay_share *share;
    struct heard_path *paths;
    size_t path_count;
    size_t *first_paths; /* by member of the team: among those as they are heard of */
    uint32_t *numbers;   /* by path as it is heard of: of the whole */
    const char **values; /* likewise */
    int64_t *waited_ns;  /* by thread */
    struct critical_path critical;
};

static bool tell_path(const struct crew *crew, const struct family *nodes,
                      const uint32_t *instances, const struct critical_path *critical,
                      uint32_t number, struct bytes *to)
{
    const struct paths *paths = &crew_replay(crew)->paths;
    const struct path *path = &paths->list[number];
    struct told_path told;
    memset(&told, 0, sizeof told);
    told.birth = crew_path_birth(crew, number);
    told.time_ns = path->time_ns;
    told.visits = path->visits;
    told.active_ns = critical->active_ns[number];
    told.critical_ns = critical->critical_ns[number];
    told.thread = path->thread;
    told.instance = path->instance == REPLAY_NONE ? REPLAY_NONE : instances[path->instance];
    told.node = nodes->of_all[path->node];
    told.parent = path->parent;
    for (uint32_t at = path->first_value; at != REPLAY_NONE; at = paths->values[at].next)
        told.value_count++;
    bool good = bytes_add(to, &told, sizeof told);
    for (uint32_t at = path->first_value; good && at != REPLAY_NONE;
         at = paths->values[at].next) {
        struct told_value value;
        memset(&value, 0, sizeof value);
        value.value = paths->values[at].value;
        value.metric = paths->values[at].metric;
        good = bytes_add(to, &value, sizeof value);
    }
    return good;
}

/* Nodes are those of all in pairs already. */
static bool tell_pair(const struct replay *replay, const struct replay_pair *pair,
                      struct bytes *to)
{
    const struct replay_reason *reasons = replay->pairs.reasons;
    uint32_t count = 0;
    for (uint32_t at = pair->first_reason; at != REPLAY_NONE; at = reasons[at].next)
        count++;
    struct replay_pair told;
    memset(&told, 0, sizeof told);
    told = *pair;
    told.first_reason = count;
    bool good = bytes_add(to, &told, sizeof told);
    for (uint32_t at = pair->first_reason; good && at != REPLAY_NONE; at = reasons[at].next) {
        struct told_reason reason;
        memset(&reason, 0, sizeof reason);
        reason.ns = reasons[at].ns;
        reason.node = reasons[at].node;
        reason.is_indirect = reasons[at].is_indirect;
        good = bytes_add(to, &reason, sizeof reason);
    }
    return good;
}

static int compare_waits(const void *a, const void *b, void *context)
{
    const struct replay_wait *waits = context;
    return replay_wait_compare(&waits[*(const uint32_t *)a], &waits[*(const uint32_t *)b]);
}

/* Of a process that has a rank, for another call. */
static bool is_shown(const struct replay *replay, const struct replay_wait *wait)
{
    const struct replay_world *world = replay->world;
    const uint32_t process = world->processes[replay->paths.list[wait->path].thread];
    return wait->ns > 0 && wait->cause_path != REPLAY_NONE &&
           (!world->ranks || world->ranks[process] != REPLAY_NONE);
}

/* The longest of each metric; *COUNT of them. */
static bool tell_waits(const struct replay *replay, struct bytes *to, uint64_t *count)
{
    uint32_t *order = malloc((replay->waits_count + 1) * sizeof *order);
    size_t shown = 0, of_metric = 0;
    bool good = order != NULL;
    *count = 0;
    for (uint32_t i = 0; good && i < replay->waits_count; i++)
        if (is_shown(replay, &replay->waits[i]))
            order[shown++] = i;
    if (shown > 1)
        qsort_r(order, shown, sizeof *order, compare_waits, replay->waits);
    for (size_t i = 0; good && i < shown; i++) {
        const struct replay_wait *wait = &replay->waits[order[i]];
        of_metric =
            i > 0 && wait->metric == replay->waits[order[i - 1]].metric ? of_metric + 1 : 0;
        if (of_metric >= LONGEST_MOST)
            continue;
        good = bytes_add(to, wait, sizeof *wait);
        ++*count;
    }
    free(order);
    return good;
}

/* All that this one has found, for the first of the team. */
static bool tell_all(const struct crew *crew, const struct family *nodes,
                     const uint32_t *instances, const struct critical_path *critical,
                     struct bytes *to)
{
    const struct replay *replay = crew_replay(crew);
    const size_t threads = replay->world->thread_count;
    struct told_counts counts = {.events = replay->events,
                                 .unmatched_sends = replay->unmatched_sends,
                                 .unmatched_receives = replay->unmatched_receives,
                                 .paths = replay->paths.list_count,
                                 .pairs = replay->pairs.list_count};
    int64_t *waited_ns = calloc(threads + 1, sizeof *waited_ns);
    bool good = waited_ns && bytes_add(to, &counts, sizeof counts);
    const size_t place = to->count - sizeof counts;
    for (size_t i = 0; good && i < replay->waits_count; i++)
        waited_ns[replay->paths.list[replay->waits[i].path].thread] +=
            (int64_t)replay->waits[i].ns;
    good = good && bytes_add(to, waited_ns, threads * sizeof *waited_ns);
    free(waited_ns);
    for (uint32_t i = 0; good && i < replay->paths.list_count; i++)
        good = tell_path(crew, nodes, instances, critical, i, to);
    for (size_t i = 0; good && i < replay->pairs.list_count; i++)
        good = tell_pair(replay, &replay->pairs.list[i], to);
    good = good && tell_waits(replay, to, &counts.waits);
    if (good)
        memcpy(to->data + place, &counts, sizeof counts);
    return good;
}

/* Takes SIZE bytes from what is heard. */
static void take(const struct bytes *from, size_t *at, void *to, size_t size)
{
    memcpy(to, from->data + *at, size);
    *at += size;
}

static void hear_paths(struct uniting *uniting, uint32_t who, const struct bytes *from,
                       size_t *at, uint64_t count)
{
    uniting->first_paths[who] = uniting->path_count;
    for (uint64_t i = 0; i < count; i++) {
        struct heard_path *heard = &uniting->paths[uniting->path_count];
        take(from, at, &heard->told, sizeof heard->told);
        heard->who = who;
        heard->number = (uint32_t)i;
        uniting->values[uniting->path_count++] = from->data + *at;
        *at += heard->told.value_count * sizeof(struct told_value);
    }
}

static bool hear_pair(struct pairs *pairs, const struct bytes *from, size_t *at)
{
    struct replay_pair pair;
    take(from, at, &pair, sizeof pair);
    const uint32_t count = pair.first_reason, number = (uint32_t)pairs->list_count;
    pair.first_reason = REPLAY_NONE;
    for (uint32_t i = 0; i < count; i++) {
        struct told_reason told;
        take(from, at, &told, sizeof told);
        if (!LIST_RESERVE(pairs->reasons))
            return false;
        pairs->reasons[pairs->reasons_count] =
            (struct replay_reason){.pair = number,
                                   .node = told.node,
                                   .is_indirect = told.is_indirect,
                                   .ns = told.ns,
                                   .next = pair.first_reason};
        pair.first_reason = (uint32_t)pairs->reasons_count++;
    }
    if (!LIST_RESERVE(pairs->list))
        return false;
    pairs->list[pairs->list_count++] = pair;
    return true;
}

/* The paths of waits are still their owners'. */
static bool hear_wait(struct replay *whole, const struct bytes *from, size_t *at)
{
    if (!LIST_RESERVE(whole->waits))
        return false;
    take(from, at, &whole->waits[whole->waits_count++], sizeof(struct replay_wait));
    return true;
}

/* Returns false if out of memory. */
static bool hear(struct uniting *uniting, uint32_t who, const struct bytes *from)
{
    struct replay *whole = uniting->whole;
    const size_t first_wait = whole->waits_count;
    struct told_counts counts;
    size_t at = 0;
    bool good = true;
    take(from, &at, &counts, sizeof counts);
    whole->events += counts.events;
    whole->unmatched_sends += counts.unmatched_sends;
    whole->unmatched_receives += counts.unmatched_receives;
    for (size_t i = 0; i < whole->world->thread_count; i++) {
        int64_t ns;
        take(from, &at, &ns, sizeof ns);
        uniting->waited_ns[i] += ns;
    }
    hear_paths(uniting, who, from, &at, counts.paths);
    for (uint64_t i = 0; good && i < counts.pairs; i++)
        good = hear_pair(&whole->pairs, from, &at);
    for (uint64_t i = 0; good && i < counts.waits; i++)
        good = hear_wait(whole, from, &at);
    /* For now. */
    for (size_t i = first_wait; i < whole->waits_count; i++)
        whole->waits[i].path += (uint32_t)uniting->first_paths[who];
    return good;
}

static int compare_births(const void *a, const void *b, void *context)
{
    const struct heard_path *paths = context, *one = &paths[*(const uint32_t *)a],
                            *other = &paths[*(const uint32_t *)b];
    const int order = moments_compare(&one->told.birth, &other->told.birth);
    if (order != 0)
        return order;
    if (one->who != other->who)
        return one->who < other->who ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

static void add_values(struct paths *paths, uint32_t path, const struct heard_path *heard,
                       const char *values)
{
    for (uint32_t i = 0; i < heard->told.value_count; i++) {
        struct told_value value;
        memcpy(&value, values + i * sizeof value, sizeof value);
        paths_add(paths, path, value.metric, value.value);
    }
}

static void add_path(struct uniting *uniting, uint32_t number, const struct heard_path *heard,
                     const char *values)
{
    struct paths *paths = &uniting->whole->paths;
    paths->list[paths->list_count++] = (struct path){.thread = heard->told.thread,
                                                     .instance = heard->told.instance,
                                                     .node = heard->told.node,
                                                     .parent = heard->told.parent,
                                                     .time_ns = heard->told.time_ns,
                                                     .visits = heard->told.visits,
                                                     .first_value = REPLAY_NONE};
    uniting->critical.active_ns[number] = heard->told.active_ns;
    uniting->critical.critical_ns[number] = heard->told.critical_ns;
    add_values(paths, number, heard, values);
}

/* Numbers all paths in the order in which they were met. */
static bool add_paths(struct uniting *uniting)
{
    struct paths *paths = &uniting->whole->paths;
    const size_t count = uniting->path_count;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    paths->list = calloc(count + 1, sizeof *paths->list);
    paths->list_room = count + 1;
    const bool good = order && paths->list;
    for (uint32_t i = 0; good && i < count; i++)
        order[i] = i;
    if (good && count > 1)
        qsort_r(order, count, sizeof *order, compare_births, uniting->paths);
    for (uint32_t i = 0; good && i < count; i++) {
        uniting->numbers[order[i]] = i;
        add_path(uniting, i, &uniting->paths[order[i]], uniting->values[order[i]]);
    }
    for (uint32_t i = 0; good && i < count; i++) {
        struct path *path = &paths->list[i];
        if (path->parent != REPLAY_NONE)
            path->parent = uniting->numbers[uniting->first_paths[uniting->paths[order[i]].who] +
                                            path->parent];
    }
    free(order);
    return good && !paths->failed;
}

/* From their owners' numbers to those of the whole. */
static void number_waits(const struct uniting *uniting)
{
    const struct replay *whole = uniting->whole;
    for (size_t i = 0; i < whole->waits_count; i++) {
        struct replay_wait *wait = &whole->waits[i];
        const uint32_t owner =
            uniting->share->owners[whole->world->processes[wait->cause_thread]];
        wait->path = uniting->numbers[wait->path];
        wait->cause_path = uniting->numbers[uniting->first_paths[owner] + wait->cause_path];
    }
}

static bool set_nodes(struct paths *paths, const struct family *nodes)
{
    struct tree_node *list = realloc(paths->nodes, (nodes->count + 1) * sizeof *list);
    if (!list)
        return false;
    for (size_t i = 0; i < nodes->count; i++)
        list[i] = (struct tree_node){nodes->list[i].parent, nodes->list[i].kind};
    paths->nodes = list;
    paths->nodes_count = nodes->count;
    paths->nodes_room = nodes->count + 1;
    return true;
}

static size_t count_paths(const struct talk *talk)
{
    size_t count = 0;
    for (uint32_t i = 0; i < talk->team->size; i++) {
        struct told_counts counts;
        memcpy(&counts, talk->in[i].data, sizeof counts);
        count += counts.paths;
    }
    return count;
}

static bool unite(struct uniting *uniting, const struct talk *talk, const struct family *nodes)
{
    const size_t count = count_paths(talk) + 1;
    struct critical_path *critical = &uniting->critical;
    uniting->paths = calloc(count, sizeof *uniting->paths);
    uniting->first_paths = calloc(talk->team->size, sizeof *uniting->first_paths);
    uniting->numbers = calloc(count, sizeof *uniting->numbers);
    uniting->values = calloc(count, sizeof(char *));
    uniting->waited_ns =
        calloc(uniting->whole->world->thread_count + 1, sizeof *uniting->waited_ns);
    critical->active_ns = calloc(count, sizeof(int64_t));
    critical->critical_ns = calloc(count, sizeof(int64_t));
    critical->activities = calloc(count, sizeof(struct activity));
    bool good = uniting->paths && uniting->first_paths && uniting->numbers && uniting->values &&
                uniting->waited_ns && critical->active_ns && critical->critical_ns &&
                critical->activities && set_nodes(&uniting->whole->paths, nodes);
    for (uint32_t i = 0; good && i < talk->team->size; i++)
        good = hear(uniting, i, &talk->in[i]);
    good = good && add_paths(uniting);
    if (!good)
        return false;
    number_waits(uniting);
    critical_path_publish(uniting->whole, critical, uniting->waited_ns);
    return !uniting->whole->failed && !uniting->whole->paths.failed;
}

static void free_uniting(struct uniting *uniting)
{
    free(uniting->paths);
    free(uniting->first_paths);
    free(uniting->numbers);
    free(uniting->values);
    free(uniting->waited_ns);
    free(uniting->critical.active_ns);
    free(uniting->critical.critical_ns);
    free(uniting->critical.activities);
}

bool crew_unite_all(const struct crew *crew, struct team *team, const struct family *nodes,
                    const uint32_t *instances, const struct critical_path *critical,
                    struct replay **whole)
{
    const struct replay *replay = crew_replay(crew);
    struct uniting uniting = {.share = replay->share,
                              .critical = {.length_ns = critical->length_ns}};
    struct talk talk;
    *whole = NULL;
    bool good = talk_open(&talk, team) &&
                tell_all(crew, nodes, instances, critical, &talk.out[0]) &&
                talk_exchange(&talk);
    if (good && team->self == 0) {
        uniting.whole = replay_create(replay->world);
        good = uniting.whole && unite(&uniting, &talk, nodes);
        *whole = uniting.whole;
    }
    talk_close(&talk);
    free_uniting(&uniting);
    return good;
}
