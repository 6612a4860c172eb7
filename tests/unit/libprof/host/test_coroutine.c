/* Work in pieces: it goes on where it paused, whoever resumes it, and disturbs nobody. */
#include "host/coroutine.h"

#include "tap.h"

#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

enum { PIECES = 5, DEEP = 40 };

struct job {
    struct coroutine coroutine;
    int done;
    int sum;
    bool rounding;
    bool aligned;
};

/* Whether SSE instructions round up, as fesetround has them do. */
static bool is_rounded_up(void)
{
    volatile double one = 1, three = 3;
    return one / three * 3 > 1 || one / three + one / three + one / three > 1;
}

/* Pauses deep in a recursion, with something on the stack at each level. */
static int descend(struct job *job, int depth)
{
    volatile char filling[256];
    memset((void *)(uintptr_t)filling, depth, sizeof filling);
    if (depth == DEEP)
        coroutine_pause_async(&job->coroutine);
    const int below = depth < DEEP ? descend(job, depth + 1) : 0;
    return below + filling[17];
}

static void work(void *argument)
{
    struct job *job = argument;
    _Alignas(16) char place[16];
    job->aligned = (uintptr_t)place % 16 == 0;
    for (int i = 0; i < PIECES; i++) {
        job->sum += descend(job, 1);
        job->done++;
    }
    job->rounding = is_rounded_up();
}

static void test_pieces(void)
{
    static struct job job;
    int resumed = 0;
    coroutine_create_async(&job.coroutine);
    OK(job.coroutine.stack != NULL, "there is a stack");
    coroutine_start_async(&job.coroutine, work, &job);
    while (!coroutine_resume_async(&job.coroutine, INT64_MIN)) {
        EQ_INT(job.done, resumed, "piece %d: it paused", resumed);
        resumed++;
    }
    EQ_INT(resumed, PIECES, "as often as it wanted to");
    EQ_INT(job.sum, PIECES * DEEP * (DEEP + 1) / 2, "what was on its stack is there again");
    OK(job.aligned, "its stack is aligned");
    OK(coroutine_resume_async(&job.coroutine, INT64_MIN), "what has ended stays so");
}

static void test_floating(void)
{
    static struct job job;
    coroutine_create_async(&job.coroutine);
    fesetround(FE_TONEAREST);
    coroutine_start_async(&job.coroutine, work, &job);
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    while (!coroutine_resume_async(&job.coroutine, INT64_MIN))
        continue;
    EQ_INT(fetestexcept(FE_ALL_EXCEPT), 0, "no flag is raised that the work has raised");
    OK(is_rounded_up(), "rounding is the resumer's again");
    OK(!job.rounding, "and was the work's own meanwhile");
    fesetround(FE_TONEAREST);
}

static void *resume_once(void *argument)
{
    coroutine_resume_async(argument, INT64_MIN);
    return NULL;
}

static void test_threads(void)
{
    static struct job job;
    coroutine_create_async(&job.coroutine);
    coroutine_start_async(&job.coroutine, work, &job);
    for (int i = 0; i <= PIECES; i++) {
        pthread_t thread;
        NEED(pthread_create(&thread, NULL, resume_once, &job.coroutine) == 0);
        pthread_join(thread, NULL);
    }
    OK(!job.coroutine.under_way, "each piece by another thread");
    EQ_INT(job.sum, PIECES * DEEP * (DEEP + 1) / 2, "with the same result");
}

static jmp_buf away;

static void leave(void *argument)
{
    (void)argument;
    longjmp(away, 1);
}

static void test_left(void)
{
    static struct job job;
    coroutine_create_async(&job.coroutine);
    coroutine_start_async(&job.coroutine, leave, &job);
    if (setjmp(away) == 0)
        coroutine_resume_async(&job.coroutine, INT64_MIN);
    OK(job.coroutine.under_way && job.coroutine.runs, "a jump out of it can be seen");
    coroutine_drop_async(&job.coroutine);
    OK(coroutine_resume_async(&job.coroutine, INT64_MIN), "what was dropped has ended");
    coroutine_start_async(&job.coroutine, work, &job);
    while (!coroutine_resume_async(&job.coroutine, INT64_MIN))
        continue;
    EQ_INT(job.done, PIECES, "and other work can be done");
}

