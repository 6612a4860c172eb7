/* See thread.h. */
#include "timeline/thread.h"

enum { STACK_LEAST = 16384 };

__thread struct thread *thread_self __attribute__((tls_model("initial-exec")));

bool thread_has_stack_async(const struct thread *thread)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here < thread->stack.high && here > thread->stack.low &&
           here - thread->stack.low >= STACK_LEAST;
}

const char *note_text_async(enum note note)
{
    static const char *const texts[NOTE_COUNT] = {
        [NOTE_PATHS_LOST] = "no memory for more call paths: later ones are joined in one "
                            "(raise TSPROF_MEMORY)",
        [NOTE_PHASES_LOST] = "too many phases, nesting too deep, or out of memory: "
                             "some instances were summed or ignored",
        [NOTE_BOUND_BROKEN] = "no room for as many clusters as the error bound takes: the "
                              "error is larger (raise TSPROF_MEMORY)",
        [NOTE_CELLS_LOST] = "no memory for what is known of some call paths: they are not "
                            "compared, and their largest values are missing "
                            "(raise TSPROF_MEMORY)",
        [NOTE_CLUSTERS_LOST] = "no memory for more clusters: some iterations were put into the "
                               "closest existing one (raise TSPROF_MEMORY)",
        [NOTE_CLASSES_LOST] =
            "no memory for more clusters: iterations of different kinds share "
            "some (raise TSPROF_MEMORY)",
        [NOTE_ITERATIONS_LOST] = "no memory for clusters: profiles of some iterations are only "
                                 "in the whole-run profile (raise TSPROF_MEMORY)",
        [NOTE_PHASE_MISUSED] = "phase markers were out of order",
        [NOTE_PHASE_OPEN] = "a phase was still open at the end of measurement",
        [NOTE_STILL_RUNNING] = "a thread was inside MPI or tsprof at the end of measurement",
        [NOTE_THREADS_LOST] =
            "there were more threads than could be measured: calls of the later "
            "ones are not counted",
        [NOTE_BORDERS_LOST] = "the thread was inactive for so many iterations that their "
                              "boundaries were lost: it has no profiles for them",
        [NOTE_NOT_UNWOUND] = "some MPI calls were too frequent, and their call paths too "
                             "varied, to unwind all of them: the others were counted and timed "
                             "without their call paths",
        [NOTE_VISITS_BOUND] = "visits of some functions that call MPI are lower bounds: their "
                              "return addresses could not be replaced (TSPROF_VISITS)",
        [NOTE_REQUESTS_LOST] =
            "no memory for more open requests: what some of them received or "
            "moved is not counted (raise TSPROF_MEMORY)",
        [NOTE_TOPOLOGIES_LOST] =
            "topologies of some communicators are not in the summary: there were more than "
            "could be kept, or members from outside MPI_COMM_WORLD",
        [NOTE_NOT_SAMPLED] = "no samples were taken: the system refused a timer",
        [NOTE_TIMER_CHANGED] =
            "the thread shared its processor, or was otherwise in step with the kernel's tick: "
            "sampled with performance events after a while (TSPROF_TIMER=auto)",
        [NOTE_RATE_LIMITED] = "fewer samples were taken than TSPROF_RATE asks for: they would "
                              "have cost more than 5 % of the processor time",
        [NOTE_TIMER_STAYED] =
            "the thread shared its processor, or was otherwise in step with the kernel's tick, "
            "and performance events are refused: how its computation divides among functions "
            "is uncertain beyond the stated errors",
        [NOTE_EXECUTIONS_JOINED] = "executions of a function that TSPROF_ITERATION names "
                                   "could not always be told apart: "
                                   "some iterations contain several (name a call in it "
                                   "instead)",
        [NOTE_NOT_COUNTED] =
            "counters could not be started, or could no longer be read: their values are "
            "incomplete",
        [NOTE_REGIONS_LOST] = "no memory for functions that tell when they are entered "
                              "(-finstrument-functions): they were sampled like others",
        [NOTE_REGIONS_JOINED] = "functions that tell when they are entered have very many call "
                                "paths: on further ones their time is that of their caller",
        [NOTE_FILTER_LOST] = "no memory for what TSPROF_FILTER says: no function was left out",
    };
    return texts[note];
}
