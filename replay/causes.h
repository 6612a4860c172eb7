/*
 * From where ranks waited to why: what delayed those that were waited for, and the critical
 * path.  Run once, after the last event.
 */
#ifndef TSPROF_REPLAY_CAUSES_H
#define TSPROF_REPLAY_CAUSES_H

#include "replay/engine.h"

/* Metrics of causes; they are numbered from `first_cause` of the replay on. */
enum cause {
    CAUSE_delay,
    CAUSE_delay_latesender,
    CAUSE_delay_latesender_longterm,
    CAUSE_delay_latereceiver,
    CAUSE_delay_latereceiver_longterm,
    CAUSE_delay_barrier,
    CAUSE_delay_barrier_longterm,
    CAUSE_delay_n2n,
    CAUSE_delay_n2n_longterm,
    CAUSE_delay_12n,
    CAUSE_delay_12n_longterm,
    CAUSE_delay_n21,
    CAUSE_delay_n21_longterm,
    CAUSE_wait_direct,
    CAUSE_wait_indirect,
    CAUSE_wait_propagating,
    CAUSE_wait_terminal,
    CAUSE_critical_path,
    CAUSE_critical_path_imbalance,
    CAUSE_performance_impact,
    CAUSE_performance_impact_criticalpath,
    CAUSE_critical_path_activities,
    CAUSE_critical_imbalance_impact,
    CAUSE_intra_partition_imbalance,
    CAUSE_inter_partition_imbalance,
    CAUSE_non_critical_path_activities,
    CAUSES
};

/* The pattern that has these metrics, and finds nothing by itself. */
extern const struct tsprof_pattern cause_pattern;

/* Waits, by their numbers in the replay, in the order of when they ended. */
struct wait_list {
    uint32_t *list;
    size_t count;
};

struct sorted_waits {
    struct wait_list all, *threads; /* of all threads, and of each */
    uint32_t *memory;
};

/* False if out of memory; then, too, waits_free. */
bool waits_sort(const struct replay *replay, struct sorted_waits *sorted);
void waits_free(struct sorted_waits *sorted);

/* When WAIT ended. */
uint64_t wait_end(const struct replay_wait *wait);
/* How many of WAITS had ended by NS. */
size_t waits_until(const struct replay *replay, const struct wait_list *waits, uint64_t ns);

/* Finds out since when waits were in the making: first of all. */
void causes_settle(struct replay *replay);

/* In what follows ALL are the waits of all threads, WAITS those of each. */

/* Charges all waits to what delayed those that were waited for: Böhme, Geimer, Wolf and Arnold,
 * Identifying the Root Causes of Wait States in Large-Scale Parallel Applications, section
 * 3. */
void delays_find(struct replay *replay, const struct wait_list *all,
                 const struct wait_list *waits);

/* Where all threads are on one call path in one iteration; in nanoseconds. */
struct activity {
    uint32_t instance, node;
    int64_t active_ns;   /* summed over all threads, without waits */
    int64_t critical_ns; /* of that, on the critical path */
};

/* What is known of the critical path once it has been followed. */
struct critical_path {
    int64_t *active_ns, *critical_ns; /* by path: as above, of the path alone */
    struct activity *activities;      /* in the order of iterations and nodes */
    size_t activity_count;
    int64_t length_ns;
};

/* Follows the critical path back from the last activity: Böhme, de Supinski, Geimer, Schulz
 * and Wolf, Scalable Critical-Path Based Performance Analysis (IPDPS 2012), section 3. */
void critical_path_find(struct replay *replay, const struct wait_list *waits);

/* By path, how long threads were there and did not wait. */
void critical_path_active(const struct replay *replay, int64_t *active_ns);

/* What follows from where it is, which is filled in: all but the activities, for which there is
 * room for one of each path.  WAITED_NS is by thread, how long it waited in all. */
void critical_path_publish(struct replay *replay, struct critical_path *critical,
                           const int64_t *waited_ns);

/* The activity that path NUMBER is part of. */
const struct activity *activity_of(const struct replay *replay,
                                   const struct critical_path *critical, uint32_t number);

/* WAITED_NS is as above.  Charges what all threads consume to call paths on the critical path
 * and to others: the performance impact of the same paper; its parts are computed as in
 * Scalasca. */
void impact_find(struct replay *replay, const struct critical_path *critical,
                 const int64_t *waited_ns);

/* Does all of it. */
void causes_find(struct replay *replay);

#endif