/* As deep as descend, with other frames. */
static int descend_otherwise(int depth)
{
    volatile char filling[376];
    memset((void *)(uintptr_t)filling, depth, sizeof filling);
    const int below = depth < DEEP / 2 ? descend_otherwise(depth + 1) : 0;
    return below + filling[23];
}

static void work_otherwise(void *argument)
{
    struct job *job = argument;
    job->sum = descend_otherwise(1);
}

/* The address sanitizer, too, sees nothing wrong in a stack that was left in use. */
static void test_left_deep(void)
{
    static struct job job;
    coroutine_create_async(&job.coroutine);
    coroutine_start_async(&job.coroutine, work, &job);
    OK(!coroutine_resume_async(&job.coroutine, INT64_MIN), "work pauses deep in a recursion");
    coroutine_drop_async(&job.coroutine);
    coroutine_start_async(&job.coroutine, work_otherwise, &job);
    OK(coroutine_resume_async(&job.coroutine, INT64_MIN), "and is dropped for other work");
    EQ_INT(job.sum, DEEP / 2 * (DEEP / 2 + 1) / 2, "which has the stack for itself");
}

/* As a signal handler of the program that ends the measurement. */
static void start_again(void *argument)
{
    struct job *job = argument;
    struct coroutine *coroutine = &job->coroutine;
    volatile char mine[64];
    memset((void *)(uintptr_t)mine, 7, sizeof mine);
    coroutine_start_async(coroutine, work, job);
    coroutine_resume_async(coroutine, INT64_MIN);
    job->rounding = mine[0] == 7 && mine[63] == 7;
}

static void test_on_its_own_stack(void)
{
    static struct job job;
    coroutine_create_async(&job.coroutine);
    coroutine_start_async(&job.coroutine, start_again, &job);
    OK(coroutine_resume_async(&job.coroutine, INT64_MIN), "it ends");
    EQ_INT(job.done, PIECES, "what is started on its own stack is done at once");
    OK(job.rounding, "beside what was there");
}

/* Traps that the program had set when the work began, and has cleared since, must not fire. */
static void test_traps(void)
{
    static struct job job;
    volatile long double zero = 0, result;
    coroutine_create_async(&job.coroutine);
    feenableexcept(FE_DIVBYZERO);
    coroutine_start_async(&job.coroutine, work, &job);
    coroutine_resume_async(&job.coroutine, INT64_MIN);
    fedisableexcept(FE_DIVBYZERO);
    result = 1 / zero;
    while (!coroutine_resume_async(&job.coroutine, INT64_MIN))
        continue;
    OK(result > 0, "an exception that the program has masked stays so");
    feclearexcept(FE_ALL_EXCEPT);
}

static void test_enough(void)
{
    static struct job job;
    coroutine_create_async(&job.coroutine);
    coroutine_pause_async(&job.coroutine);
    coroutine_start_async(&job.coroutine, work, &job);
    OK(coroutine_resume_async(&job.coroutine, INT64_MAX), "without an end it does not pause");
    EQ_INT(job.done, PIECES, "and does all");
}

static void test_without_stack(void)
{
    static struct job job;
    coroutine_start_async(&job.coroutine, work, &job);
    OK(coroutine_resume_async(&job.coroutine, INT64_MIN),
       "without a stack all is done at once");
    EQ_INT(job.done, PIECES, "all of it");
}

int main(void)
{
    test_pieces();
    test_floating();
    test_threads();
    test_left();
    test_left_deep();
    test_on_its_own_stack();
    test_traps();
    test_enough();
    test_without_stack();
    return tap_done();
}
