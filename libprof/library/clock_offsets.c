/* See clock_offsets.h. */
#include "library/clock_offsets.h"

#include "common/host_identity.h"
#include "host/host.h"
#include "library/typed.h"
#include "library/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_TRIPS = 33, TAG_CLOCK = 3 };

/* Whom this process compares clocks with. */
static struct {
    bool has_hosts; /* several; and all processes have memory for what follows */
    int *partners;  /* at rank 0: one process of each other host */
    int *mates;     /* at those: the others of their host */
    int partner_count, mate_count;
    int leader; /* that compares clocks for this host */
    struct clock_pairs pairs;
} offsets;

uint64_t clock_offsets_host(void)
{
    static uint64_t host;
    if (!host)
        host = measurement_clock.counts ? host_identity_of_boot() : host_identity_of_clock();
    return host;
}

static MPI_Comm comm_of(const struct rank_tree *ranks)
{
    return (MPI_Comm)ranks->comm;
}

static void send_to(const struct rank_tree *ranks, int to, const void *bytes, size_t size)
{
    PREAL(MPI_Send)(bytes, (int)size, MPI_BYTE, to, TAG_CLOCK, comm_of(ranks));
}

static void receive_from(const struct rank_tree *ranks, int from, void *bytes, size_t size)
{
    PREAL(MPI_Recv)
    (bytes, (int)size, MPI_BYTE, from, TAG_CLOCK, comm_of(ranks), MPI_STATUS_IGNORE);
}

/* Rank 0 asks PARTNER for the time, and tells it which answer came back soonest. */
static void ask(const struct rank_tree *ranks, int partner)
{
    struct clock_pair best = {.trip_ticks = UINT64_MAX};
    for (int i = 0; i < ROUND_TRIPS; i++) {
        uint64_t answer = 0;
        const uint64_t before = clock_ticks_async();
        send_to(ranks, partner, &answer, sizeof answer);
        receive_from(ranks, partner, &answer, sizeof answer);
        const uint64_t trip = clock_ticks_async() - before;
        if (trip < best.trip_ticks)
            best = (struct clock_pair){answer, before + trip / 2, trip};
    }
    send_to(ranks, partner, &best, sizeof best);
    message(2, "the clock of rank %d is known to within %lld ns", partner,
            (long long)((double)best.trip_ticks / 2 * 1e9 / clock_hertz()));
}

static struct clock_pair answer(const struct rank_tree *ranks)
{
    struct clock_pair best;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        uint64_t now;
        receive_from(ranks, 0, &now, sizeof now);
        now = clock_ticks_async();
        send_to(ranks, 0, &now, sizeof now);
    }
    receive_from(ranks, 0, &best, sizeof best);
    return best;
}

/* The process that compares clocks for a host is its first one. */
static void compare(const struct rank_tree *ranks)
{
    for (int i = 0; i < offsets.partner_count; i++)
        ask(ranks, offsets.partners[i]);
    if (offsets.leader == ranks->rank && ranks->rank > 0)
        offsets.pairs.list[offsets.pairs.count++] = answer(ranks);
}

/* A process, and the clock of its host. */
struct member {
    uint64_t host;
    int rank;
};

static int by_host(const void *a, const void *b)
{
    const struct member *one = a, *other = b;
    if (one->host != other->host)
        return one->host < other->host ? -1 : 1;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

/* Notes the others of this host, and at rank 0 the first of each other one. */
static void note_members(const struct member *members, int size, int rank, uint64_t host)
{
    for (int i = 0; i < size; i++) {
        const bool is_first = i == 0 || members[i].host != members[i - 1].host;
        const bool is_own = members[i].host == host;
        if (is_own && is_first)
            offsets.leader = members[i].rank;
        else if (is_own)
            offsets.mates[offsets.mate_count++] = members[i].rank;
        else if (is_first && rank == 0)
            offsets.partners[offsets.partner_count++] = members[i].rank;
    }
}

/* Rank 0 alone needs partners, and only the first process of a host its mates. */
static void drop_lists(int rank)
{
    if (rank > 0) {
        free(offsets.partners);
        offsets.partners = NULL;
    }
    if (rank != offsets.leader) {
        free(offsets.mates);
        offsets.mates = NULL;
        offsets.mate_count = 0;
    }
}

/* Whether processes are on several hosts, all of them trace, and none LACKS memory. */
static bool agree(struct rank_tree *ranks, bool is_tracing, bool lacks)
{
    const uint64_t host = clock_offsets_host();
    uint64_t first = host;
    rank_tree_broadcast(ranks, &first, sizeof first);
    uint64_t sums[] = {host != first, !is_tracing, lacks};
    rank_tree_sum(ranks, sums, NULL, 3);
    return sums[0] > 0 && sums[1] == 0 && sums[2] == 0;
}

static void start(struct rank_tree *ranks, bool is_tracing)
{
    const size_t size = (size_t)ranks->size;
    const struct member own = {clock_offsets_host(), ranks->rank};
    struct member *all = calloc(size, sizeof *all);
    offsets.partners = calloc(size, sizeof *offsets.partners);
    offsets.mates = calloc(size, sizeof *offsets.mates);
    offsets.leader = -1;
    offsets.has_hosts = agree(ranks, is_tracing, !all || !offsets.partners || !offsets.mates);
    if (offsets.has_hosts) {
        PREAL(MPI_Allgather)
        (&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, comm_of(ranks));
        qsort(all, size, sizeof *all, by_host);
        note_members(all, ranks->size, ranks->rank, own.host);
        compare(ranks);
    }
    drop_lists(ranks->rank);
    free(all);
}

void clock_offsets_start(bool is_tracing)
{
    static bool done;
    struct rank_tree ranks;
    const struct world world = world_look_up();
    if (done || !world.known || world.size == 1)
        return;
    done = true;
    if (job_processes_extent(world.size) == JOB_IS_NEAR || !rank_tree_join(&ranks))
        return;
    ranks.doing = "clocks";
    ranks.purpose = "comparing clocks";
    ranks.begun_ns = clock_monotonic_ns_async();
    start(&ranks, is_tracing);
    rank_tree_leave(&ranks);
}

struct clock_pairs clock_offsets_end(struct rank_tree *ranks)
{
    if (!offsets.has_hosts)
        return offsets.pairs;
    compare(ranks);
    if (offsets.leader != ranks->rank)
        receive_from(ranks, offsets.leader, &offsets.pairs, sizeof offsets.pairs);
    for (int i = 0; i < offsets.mate_count; i++)
        send_to(ranks, offsets.mates[i], &offsets.pairs, sizeof offsets.pairs);
    return offsets.pairs;
}
