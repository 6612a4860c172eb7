/*
 * Predicts how long a run would have taken if something about it were different.
 *
 * The events of replay/ become a graph: for each thread its calls of MPI with the computation
 * between them, and what each call needs of others (messages, operations of all, epochs of
 * windows).  A simulation goes through it by the model LogGPS: computation takes as long as it
 * was measured, messages take what the network's parameters say, who waits follows from both.
 * Ino, Kanbe, Okita and Hagihara, PerWiz: A What-If Prediction Tool for Tuning Message Passing
 * Programs (2003), has the questions and the domino paths; Ino, Fujimoto and Hagihara, LogGPS
 * (PPoPP 2001), the model.  doc/whatif.md says what is assumed.
 *
 *     recorder = whatif_listen(replay, &world);       before the first event
 *     ... replay_take ... replay_end ...
 *     whatif = whatif_create(recorder, replay);       takes the recorder
 *     changes = whatif_changes(whatif);
 *     whatif_scale(changes, paths, 0.5);              any number of changes
 *     outcome = whatif_predict(whatif, changes);
 *
 * Knows neither MPI nor files nor names: paths are those of the replay's result.  Program
 * context, one thread for each graph.  Times are in nanoseconds.  Memory is some 100 bytes for
 * each call of MPI and 16 for each place that a thread went to between them.
 */
#ifndef TSPROF_WHATIF_H
#define TSPROF_WHATIF_H

#include "replay/replay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHATIF_NONE    UINT32_MAX
#define WHATIF_NO_SIZE UINT64_MAX /* no message is as long */

/* The parameters of LogGPS, but the number of processors. */
struct whatif_network {
    double latency_ns;          /* L */
    double overhead_ns;         /* o, of a message at either end */
    double gap_ns;              /* g, between the beginnings of two messages of a sender */
    double byte_ns;             /* G */
    uint64_t synchronous_bytes; /* S: a longer message waits for its receive */
    uint64_t packet_bytes; /* s: a longer one takes several packets, each with an overhead */
};

struct whatif_recorder;
struct whatif;

/* Starts to record what REPLAY matches; before its first event.  NULL if out of memory.  WORLD
 * is the replay's.  The recorder lives until whatif_create or whatif_forget, and the replay
 * must not take events after that. */
struct whatif_recorder *whatif_listen(struct replay *replay, const struct replay_world *world);
void whatif_forget(struct whatif_recorder *recorder);

/* After replay_end: the graph; the recorder is gone.  The replay must outlive it.  Free it with
 * whatif_free.  NULL if out of memory. */
struct whatif *whatif_create(struct whatif_recorder *recorder, const struct replay *replay);
void whatif_free(struct whatif *whatif);

/* What the graph is made of, and what it could not follow. */
struct whatif_facts {
    uint64_t begin_ns, end_ns; /* as measured, of the threads that call MPI */
    size_t calls, messages, operations, threads;
    uint64_t paused_ns;       /* recording was off: kept as it is */
    uint64_t contradictions;  /* needs that the clocks deny: not followed */
    uint64_t longest_message; /* bytes */
};
struct whatif_facts whatif_facts(const struct whatif *whatif);

/* The parameters of the network that the run has used, as far as its events tell: least times
 * of messages by length. */
struct whatif_network whatif_network(const struct whatif *whatif);
/* Takes NETWORK for the one that the run has used.  False if out of memory. */
bool whatif_set_network(struct whatif *whatif, const struct whatif_network *network);

/*
 * Changes, which add up: each is applied to what those before it have left.  PATHS tells for
 * each path whether it is meant.
 */
struct whatif_changes;
/* No change yet; free with whatif_changes_free.  NULL if out of memory. */
struct whatif_changes *whatif_changes(const struct whatif *whatif);
void whatif_changes_free(struct whatif_changes *changes);
/* TO becomes as FROM is, of the same graph. */
void whatif_changes_copy(struct whatif_changes *to, const struct whatif_changes *from);

/* Computation, and what calls of MPI take beside waiting, takes FACTOR times as long. */
void whatif_scale(struct whatif_changes *changes, const bool *paths, double factor);
/* Nothing of it is done: neither computation nor calls, for which nobody waits then. */
void whatif_remove(struct whatif_changes *changes, const bool *paths);
/* Calls wait for nobody.  THREAD and ORDINAL (which of the calls of that thread on those paths,
 * from 0 on) may be WHATIF_NONE and UINT64_MAX for all.  Returns how many calls that are. */
size_t whatif_never_wait(struct whatif_changes *changes, const bool *paths, uint32_t thread,
                         uint64_t ordinal);
/* Likewise a single CALL. */
void whatif_call_never_waits(struct whatif_changes *changes, uint32_t call);
/* All threads take the mean time for each step: an iteration, or where there are none the Nth
 * stay on PATHS.  Returns the number of steps in which two threads or more take part.  False
 * in GOOD if out of memory. */
size_t whatif_balance(struct whatif_changes *changes, const bool *paths, bool *good);
/* The same for the bytes that they send. */
size_t whatif_balance_bytes(struct whatif_changes *changes, const bool *paths, bool *good);
/* Messages take another network. */
void whatif_use_network(struct whatif_changes *changes, const struct whatif_network *network);

