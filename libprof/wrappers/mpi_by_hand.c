/*
 * The wrappers that need more than a rule, such as receives, whose bytes only the status tells,
 * and calls that are counted and not timed.  Each is exported as MPI_Name and as PMPI_Name.
 */
#include "iterations/iterations.h"
#include "unwind/unwind.h"
#include "wrappers/mpi_fortran_calls.h"
#include "wrappers/mpi_neighborhood.h"
#include "wrappers/mpi_rules.h"
#include "wrappers/wrappers.h"

#include <stdarg.h>

/*
 * MPI_Initialized and MPI_Finalized are also called in processes without MPI, by libraries that
 * find them with dlsym.  Without an MPI library the answer is no.
 */
#define DEFINE_QUERY(name)                                                                     \
    BODY int do_##name(const uintptr_t *wrapper, int profiled, int *flag)                      \
    {                                                                                          \
        if (!mpi_real_table[profiled][CALL_##name] && !mpi_real_present()) {                   \
            *flag = 0;                                                                         \
            return MPI_SUCCESS;                                                                \
        }                                                                                      \
        struct thread *thread = thread_enter(wrapper, false);                                  \
        if (!thread)                                                                           \
            return NEXT(name, profiled)(flag);                                                 \
        MEASURED(thread, name, wrapper, outcome, NEXT(name, profiled)(flag), leaf);            \
        (void)leaf;                                                                            \
        thread_leave(thread);                                                                  \
        return outcome;                                                                        \
    }                                                                                          \
    BOTH(int, name, (int *flag), flag)

DEFINE_QUERY(MPI_Initialized)
DEFINE_QUERY(MPI_Finalized)

/* Begins or ends a phase as MARK says.  END is the time at which the real function returned. */
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
    struct thread *thread = thread_enter(wrapper, false);
    if (!thread)
        return NEXT(MPI_Pcontrol, profiled)(level, argument);
    MEASURED(thread, MPI_Pcontrol, wrapper, outcome,
             NEXT(MPI_Pcontrol, profiled)(level, argument), leaf);
    (void)leaf;
    if (pcontrol_reads(level, argument, &mark))
        mark_phase(thread, &mark, unwind_caller(wrapper), end);
    thread_leave(thread);
    return outcome;
}

/*
 * The program may not have passed any variable argument.  Then ARGUMENT is whatever is in its
 * place.  It is passed on, because the next tool may know whether it is one, and here it is
 * read with care only.
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

/*
 * For functions that some programs call millions of times a second: counts the call, but
 * neither times it nor walks the stack.
 */
static double count_only(enum counted_call counted, double (*real)(void))
{
    struct thread *thread = thread_self;
    if (thread && thread->depth == DEPTH_PROGRAM && !thread->stopped) {
        /* The context is claimed, because a sample could otherwise end the level meanwhile. */
        thread_claim_async(thread, ARCH_FRAME_ADDRESS());
        if (!thread->stopped)
            thread->level->counted[counted]++;
        thread_release_async(thread);
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
 * Functions that free objects of which rules remember something.  FORGET is called in any case,
 * and before the real function, because after that another object may get the handle.
 */
#define DEFINE_FREE(name, type, forget, number_of, tag)                                        \
    BODY int do_##name(const uintptr_t *wrapper, int profiled, type *object)                   \
    {                                                                                          \
        forget();                                                                              \
        const uint32_t number = trace_is_on_async() ? number_of(*object) : OBJECT_UNKNOWN;     \
        struct thread *thread = mpi_fortran_calls_call(CALL_##name, profiled, wrapper)         \
                                    ? NULL                                                     \
                                    : thread_enter(wrapper, true);                             \
        if (!thread)                                                                           \
            return NEXT(name, profiled)(object);                                               \
        MEASURED(thread, name, wrapper, outcome, NEXT(name, profiled)(object), leaf);          \
        (void)leaf;                                                                            \
        if (number != OBJECT_UNKNOWN && trace_records_async(thread))                           \
            RECORD(thread, tag, number);                                                       \
        thread_leave(thread);                                                                  \
        return outcome;                                                                        \
    }                                                                                          \
    BOTH(int, name, (type * object), object)

#define NO_NUMBER(object) ((void)(object), (uint32_t)OBJECT_UNKNOWN)

DEFINE_FREE(MPI_Type_free, MPI_Datatype, mpi_type_forget, NO_NUMBER, EVENT_NONE)
/* Rules remember nothing of files. */
static void forget_nothing(void)
{
}

DEFINE_FREE(MPI_File_close, MPI_File, forget_nothing, mpi_file_forget, EVENT_FREE_FILE)
DEFINE_FREE(MPI_Win_free, MPI_Win, mpi_window_forget, mpi_window_forget_number,
            EVENT_FREE_WINDOW)
DEFINE_FREE(MPI_Comm_free, MPI_Comm, neighborhood_forget, mpi_comm_forget, EVENT_FREE_COMM)
DEFINE_FREE(MPI_Comm_disconnect, MPI_Comm, neighborhood_forget, mpi_comm_forget,
            EVENT_FREE_COMM)

/*
 * Receives need a status, which says how many bytes came, even if the program ignores it.  So
 * CALL, the arguments of the real function, uses the variable `status_here` instead of the
 * program's status.
 */
#define RECEIVE(name, wrapper, profiled, status, call, bytes_out)                              \
    struct thread *thread = thread_enter(wrapper, true);                                       \
    MPI_Status own;                                                                            \
    MPI_Status *status_here = status;                                                          \
    if (!thread)                                                                               \
        return NEXT(name, profiled) call;                                                      \
    if (status_here == MPI_STATUS_IGNORE)                                                      \
        status_here = &own;                                                                    \
    MEASURED(thread, name, wrapper, outcome, NEXT(name, profiled) call, leaf);                 \
    struct counted_mpi_call counted = {.thread = thread, .leaf = leaf};                        \
    if (outcome == MPI_SUCCESS) {                                                              \
        bytes_out;                                                                             \
        rule_receive(&counted, status_here);                                                   \
    }                                                                                          \
    thread_leave(thread);                                                                      \
    return outcome

#define DEFINE_RECEIVES(suffix, count_type)                                                    \
    BODY int do_MPI_Recv##suffix(const uintptr_t *wrapper, int profiled, void *buf,            \
                                 count_type count, MPI_Datatype datatype, int source, int tag, \
                                 MPI_Comm comm, MPI_Status *status)                            \
    {                                                                                          \
        RECEIVE(MPI_Recv##suffix, wrapper, profiled, status,                                   \
                (buf, count, datatype, source, tag, comm, status_here),                        \
                ABOUT(source, tag, comm));                                                     \
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
        /* Before the call, which overwrites the handle. */                                    \
        const uint32_t comm = mpi_message_take(note);                                          \
        RECEIVE(MPI_Mrecv##suffix, wrapper, profiled, status,                                  \
                (buf, count, datatype, note, status_here), counted.about.object = comm);       \
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
                ABOUT(dest, sendtag, comm);                                                    \
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
                ABOUT(dest, sendtag, comm);                                                    \
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
