/*
 * The wrappers of the MPI functions with which a measurement starts and ends.  Each is exported
 * as MPI_Name and as PMPI_Name.
 */
#include "life/life.h"
#include "wrappers/wrappers.h"
#include "write/write.h"

/* Reads the counters after the real function, before tsprof's own work at the start. */
static void count_start(struct thread *thread)
{
    if (thread->counting)
        counts_read_async(thread, 0);
}

/*
 * Leaves the wrapper that has started the measurement.  Slices and `time:` iterations begin
 * here, because a long computation may follow, and samples cannot begin the first of them.
 */
static void leave_start(struct thread *thread)
{
    thread_worked_async(thread, clock_now_async());
    thread->stalls = (struct stalls){.kinds = {{.longest_ns = 0}}};
    if (thread->watched)
        timeline_cross(thread, thread->last_ns);
    thread_leave(thread);
}

/*
 * Records the call that has initialised MPI, after lifecycle_initialised has calibrated the
 * clock.
 */
static void record_start(struct thread *thread, enum mpi_call call, const uintptr_t *wrapper,
                         uint64_t begin)
{
    uint64_t end = measure_end(thread);
    count_start(thread);
    lifecycle_initialised(thread);
    lifecycle_compare_clocks();
    measure_record(thread, call, wrapper, begin, end);
    leave_start(thread);
}

/*
 * CALL initialises MPI.  Usually that starts the measurement, but a session, or a function that
 * may be called before MPI_Init, can have started it already.
 */
#define INITIALIZE(name, wrapper, call)                                                        \
    struct thread *thread = lifecycle_start((uintptr_t)(wrapper));                             \
    if (thread) {                                                                              \
        uint64_t begin = measure_begin(thread, CALL_##name, wrapper);                          \
        int outcome = call;                                                                    \
        record_start(thread, CALL_##name, wrapper, begin);                                     \
        return outcome;                                                                        \
    }                                                                                          \
    thread = thread_enter(wrapper, false);                                                     \
    if (!thread) {                                                                             \
        int outcome = call;                                                                    \
        lifecycle_world();                                                                     \
        return outcome;                                                                        \
    }                                                                                          \
    MEASURED(thread, name, wrapper, outcome, call, leaf);                                      \
    (void)leaf;                                                                                \
    lifecycle_world();                                                                         \
    thread_leave(thread);                                                                      \
    return outcome

BODY int do_MPI_Init(const uintptr_t *wrapper, int profiled, int *argc, char ***argv)
{
    INITIALIZE(MPI_Init, wrapper, NEXT(MPI_Init, profiled)(argc, argv));
}
BOTH(int, MPI_Init, (int *argc, char ***argv), argc, argv)

BODY int do_MPI_Init_thread(const uintptr_t *wrapper, int profiled, int *argc, char ***argv,
                            int required, int *provided)
{
    INITIALIZE(MPI_Init_thread, wrapper,
               NEXT(MPI_Init_thread, profiled)(argc, argv, required, provided));
}
BOTH(int, MPI_Init_thread, (int *argc, char ***argv, int required, int *provided), argc, argv,
     required, provided)

#if MPI_VERSION >= 4
/*
 * Without MPI_COMM_WORLD each process writes a summary of its own, for which it needs its rank
 * among all processes that were started.
 */
static void learn_rank_by_session(MPI_Session session)
{
    MPI_Group group;
    int initialized = 0, rank = MPI_UNDEFINED;
    PREAL(MPI_Initialized)(&initialized);
    if (initialized ||
        PREAL(MPI_Group_from_session_pset)(session, "mpi://WORLD", &group) != MPI_SUCCESS)
        return;
    PREAL(MPI_Group_rank)(group, &rank);
    PREAL(MPI_Group_free)(&group);
    if (rank != MPI_UNDEFINED)
        merge_set_rank(rank);
}

BODY int do_MPI_Session_init(const uintptr_t *wrapper, int profiled, MPI_Info info,
                             MPI_Errhandler errhandler, MPI_Session *session)
{
    struct thread *thread = lifecycle_start(arch_frame_address(wrapper));
    if (thread) {
        uint64_t begin = measure_begin(thread, CALL_MPI_Session_init, wrapper);
        int outcome = NEXT(MPI_Session_init, profiled)(info, errhandler, session);
        uint64_t end = measure_end(thread);
        count_start(thread);
        lifecycle_initialised(thread);
        if (outcome == MPI_SUCCESS)
            learn_rank_by_session(*session);
        measure_record(thread, CALL_MPI_Session_init, wrapper, begin, end);
        leave_start(thread);
        return outcome;
    }
    thread = thread_enter(wrapper, false);
    if (!thread)
        return NEXT(MPI_Session_init, profiled)(info, errhandler, session);
    MEASURED(thread, MPI_Session_init, wrapper, outcome,
             NEXT(MPI_Session_init, profiled)(info, errhandler, session), leaf);
    (void)leaf;
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session),
     info, errhandler, session)
#endif

/*
 * The measurement ends before the real function is called, because merging needs MPI.  The time
 * spent waiting for the other processes, for which the real function would wait as well, counts
 * as that of the program's call.
 */
BODY int do_MPI_Finalize(const uintptr_t *wrapper, int profiled)
{
    struct thread *thread = thread_enter(wrapper, false);
    if (!thread) {
        lifecycle_join();
        return NEXT(MPI_Finalize, profiled)();
    }
    uint64_t begin = measure_begin(thread, CALL_MPI_Finalize, wrapper);
    if (lifecycle_merges())
        PREAL(MPI_Barrier)(MPI_COMM_WORLD);
    uint64_t end = measure_end(thread);
    if (!measure_over(thread)) {
        measure_record(thread, CALL_MPI_Finalize, wrapper, begin, end);
        thread_worked_async(thread, clock_now_async());
        lifecycle_finish(thread, thread->last_ns);
    }
    return NEXT(MPI_Finalize, profiled)();
}
BOTH(int, MPI_Finalize, (void))

/* The measurement ends here, because the process may end without running destructors. */
BODY int do_MPI_Abort(const uintptr_t *wrapper, int profiled, MPI_Comm comm, int errorcode)
{
    struct thread *thread = thread_enter(wrapper, false);
    if (!thread)
        return NEXT(MPI_Abort, profiled)(comm, errorcode);
    uint64_t begin = measure_begin(thread, CALL_MPI_Abort, wrapper), end = measure_end(thread);
    if (!measure_over(thread)) {
        measure_record(thread, CALL_MPI_Abort, wrapper, begin, end);
        thread_worked_async(thread, clock_now_async());
        lifecycle_abandon(thread, thread->last_ns);
    }
    return NEXT(MPI_Abort, profiled)(comm, errorcode);
}
BOTH(int, MPI_Abort, (MPI_Comm comm, int errorcode), comm, errorcode)