/* What a prediction is. */
struct whatif_outcome {
    uint64_t ns;          /* from begin to end */
    uint64_t *iterations; /* by instance of the replay's events: the longest time of a thread */
    bool is_stuck;        /* calls would wait for each other for ever; the rest is of no use */
    uint32_t stuck_call;  /* one of them */
};

/* Predicts the run with CHANGES (NULL: unchanged).  INSTANCES is how many there are, OUTER in
 * which other each lies (WHATIF_NONE: in none).  False if out of memory.  whatif_outcome_free
 * frees what OUTCOME points to. */
bool whatif_predict(struct whatif *whatif, const struct whatif_changes *changes,
                    const uint32_t *outer, size_t instances, struct whatif_outcome *outcome);
/* The measured run, told in the same way. */
bool whatif_measured(struct whatif *whatif, const uint32_t *outer, size_t instances,
                     struct whatif_outcome *outcome);
void whatif_outcome_free(struct whatif_outcome *outcome);

/* After whatif_predict with the same CHANGES: when NS of THREAD would have been.  CURSOR begins
 * at 0 for each thread, whose times are given in their order and never go back.  A thread that
 * calls no MPI goes along with one of its process that does. */
uint64_t whatif_moved(const struct whatif *whatif, const struct whatif_changes *changes,
                      uint32_t thread, uint64_t ns, size_t *cursor);

/* What a call is. */
struct whatif_call {
    uint32_t thread, path;
    uint64_t enter_ns, leave_ns; /* as measured */
};
struct whatif_call whatif_call(const struct whatif *whatif, uint32_t call);
/* Which of its thread's calls on its path's node CALL is, from 0 on; takes time in proportion.
 */
uint64_t whatif_ordinal(const struct whatif *whatif, uint32_t call);

/* One after the other the calls through which the critical path of a prediction comes from
 * another thread: without a wait of these the run is no shorter. */
struct whatif_crossing {
    uint32_t call, cause; /* the call that was waited for */
    uint64_t wait_ns;     /* in the prediction */
};

/*
 * Predictions of single changes on top of others, each as quickly as what it can reach allows:
 * the simulation begins where the graph is cut before the change, and ends where it is cut
 * behind it and all threads are late, or early, by the same time.
 */
struct whatif_search;
/* On top of CHANGES, which are copied.  NULL if out of memory, or if that run never ends. */
struct whatif_search *whatif_search(struct whatif *whatif,
                                    const struct whatif_changes *changes);
void whatif_search_free(struct whatif_search *search);
/* What the run takes without a further change. */
uint64_t whatif_search_ns(const struct whatif_search *search);
/* Changes to which one may be added; they are as they were after whatif_search_try. */
struct whatif_changes *whatif_search_changes(struct whatif_search *search);
/* The time with the changes that were added. */
uint64_t whatif_search_try(struct whatif_search *search);
/* They stay, and later ones come on top of them.  False if out of memory. */
bool whatif_search_keep(struct whatif_search *search);
/* Its crossings, the last first; they live until the next whatif_search_keep. */
const struct whatif_crossing *whatif_search_crossings(struct whatif_search *search,
                                                      size_t *count);
/* The computation of each path on the critical path; likewise. */
const uint64_t *whatif_search_critical(struct whatif_search *search);
/* How many calls have been simulated so far, for tests. */
uint64_t whatif_search_steps(const struct whatif_search *search);

/*
 * The domino path that ends with THREAD's last call (paper, section 3.1, figure 3): from there
 * back, of the calls of a thread the one without whose wait alone the run is shortest, then the
 * call that it had waited for, and so on while the run becomes no longer.  Only crossings come
 * into question: without another wait the run is no shorter.  Of those of a thread, at most
 * MOST are tried, those with the longest waits.  Puts up to ROOM crossings, the last first,
 * into PATH, and returns how many; NS is the time without the wait of the last one.  0: none
 * helps.
 */
struct whatif_domino {
    uint64_t *known_ns; /* by crossing: what was found out; 0: nothing yet */
};
size_t whatif_domino(struct whatif_search *search, struct whatif_domino *known, uint32_t thread,
                     size_t most, struct whatif_crossing *path, size_t room, uint64_t *ns);

/* What of the time of a thread on paths is what, as predicted (paper, F3: nothing else is
 * needed for a lower bound). */
struct whatif_breakdown {
    uint64_t computation_ns, transfer_ns, wait_ns;
    uint64_t bytes; /* that it sends */
};
/* By thread, after whatif_predict of the unchanged run.  BREAKDOWNS has as many as the world
 * has threads. */
void whatif_break_down(struct whatif *whatif, const bool *paths,
                       struct whatif_breakdown *breakdowns);

/* A lower bound for any program that does the same work, from sums: the longest of the threads'
 * times, each without its waits, with the mean computation, and with the mean bytes, or not.
 * COUNT threads; those with nothing at all do not take part. */
struct whatif_bound {
    bool no_wait, balance, balance_bytes;
};
uint64_t whatif_bound(const struct whatif_breakdown *breakdowns, size_t count,
                      struct whatif_bound bound);

#endif
