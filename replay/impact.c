/*
 * What activities cost all threads together: their own time, and the waiting of those that
 * have less of them than the critical path.  See causes.h.
 *
 * An activity has G on the critical path, and T on a thread.  The thread's time in it counts
 * up to G as of the critical path; what is beyond that is not.  What the thread lacks, G - T,
 * is its share when its waiting is charged to activities.  Where T is 0 for it, the thread is
 * of another partition than those with the activity: what it waits beyond all that it lacks of
 * its own activities is the fault of such others.
 */
#include "replay/causes.h"

#include <stdlib.h>

/* A thread beside the critical path; in nanoseconds. */
struct consumer {
    int64_t waited_ns;
    int64_t common_ns; /* of its activities, what the critical path and it both have */
    int64_t own_ns;    /* what the critical path has of them */
};

/* What one nanosecond of an activity that is on the critical path costs a thread, of what the
 * thread lacks, and of activities that the thread has no part in. */
struct rates {
    double lacking, inter;
};

/* What waiting is charged to an activity. */
struct charges {
    double all, inter;
};

struct charging {
    struct replay *replay;
    const struct critical_path *critical;
    struct consumer *consumers; /* by thread */
    struct charges *charges;    /* by activity */
};

static int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static void add(const struct charging *charging, uint32_t path, enum cause cause, int64_t ns)
{
    if (ns > 0)
        paths_add(&charging->replay->paths, path, charging->replay->first_cause + cause, ns);
}

/* The time of each thread in its activities, which needs no charging. */
static void publish_activities(const struct charging *charging)
{
    const struct paths *paths = &charging->replay->paths;
    for (uint32_t i = 0; i < paths->list_count; i++) {
        const int64_t active = charging->critical->active_ns[i];
        const int64_t most = activity_of(charging->replay, charging->critical, i)->critical_ns;
        const int64_t common = smaller(active, most);
        add(charging, i, CAUSE_critical_path_activities, common);
        add(charging, i, CAUSE_non_critical_path_activities, active - common);
        struct consumer *consumer = &charging->consumers[paths->list[i].thread];
        consumer->common_ns += common;
        consumer->own_ns += active > 0 ? most : 0;
    }
}

/* All zero for a thread that lacks nothing. */
static struct rates rates_of(const struct charging *charging, const struct consumer *consumer)
{
    const int64_t lacking = charging->critical->length_ns - consumer->common_ns;
    const int64_t others = charging->critical->length_ns - consumer->own_ns;
    if (lacking <= 0)
        return (struct rates){0, 0};
    struct rates rates = {.lacking = (double)consumer->waited_ns / (double)lacking};
    const int64_t beyond = consumer->waited_ns - (consumer->own_ns - consumer->common_ns);
    if (beyond > 0 && others > 0)
        rates.inter = (double)beyond / (double)others;
    /* More than all that it lacks no thread can have waited, but for errors of clocks. */
    if (rates.inter > rates.lacking)
        rates.inter = rates.lacking;
    return rates;
}

/* The charges of all threads as if they lacked all of it; those of activities that they have
 * are taken back afterwards, so that nobody looks at what all threads do not do. */
static void charge_all(const struct charging *charging)
{
    const struct replay *replay = charging->replay;
    const struct critical_path *critical = charging->critical;
    struct charges sum = {0, 0};
    for (size_t i = 0; i < replay->world->thread_count; i++) {
        const struct consumer *consumer = &charging->consumers[i];
        const struct rates rates = rates_of(charging, consumer);
        /* Who waits and lacks nothing has nobody in particular to blame. */
        sum.all += rates.lacking > 0
                       ? rates.lacking
                       : (double)consumer->waited_ns / (double)critical->length_ns;
        sum.inter += rates.inter;
    }
    for (size_t i = 0; i < critical->activity_count; i++) {
        const double ns = (double)critical->activities[i].critical_ns;
        charging->charges[i] = (struct charges){sum.all * ns, sum.inter * ns};
    }
}

static void take_back(const struct charging *charging)
{
    const struct paths *paths = &charging->replay->paths;
    const struct critical_path *critical = charging->critical;
    for (uint32_t i = 0; i < paths->list_count; i++) {
        const struct activity *activity = activity_of(charging->replay, critical, i);
        const struct rates rates =
            rates_of(charging, &charging->consumers[paths->list[i].thread]);
        struct charges *charges = &charging->charges[activity - critical->activities];
        charges->all -=
            rates.lacking * (double)smaller(critical->active_ns[i], activity->critical_ns);
        if (critical->active_ns[i] > 0)
            charges->inter -= rates.inter * (double)activity->critical_ns;
    }
}

/* Rounds so that the sum of all is that of what was rounded. */
static int64_t rounded(double *exact, int64_t *told, double more)
{
    *exact += more > 0 ? more : 0;
    const int64_t ns = (int64_t)(*exact + 0.5) - *told;
    *told += ns;
    return ns;
}

/* An activity's charges lie where it is on the critical path, in proportion. */
static void publish_charges(const struct charging *charging)
{
    const struct critical_path *critical = charging->critical;
    double all = 0, inter = 0;
    int64_t all_told = 0, inter_told = 0;
    for (uint32_t i = 0; i < charging->replay->paths.list_count; i++) {
        if (critical->critical_ns[i] == 0)
            continue;
        const struct activity *activity = activity_of(charging->replay, critical, i);
        const struct charges *charges = &charging->charges[activity - critical->activities];
        const double share = (double)critical->critical_ns[i] / (double)activity->critical_ns;
        const int64_t whole = rounded(&all, &all_told, charges->all * share);
        const int64_t between =
            smaller(whole, rounded(&inter, &inter_told, charges->inter * share));
        add(charging, i, CAUSE_inter_partition_imbalance, between);
        add(charging, i, CAUSE_intra_partition_imbalance, whole - between);
    }
}

void impact_find(struct replay *replay, const struct critical_path *critical,
                 const int64_t *waited_ns)
{
    const struct charging charging = {
        .replay = replay,
        .critical = critical,
        .consumers = calloc(replay->world->thread_count + 1, sizeof(struct consumer)),
        .charges = calloc(critical->activity_count + 1, sizeof(struct charges))};
    replay->failed |= !charging.consumers || !charging.charges;
    if (charging.consumers && charging.charges) {
        publish_activities(&charging);
        for (size_t i = 0; i < replay->world->thread_count; i++)
            charging.consumers[i].waited_ns = waited_ns[i];
    }
    if (charging.consumers && charging.charges && critical->length_ns > 0) {
        charge_all(&charging);
        take_back(&charging);
        publish_charges(&charging);
    }
    free(charging.consumers);
    free(charging.charges);
}
