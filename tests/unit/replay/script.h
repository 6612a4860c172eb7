/*
 * Small traces as tables, for the tests of replay/: four processes of one thread each, a few
 * functions, the world's communicator and one between processes 0, 1 and 2, 3.
 */
#ifndef TSPROF_SCRIPT_H
#define TSPROF_SCRIPT_H

#include "include/tsprof_pattern.h"
#include "replay/replay.h"

/* What a row does not say is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum {
    SCRIPT_PROCESSES = 4,
    SCRIPT_WORLD = 0,
    SCRIPT_BETWEEN = 1,
    SCRIPT_WINDOW = 7,
    NOBODY = -1
};

enum script_region {
    MAIN,
    WORK,
    OTHER_WORK,
    SEND,
    ISEND,
    RECV,
    IRECV,
    WAIT,
    TEST,
    BARRIER,
    ALLREDUCE,
    BCAST,
    REDUCE,
    SCAN,
    INIT,
    FINALIZE,
    WIN_POST,
    WIN_START,
    WIN_COMPLETE,
    WIN_WAIT,
    WIN_LOCK,
    WIN_UNLOCK,
    WIN_FLUSH,
    PUT,
    FENCE,
    MPROBE,
    MRECV,
    BSEND,
    IALLREDUCE,
    WAIT_COLLECTIVE,
    SCRIPT_REGIONS
};

/* A call of MPI of one process; the script makes its events. */
struct script_call {
    uint32_t process;
    enum script_region region;
    uint64_t enter, leave;
    int peer;          /* of messages, notifications and transfers; the root */
    uint64_t request;  /* that begins or ends here; 0: it blocks */
    bool ends_send;    /* of WAIT and TEST: the request is a send's */
    bool between;      /* on SCRIPT_BETWEEN, not on the world */
    uint32_t instance; /* plus one */
    uint64_t bytes;    /* of messages; 0: 8 */
};

/* Where a process was otherwise; what is in no such stay is in MAIN. */
struct script_stay {
    uint32_t process;
    enum script_region region;
    uint64_t enter, leave;
};

struct script {
    const struct script_call *calls;
    size_t call_count;
    const struct script_stay *stays;
    size_t stay_count;
    uint64_t end;         /* when all end */
    uint32_t processes;   /* that are there */
    const uint64_t *ends; /* by process, if not all end then */
    bool has_threads;     /* 3 is no process, but a second thread of 2 */
};

extern const struct replay_world script_world;

/* Who is said to be the master of what is replayed from now on; NOBODY: nobody is. */
extern int script_master;

/* Replays SCRIPT; free with replay_free. */
struct replay *script_run(const struct script *script);
/* The same; PREPARE, with CONTEXT, is given the replay before the first event. */
struct replay *script_run_with(const struct script *script,
                               void (*prepare)(void *context, struct replay *replay),
                               void *context);

/* The sum of METRIC over the paths of PROCESS (NOBODY: of all) that end in REGION
 * (SCRIPT_REGIONS: in any), exclusive. */
int64_t script_value(const struct replay *replay, const char *metric, int process,
                     enum script_region region);

#endif
