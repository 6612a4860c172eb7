/*
 * The graph of a run; for the files of this folder only.
 *
 *     recorded events (record.c) -> calls, messages, operations, needs (graph.c, resolve.c,
 *         relays.c)
 *         -> an order in which they can be simulated (denied.c, order.c)
 *         -> the network's parameters (network.c, fit.c), and what calls take beside (excess.c)
 *     changes (changes.c, balance.c) -> simulation (simulate.c) -> outcome (outcome.c)
 *     whole searches: cuts.c, search.c, critical.c, domino.c
 */
#ifndef TSPROF_WHATIF_GRAPH_H
#define TSPROF_WHATIF_GRAPH_H

#include "whatif/whatif.h"

/* Computation of a thread on a path. */
struct segment {
    uint64_t ns;
    uint32_t path; /* WHATIF_NONE: it was not recorded */
};

/* A call of MPI; the last of each thread is none but the thread's end. */
struct graph_call {
    uint64_t enter_ns, leave_ns;
    uint32_t thread, path;  /* path: WHATIF_NONE for an end */
    uint32_t first_need;    /* those up to the next call's are its own */
    uint32_t first_segment; /* of the computation before it, likewise */
};

/* What a call has to do with others. */
struct need {
    enum need_kind {
        NEED_START,   /* it begins to send a message */
        NEED_ARRIVAL, /* a message arrives in it */
        NEED_SENT,    /* a send is complete in it */
        NEED_MEMBER,  /* it is the end of an operation's member */
        NEED_LINK     /* it waits for a call */
    } kind;
    uint32_t number; /* of the message, member or link */
};

/* A message.  Calls: those in which something of it happens. */
struct graph_message {
    uint32_t send, receive; /* in which the send, the receive began */
    uint32_t arrival;       /* in which it arrived */
    uint32_t sent;          /* in which the send was complete; WHATIF_NONE: not known */
    uint32_t answer;        /* of the receiver, that can answer a request to send */
    uint32_t serve;         /* of the sender, that can send what was asked for */
    bool is_buffered;       /* its send waits for nobody */
    bool always_waits;      /* its send waits for the receive, however short it is */
    bool is_probed;         /* it arrives for a probe, before its receive begins */
    uint64_t bytes;
};

/* An operation of all; members are in the order of ranks. */
struct operation {
    enum tsprof_operation kind;
    uint32_t root; /* which of the members; WHATIF_NONE */
    uint32_t first_member, member_count;
    bool is_followed; /* false: the clocks deny it, or it does not synchronize */
};

struct member {
    uint32_t operation;
    uint32_t start, end; /* calls */
};

/* TO cannot end before AFTER_NS after FROM was entered. */
struct link {
    uint32_t from, to;
    uint64_t after_ns;
};

struct graph_thread {
    uint64_t begin_ns, end_ns;
    uint32_t first_call, call_count; /* with its end; 0: the thread takes no part */
    uint32_t lane;                   /* which of those that take part it is */
};

/* A run as it is predicted: times by call.  Only as far as it was simulated. */
struct times {
    uint64_t *enters, *leaves;
    uint64_t *injections; /* by message: when its first byte is on its way */
    uint64_t *ports;      /* by thread: when it may send the next message */
    uint64_t *meetings;   /* by operation: when the last has come */
};

struct whatif {
    const struct replay_world *world;
    const struct replay *replay;
    struct replay_result result;
    struct graph_thread *threads;
    size_t instance_count; /* of the paths */
    struct graph_call *calls;
    size_t call_count;
    struct segment *segments;
    size_t segment_count;
    struct graph_message *messages;
    size_t message_count;
    struct operation *operations;
    size_t operation_count;
    struct member *members;
    size_t member_count;
    struct link *links;
    size_t link_count;
    struct need *needs;
    size_t need_count;
    bool *is_dropped; /* by need: it is not followed */
    uint32_t *order;  /* calls */
    uint32_t *places; /* by call: where in the order */
    struct whatif_network network;
    uint64_t *excess;   /* by call: what it takes beside waiting and what the model says */
    struct times times; /* of the last prediction */
    struct whatif_changes *unchanged;
    struct whatif_facts facts;
};

struct whatif_changes {
    const struct whatif *graph;
    float *factors;      /* by segment */
    float *call_factors; /* by call */
    uint8_t *flags;      /* by call */
    uint64_t *bytes;     /* by message */
    struct whatif_network network;
    bool is_reordered;      /* the order of the graph may not do */
    const uint32_t *places; /* by call: where in the order that `first` and `last` mean */
    /* What may be different, as places in the order; first > last: nothing. */
    uint32_t first, last;
};
enum { CALL_NEVER_WAITS = 1, CALL_IS_REMOVED = 2 };

/* record.c: what was recorded, for graph.c. */
struct recorded_call {
    uint64_t enter_ns, leave_ns;
    uint32_t thread, path;
};
struct recorded_moment {
    uint64_t ns;
    uint32_t thread;
};
/* One end of a message: as the receiver or as the sender has told it. */
struct recorded_end {
    struct recorded_moment send, receive, done;
    uint64_t bytes;
    uint32_t tag, comm;
    bool is_buffered;
};
struct recorded_member {
    struct recorded_moment start, end;
};
struct recorded_link {
    struct recorded_moment from, to;
};
struct whatif_recorder {
    struct tsprof_pattern pattern;
    const struct replay_world *world;
    struct recorded_call *calls;
    size_t calls_count, calls_room;
    struct recorded_end *arrivals;
    size_t arrivals_count, arrivals_room;
    struct recorded_end *sends;
    size_t sends_count, sends_room;
    struct operation *operations;
    size_t operations_count, operations_room;
    struct recorded_member *members;
    size_t members_count, members_room;
    struct recorded_link *links;
    size_t links_count, links_room;
    bool failed; /* out of memory */
};

