/*
 * The wrappers that need more than a rule: start and end of MPI, receives whose status tells
 * the bytes, calls that are counted and nothing more.  Each comes as MPI_Name and PMPI_Name.
 */
#include "life/lifecycle.h"
#include "write/merge.h"
#include "mpi/mpi_bindings.h"
#include "mpi/mpi_neighborhood.h"
#include "mpi/mpi_rules.h"
#include "mpi/mpi_wrapper.h"
#include "iterations/pcontrol.h"
#include "iterations/phase.h"
#include "iterations/watch.h"

#include <stdarg.h>

/* What the real function counted, before tsprof's own part in the start. */
static void count_start(struct thread *thread)
{
    if (thread->counting)
        counters_read_async(thread, 0);
}

/* Intervals begin here: computation may follow, and samples cannot begin the first of them. */
static void leave_start(struct thread *thread)
{
    if (thread->watched) {
        thread_worked_async(thread, clock_now_async());
        watch_come(thread, thread->last_ns);
    }
    measure_leave(thread);
}

/* What all ways to initialise MPI share: the clock is fixed once the real function is done. */
static void record_start(struct thread *thread, enum mpi_call call, const uintptr_t *wrapper,
                         uint64_t begin)
{
    uint64_t end = measure_end(thread);
    count_start(thread);
    lifecycle_initialised(thread);
    measure_record(thread, call, wrapper, begin, end);
    leave_start(thread);
}

/*
 * CALL initialises MPI.  Usually it starts the measurement; but a session, or a function that
 * may be called before, can have started it already.
 */
#define INITIALIZE(name, wrapper, call)                                                        \
    struct thread *thread = lifecycle_start((uintptr_t)(wrapper));                             \
    if (thread) {                                                                              \
        uint64_t begin = measure_begin(thread, CALL_##name, wrapper);                          \
        int outcome = call;                                                                    \
        record_start(thread, CALL_##name, wrapper, begin);                                     \
        return outcome;                                                                        \
    }                                                                                          \
    thread = measure_enter(wrapper, false);                                                    \
    if (!thread)                                                                               \
        return call;                                                                           \
    MEASURED(thread, name, wrapper, outcome, call, leaf);                                      \
    (void)leaf;                                                                                \
    lifecycle_world();                                                                         \
    measure_leave(thread);                                                                     \
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
 * Where there is no world, each process writes its own summary under its rank among all that
 * were started.
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
    struct thread *thread = lifecycle_start((uintptr_t)wrapper);
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
    thread = measure_enter(wrapper, false);
    if (!thread)
        return NEXT(MPI_Session_init, profiled)(info, errhandler, session);
    MEASURED(thread, MPI_Session_init, wrapper, outcome,
             NEXT(MPI_Session_init, profiled)(info, errhandler, session), leaf);
    (void)leaf;
    measure_leave(thread);
    return outcome;
}
BOTH(int, MPI_Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session),
     info, errhandler, session)
#endif

/*
 * The measurement ends here, before MPI does, because merging needs it.  Waiting for the other
 * processes, which the real function would do as well, counts as the program's time.
 */
