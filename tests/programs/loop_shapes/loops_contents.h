/*
 * loops_contents.h: what each step of a main loop does, by the program's own account.
 *
 * A case says where the source's loop body begins: begin_step.  Every call of MPI that follows,
 * up to the next begin_step or end_steps, is noted as part of that step by the macros below:
 * which function, and how many bytes it passes.  Messages have another size in each step
 * (step_count), so that no step is like the next ones, and a mixture of two is like none.
 *
 * If LOOPS_CONTENTS is set, each rank leaves a file "contents.RANK" in the working directory, a
 * line a step:
 *
 *     NAME STEP MPI_FUNCTION CALLS BYTES ...
 *
 * A loop of more than CONTENTS_STEPS steps is left out.  If LOOPS_MARKED is set, the steps are
 * marked by TSPROF_ITERATION_BEGIN and _END instead of being found.
 */
#ifndef LOOPS_CONTENTS_H
#define LOOPS_CONTENTS_H

#include <mpi.h>

/* What messages of this step have, 1 to STEP_COUNT_MOST; 1 before the first step. */
enum { STEP_COUNT_MOST = 61, CONTENTS_STEPS = 4096 };
extern int step_count;

/* A pass of the loop NAME begins, and the one before it has ended. */
void begin_step(const char *name);

/* The last one has ended: there is more to come that is no part of it. */
void end_steps(void);

/* Of the calling rank; before MPI_Finalize. */
void write_contents(int rank);

/* A call of FUNCTION, which passes COUNT values of TYPE, comes next. */
void note_call(const char *function, long count, MPI_Datatype type);

/* The same to or from each of the members of GROUP. */
void note_collective(const char *function, long count, MPI_Datatype type, MPI_Comm group);

/*
 * GROUP has so many MEMBERS.  To be told where a function is called with groups of several
 * sizes; otherwise it does not matter.
 */
void tell_members(MPI_Comm group, int members);

/* Functions whose received bytes count elsewhere, or not at all, pass none. */
#define NO_BYTES 0, MPI_BYTE

#define MPI_Send(data, count, type, ...)                                                       \
    (note_call("MPI_Send", count, type), MPI_Send(data, count, type, __VA_ARGS__))
#define MPI_Isend(data, count, type, ...)                                                      \
    (note_call("MPI_Isend", count, type), MPI_Isend(data, count, type, __VA_ARGS__))
#define MPI_Sendrecv(data, count, type, ...)                                                   \
    (note_call("MPI_Sendrecv", count, type), MPI_Sendrecv(data, count, type, __VA_ARGS__))
#define MPI_Bcast(data, count, type, root, group)                                              \
    (note_collective("MPI_Bcast", count, type, group),                                         \
     MPI_Bcast(data, count, type, root, group))
#define MPI_Gather(data, count, type, all, many, each, root, group)                            \
    (note_collective("MPI_Gather", count, type, group),                                        \
     MPI_Gather(data, count, type, all, many, each, root, group))
#define MPI_Allreduce(data, all, count, type, operation, group)                                \
    (note_collective("MPI_Allreduce", count, type, group),                                     \
     MPI_Allreduce(data, all, count, type, operation, group))
#define MPI_Recv(...)      (note_call("MPI_Recv", NO_BYTES), MPI_Recv(__VA_ARGS__))
#define MPI_Irecv(...)     (note_call("MPI_Irecv", NO_BYTES), MPI_Irecv(__VA_ARGS__))
#define MPI_Wait(...)      (note_call("MPI_Wait", NO_BYTES), MPI_Wait(__VA_ARGS__))
#define MPI_Waitall(...)   (note_call("MPI_Waitall", NO_BYTES), MPI_Waitall(__VA_ARGS__))
#define MPI_Waitany(...)   (note_call("MPI_Waitany", NO_BYTES), MPI_Waitany(__VA_ARGS__))
#define MPI_Test(...)      (note_call("MPI_Test", NO_BYTES), MPI_Test(__VA_ARGS__))
#define MPI_Iprobe(...)    (note_call("MPI_Iprobe", NO_BYTES), MPI_Iprobe(__VA_ARGS__))
#define MPI_Barrier(...)   (note_call("MPI_Barrier", NO_BYTES), MPI_Barrier(__VA_ARGS__))
#define MPI_Get_count(...) (note_call("MPI_Get_count", NO_BYTES), MPI_Get_count(__VA_ARGS__))

#endif
