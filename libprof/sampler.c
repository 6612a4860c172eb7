/* See sampler.h. */
#include "sampler.h"

#include "claims.h"
#include "config.h"
#include "message.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int signal_number;

/* The handler's cost is overhead wherever it fell, in MPI's time too. */
static void account_unused_async(struct thread *thread, int64_t begin)
{
    int64_t spent = clock_now_async() - begin;
    thread->cost.samples_unused++;
    thread->cost.handler_ns += spent;
    if (thread->depth == DEPTH_MPI)
        thread->stolen_ns += spent;
}

static void take_sample_async(struct thread *thread, const ucontext_t *context, int64_t now)
{
    const greg_t *saved = context->uc_mcontext.gregs;
    struct registers at = {.pc = (uintptr_t)saved[REG_RIP],
                           .sp = (uintptr_t)saved[REG_RSP],
                           .fp = (uintptr_t)saved[REG_RBP]};
    struct level *level = thread->level;
    thread_computed_async(thread, now);
    struct walk_result walk = unwind_async(level->walker, thread->scratch, &thread->stack, at,
                                           &thread->tree, level->profile);
    level_attribute_async(thread, level, walk.node);
    profile_add_async(level->profile, &thread->tree, walk.node,
                      walk.failed ? METRIC_samples_failed : METRIC_samples, 1);
    level->last_sample = walk.node;
    thread->cost.samples++;
    thread->cost.unwind_failures += walk.failed;
    int64_t done = clock_now_async();
    thread->cost.handler_ns += done - now;
    thread_worked_async(thread, done);
}

static void on_timer_async(int number, siginfo_t *info, void *context)
{
    (void)number;
    struct thread *thread = thread_self;
    if (!thread || thread->stopped || info->si_code != SI_TIMER)
        return;
    int saved = errno;
    int64_t now = clock_now_async();
    if (thread->depth != DEPTH_PROGRAM) {
        account_unused_async(thread, now);
    } else {
        thread->depth = DEPTH_TSPROF;
        /* Should a handler of the program's jump out of this one, the next wrapper will know.
         */
        thread->entry_frame = (uintptr_t)__builtin_frame_address(0);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        /* Whoever stops the thread waits while it sees the depth raised. */
        if (!thread->stopped)
            take_sample_async(thread, context, now);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        thread->depth = DEPTH_PROGRAM;
    }
    errno = saved;
}

/* A real-time signal that the program has not claimed, highest first; 0 when there is none. */
static int find_free_signal(void)
{
    for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--) {
        struct sigaction action;
        if (claims_real_sigaction_async(number, NULL, &action) == 0 &&
            !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL)
            return number;
    }
    return 0;
}

void sampler_start(void)
{
    if (config.number[SETTING_RATE] == 0)
        return;
    int number = find_free_signal();
    struct sigaction action = {.sa_sigaction = on_timer_async,
                               .sa_flags = SA_RESTART | SA_SIGINFO};
    /*
     * Nothing else is blocked meanwhile: the kernel would give a signal meant for the process
     * to another of its threads, which may not expect it.
     */
    sigemptyset(&action.sa_mask);
    if (number == 0 || claims_real_sigaction_async(number, &action, NULL) != 0) {
        message(1, "no samples are taken: the program uses every real-time signal");
        return;
    }
    signal_number = number;
    claims_watch(number);
}

void sampler_give_up_async(void)
{
    signal_number = 0;
    for (struct thread *each = __atomic_load_n(&thread_newest, __ATOMIC_ACQUIRE); each;
         each = each->next)
        sampler_detach(each);
}

int64_t sampler_period_ns(void)
{
    return signal_number ? INT64_C(1000000000) / config.number[SETTING_RATE] : 0;
}

void sampler_attach(struct thread *thread)
{
    if (!signal_number)
        return;
    int64_t period = sampler_period_ns();
    struct itimerspec interval = {
        .it_interval = {period / 1000000000, period % 1000000000},
        .it_value = {period / 1000000000, period % 1000000000},
    };
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number};
    event.sigev_notify_thread_id = thread->os_id;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &thread->timer) != 0) {
        message(1, "no samples are taken: timer_create: %s", strerror(errno));
        return;
    }
    thread->has_timer = true;
    timer_settime(thread->timer, 0, &interval, NULL);
}

void sampler_detach(struct thread *thread)
{
    if (thread->has_timer)
        timer_delete(thread->timer);
    thread->has_timer = false;
}