/* resolve.c: calls and segments are there; fills in all that lies between calls.  False if out
 * of memory. */
bool graph_resolve(struct whatif *graph, struct whatif_recorder *recorder);

/* relays.c: adds links of members that have waited for more than the others that they are known
 * to wait for.  False if out of memory. */
bool graph_find_relays(struct whatif *graph);

/* denied.c: drops the needs that the measured times deny, and no others. */
void graph_drop_denied(struct whatif *graph);

/* order.c: an order in which each call comes behind all that it needs, nearly that of the
 * measured ends.  Where there is none: if DROP, needs are dropped until there is one, otherwise
 * STUCK becomes a call that never ends.  False if out of memory. */
bool graph_order(struct whatif *graph, const struct whatif_changes *changes, bool drop,
                 uint32_t *order, uint32_t *stuck);

/* Calls VISIT with each call that must have been entered for NEED to be met. */
typedef void entered_visitor(void *context, uint32_t call);
void graph_visit_need(const struct whatif *graph, const struct whatif_changes *changes,
                      const struct need *need, entered_visitor *visit, void *context);

/* network.c: LogGPS. */
bool network_waits(const struct whatif_network *network, const struct graph_message *message,
                   uint64_t bytes);
uint64_t network_overhead(const struct whatif_network *network, uint64_t bytes);
uint64_t network_gap(const struct whatif_network *network, uint64_t bytes);
/* Of a message of BYTES: from its first byte on its way to its last byte there. */
uint64_t network_flight(const struct whatif_network *network, uint64_t bytes);
uint64_t network_stretch(const struct whatif_network *network, uint64_t bytes);
uint64_t network_latency(const struct whatif_network *network);

/* fit.c */
struct whatif_network network_fit(const struct whatif *graph);

/* simulate.c */
bool simulation_times_create(struct times *times, const struct whatif *graph);
void simulation_times_free(struct times *times);
/* The computation before CALL. */
uint64_t simulation_work(const struct whatif *graph, const struct whatif_changes *changes,
                         uint32_t call);
/* CALL is entered at NS: its messages begin. */
void simulation_enter(const struct whatif *graph, const struct whatif_changes *changes,
                      struct times *times, uint32_t call, uint64_t ns);
/* When CALL has done all that comes before it waits. */
uint64_t simulation_begun(const struct whatif *graph, const struct whatif_changes *changes,
                          const struct times *times, uint32_t call);
uint64_t simulation_answered(const struct whatif *graph, const struct whatif_changes *changes,
                             const struct times *times, uint32_t number);
/* Until when CALL has to wait for NEED. */
uint64_t simulation_need(const struct whatif *graph, const struct whatif_changes *changes,
                         struct times *times, const struct need *need);
/* Until when CALL has to wait, whether or not it does; 0: for nobody. */
uint64_t simulation_gate(const struct whatif *graph, const struct whatif_changes *changes,
                         struct times *times, uint32_t call);
/* What CALL takes after its wait, by the model. */
uint64_t simulation_ending(const struct whatif *graph, const struct whatif_changes *changes,
                           uint32_t call);
/* When CALL ends, if all that it needs has been entered. */
uint64_t simulation_leave(const struct whatif *graph, const struct whatif_changes *changes,
                          struct times *times, uint32_t call);
/* CALL has been left: its thread enters the next one. */
void simulation_enter_next(const struct whatif *graph, const struct whatif_changes *changes,
                           struct times *times, uint32_t call);
/* Simulates CALL, and enters the thread's next one. */
void simulation_step(const struct whatif *graph, const struct whatif_changes *changes,
                     struct times *times, uint32_t call);
void simulation_begin(const struct whatif *graph, const struct whatif_changes *changes,
                      struct times *times);
uint64_t simulation_end(const struct whatif *graph, const struct times *times);

/* excess.c: fills in the graph's `excess` and its unchanged network.  False if out of memory.
 */
bool graph_find_excess(struct whatif *graph);

/* changes.c */
/* Something about CALL, or the computation before it, is different. */
void changes_touch(struct whatif_changes *changes, uint32_t call);
/* CHANGES of CALL, and of what it does and what is before it, become as those of FROM. */
void changes_restore(struct whatif_changes *changes, const struct whatif_changes *from,
                     uint32_t call);

/* cuts.c */
/* By place in ORDER: whether nothing behind it needs a call at it or before it to have been
 * entered.  False if out of memory; IS_CUT has room for all calls. */
bool graph_find_cuts(const struct whatif *graph, const struct whatif_changes *changes,
                     const uint32_t *order, const uint32_t *places, bool *is_cut);

/* critical.c */
struct critical {
    struct whatif_crossing *crossings; /* the last first */
    size_t crossings_count, crossings_room;
    uint64_t *paths; /* by path: its computation on the critical path */
};
/* From the last end of TIMES, which are complete, to the beginning.  False if out of memory;
 * critical_free tolerates that. */
bool critical_find(const struct whatif *graph, const struct whatif_changes *changes,
                   struct times *times, struct critical *critical);
void critical_free(struct critical *critical);

/* The call of a thread whose end is not meant, or the end. */
static inline bool is_end(const struct graph_call *call)
{
    return call->path == WHATIF_NONE;
}

static inline uint32_t path_node(const struct whatif *graph, uint32_t path)
{
    return graph->result.paths[path].node;
}

#endif