BODY int do_MPI_Finalize(const uintptr_t *wrapper, int profiled)
{
    struct thread *thread = measure_enter(wrapper, false);
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

/*
 * Programs and libraries ask these in processes that never use MPI, some after finding them
 * with dlsym: without an MPI library the answer is no.
 */
#define DEFINE_QUERY(name)                                                                     \
    BODY int do_##name(const uintptr_t *wrapper, int profiled, int *flag)                      \
    {                                                                                          \
        if (!mpi_real_table[profiled][CALL_##name] && !mpi_real_present()) {                   \
            *flag = 0;                                                                         \
            return MPI_SUCCESS;                                                                \
        }                                                                                      \
        struct thread *thread = measure_enter(wrapper, false);                                 \
        if (!thread)                                                                           \
            return NEXT(name, profiled)(flag);                                                 \
        MEASURED(thread, name, wrapper, outcome, NEXT(name, profiled)(flag), leaf);            \
        (void)leaf;                                                                            \
        measure_leave(thread);                                                                 \
        return outcome;                                                                        \
    }                                                                                          \
    BOTH(int, name, (int *flag), flag)

DEFINE_QUERY(MPI_Initialized)
DEFINE_QUERY(MPI_Finalized)

/* The measurement ends before the process does, which may never come to its destructors. */
BODY int do_MPI_Abort(const uintptr_t *wrapper, int profiled, MPI_Comm comm, int errorcode)
{
    struct thread *thread = measure_enter(wrapper, false);
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

/* Does what MPI_Pcontrol marks, after the call itself; END is when that was left. */
static void mark_phase(struct thread *thread, const struct pcontrol_mark *mark,
                       struct registers marker, uint64_t end)
{
    thread_worked_async(thread, clock_now_async());
    if (!mark->begins || (mark->closes && phase_is_open(thread, mark->name)))
        phase_end(thread, mark->name, marker, end);
    if (mark->begins)
        phase_begin(thread, mark->name, true, marker, end);
}

BODY int do_MPI_Pcontrol(const uintptr_t *wrapper, int profiled, int level,
                         const void *argument)
{
    struct pcontrol_mark mark;
    struct thread *thread = measure_enter(wrapper, false);
    if (!thread)
        return NEXT(MPI_Pcontrol, profiled)(level, argument);
    MEASURED(thread, MPI_Pcontrol, wrapper, outcome,
             NEXT(MPI_Pcontrol, profiled)(level, argument), leaf);
    (void)leaf;
    if (pcontrol_reads(level, argument, &mark))
        mark_phase(thread, &mark, measure_caller(wrapper), end);
    measure_leave(thread);
    return outcome;
}

/*
 * The first of the variable arguments may not be there: then this is whatever lies in its
 * place, which is passed on, for tools that know whether it is one, and looked at only with
 * care.
 */
#define PCONTROL(name, profiled)                                                               \
    MPI_ENTRY(int, name, (const int level, ...))                                               \
    {                                                                                          \
        va_list more;                                                                          \
        va_start(more, level);                                                                 \
        const void *argument = va_arg(more, const void *);                                     \
        va_end(more);                                                                          \
        return do_MPI_Pcontrol(WRAPPER_FRAME, profiled, level, argument);                      \
    }

PCONTROL(MPI_Pcontrol, 0)
PCONTROL(PMPI_Pcontrol, 1)

/* Called millions of times a second by some programs: counted, and neither timed nor unwound.
 */
static double count_only(enum counted_call counted, double (*real)(void))
{
    struct thread *thread = thread_self;
    if (thread && thread->depth == DEPTH_PROGRAM && !thread->stopped) {
        /* A sample could end the level. */
        thread->depth = DEPTH_TSPROF;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (!thread->stopped)
            thread->level->counted[counted]++;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        thread->depth = DEPTH_PROGRAM;
    }
    return real();
}

BODY double do_MPI_Wtime(const uintptr_t *wrapper, int profiled)
{
    (void)wrapper;
    return count_only(COUNTED_WTIME, NEXT(MPI_Wtime, profiled));
}
BOTH(double, MPI_Wtime, (void))

BODY double do_MPI_Wtick(const uintptr_t *wrapper, int profiled)
{
    (void)wrapper;
    return count_only(COUNTED_WTICK, NEXT(MPI_Wtick, profiled));
}
BOTH(double, MPI_Wtick, (void))

/*
 * Functions that end the life of what rules remember.  FORGET hears of it in any case, and
 * before: as soon as the real function has it, the handle may be another one's.
 */
#define DEFINE_FREE(name, type, forget)                                                        \
    BODY int do_##name(const uintptr_t *wrapper, int profiled, type *object)                   \
    {                                                                                          \
        forget();                                                                              \
        struct thread *thread = mpi_bindings_call(CALL_##name, profiled, wrapper)              \
                                    ? NULL                                                     \
                                    : measure_enter(wrapper, true);                            \
        if (!thread)                                                                           \
            return NEXT(name, profiled)(object);                                               \
        MEASURED(thread, name, wrapper, outcome, NEXT(name, profiled)(object), leaf);          \
        (void)leaf;                                                                            \
        measure_leave(thread);                                                                 \
        return outcome;                                                                        \
    }                                                                                          \
    BOTH(int, name, (type * object), object)

DEFINE_FREE(MPI_Type_free, MPI_Datatype, mpi_type_forget)
DEFINE_FREE(MPI_Win_free, MPI_Win, mpi_window_forget)
DEFINE_FREE(MPI_Comm_free, MPI_Comm, neighborhood_forget)
DEFINE_FREE(MPI_Comm_disconnect, MPI_Comm, neighborhood_forget)

/*
 * Receives: the status tells how much came, so there must be one.  CALL names the variable
 * `status_here` in place of the program's status.
 */
#define RECEIVE(name, wrapper, profiled, status, call, bytes_out)                              \
    struct thread *thread = measure_enter(wrapper, true);                                      \
    MPI_Status own;                                                                            \
    MPI_Status *status_here = status;                                                          \
    if (!thread)                                                                               \
        return NEXT(name, profiled) call;                                                      \
    if (status_here == MPI_STATUS_IGNORE)                                                      \
        status_here = &own;                                                                    \
    MEASURED(thread, name, wrapper, outcome, NEXT(name, profiled) call, leaf);                 \
    struct counted_mpi_call counted = {thread, leaf, NULL};                                    \
    if (outcome == MPI_SUCCESS) {                                                              \
        bytes_out;                                                                             \
        rule_receive(&counted, status_here);                                                   \
    }                                                                                          \
    measure_leave(thread);                                                                     \
    return outcome

#define DEFINE_RECEIVES(suffix, count_type)                                                    \
    BODY int do_MPI_Recv##suffix(const uintptr_t *wrapper, int profiled, void *buf,            \
                                 count_type count, MPI_Datatype datatype, int source, int tag, \
                                 MPI_Comm comm, MPI_Status *status)                            \
    {                                                                                          \
        RECEIVE(MPI_Recv##suffix, wrapper, profiled, status,                                   \
                (buf, count, datatype, source, tag, comm, status_here), (void)0);              \
    }                                                                                          \
    BOTH(int, MPI_Recv##suffix,                                                                \
         (void *buf, count_type count, MPI_Datatype datatype, int source, int tag,             \
          MPI_Comm comm, MPI_Status *status),                                                  \
         buf, count, datatype, source, tag, comm, status)                                      \
                                                                                               \
    BODY int do_MPI_Mrecv##suffix(const uintptr_t *wrapper, int profiled, void *buf,           \
                                  count_type count, MPI_Datatype datatype, MPI_Message *note,  \
                                  MPI_Status *status)                                          \
    {                                                                                          \
        RECEIVE(MPI_Mrecv##suffix, wrapper, profiled, status,                                  \
                (buf, count, datatype, note, status_here), (void)0);                           \
    }                                                                                          \
    BOTH(int, MPI_Mrecv##suffix,                                                               \
         (void *buf, count_type count, MPI_Datatype datatype, MPI_Message *note,               \
          MPI_Status *status),                                                                 \
         buf, count, datatype, note, status)                                                   \
                                                                                               \
    BODY int do_MPI_Sendrecv##suffix(                                                          \
        const uintptr_t *wrapper, int profiled, const void *sendbuf, count_type sendcount,     \
        MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, count_type recvcount,     \
        MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)     \
    {                                                                                          \
        RECEIVE(MPI_Sendrecv##suffix, wrapper, profiled, status,                               \
                (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,    \
                 source, recvtag, comm, status_here),                                          \
                rule_send(&counted, sendcount, sendtype, dest));                               \
    }                                                                                          \
    BOTH(int, MPI_Sendrecv##suffix,                                                            \
         (const void *sendbuf, count_type sendcount, MPI_Datatype sendtype, int dest,          \
          int sendtag, void *recvbuf, count_type recvcount, MPI_Datatype recvtype, int source, \
          int recvtag, MPI_Comm comm, MPI_Status *status),                                     \
         sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,    \
         recvtag, comm, status)                                                                \
                                                                                               \
    BODY int do_MPI_Sendrecv_replace##suffix(                                                  \
        const uintptr_t *wrapper, int profiled, void *buf, count_type count,                   \
        MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,  \
        MPI_Status *status)                                                                    \
    {                                                                                          \
        RECEIVE(MPI_Sendrecv_replace##suffix, wrapper, profiled, status,                       \
                (buf, count, datatype, dest, sendtag, source, recvtag, comm, status_here),     \
                rule_send(&counted, count, datatype, dest));                                   \
    }                                                                                          \
    BOTH(int, MPI_Sendrecv_replace##suffix,                                                    \
         (void *buf, count_type count, MPI_Datatype datatype, int dest, int sendtag,           \
          int source, int recvtag, MPI_Comm comm, MPI_Status *status),                         \
         buf, count, datatype, dest, sendtag, source, recvtag, comm, status)

DEFINE_RECEIVES(, int)
#if MPI_VERSION >= 4
DEFINE_RECEIVES(_c, MPI_Count)
#endif
