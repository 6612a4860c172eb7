/* See sampler.h. */
#include "sample/sampler.h"

#include "arch/arch.h"
#include "host/host.h"
#include "regions/regions.h"
#include "sample/poisson.h"
#include "save/save.h"
#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    LOOK_LEAST_NS = 1000000000, /* after which the timer is judged first */
    LIMITED_MANY = 100,         /* so many samples put off are worth a note */
    CHANGE_NS = 1000000         /* what the first gap is longer by when the timer changes */
};

/* The longest time between two judgments. */
static const int64_t LOOK_MOST_NS = INT64_C(16000000000);

/* How samples are taken; if signal is 0, none are. */
static struct {
    int signal;
    enum timer_kind kind;
    int64_t period_ns;           /* between two samples, on average */
    double mean_ns[TIMER_KINDS]; /* mean of the gaps that timers are armed with */
    int perf_signal; /* for threads that change over to performance events; 0: unknown */
    bool may_change; /* they may, */
    bool at_once;    /* and do at their start, unless that fails */
    bool stayed;     /* one has not, though they were to */
    int64_t grid_ns; /* what the system rounds gaps up to, 0 if it does not */
    int refused;     /* errno with which perf events were refused, or 0 */
} method;

static double mean_of_async(const struct thread *thread)
{
    return method.mean_ns[thread->sampling->timer.kind];
}

/*
 * Draws a gap outside of the handler, where the program may have set rounding and exceptions
 * otherwise.
 */
static int64_t gap_in_program(struct thread *thread)
{
    struct floating floating;
    floating_begin(&floating);
    /* volatile, or else the compiler could move the calculation behind floating_end. */
    volatile int64_t gap = poisson_gap_async(&thread->sampling->random, mean_of_async(thread));
    floating_end(&floating);
    return gap;
}

/* The mean of the gap to the next sample, which is longer if the last ones took long. */
static double limited_mean_async(struct thread *thread)
{
    struct sampling *sampling = thread->sampling;
    const int64_t took_ns = thread->cost.handler_ns - sampling->handled_ns;
    sampling->handled_ns = thread->cost.handler_ns;
    thread->sample_ns = limit_period_async(&sampling->limit, took_ns, method.period_ns);
    thread->cost.gaps_ns += thread->sample_ns;
    if (thread->sample_ns == method.period_ns)
        return mean_of_async(thread);
    if (++sampling->limited == LIMITED_MANY)
        thread_note_async(thread, NOTE_RATE_LIMITED);
    return (double)thread->sample_ns;
}

/*
 * Timed apart from the rest of the handler, since this is the system call: in a virtual machine
 * most of the handler's time.
 */
static void arm_async(struct thread *thread)
{
    int64_t gap = poisson_gap_async(&thread->sampling->random, limited_mean_async(thread)),
            begin = clock_now_async();
    timer_arm_async(&thread->sampling->timer, gap);
    thread->cost.arming_ns += clock_now_async() - begin;
}

static void on_timer_async(int number, siginfo_t *info, void *context);

static struct step_tally tally_async(const struct thread *thread, int64_t now)
{
    return (struct step_tally){.wall_ns = now,
                               .used_ns = thread->preemption.used_ns,
                               .preempted_ns = thread->preemption.total_ns,
                               .computed_ns = level_computed_async(thread),
                               .ahead_ns = now - thread->last_ns,
                               .samples = thread->cost.samples};
}

/* From now on what THREAD does is compared with its samples. */
static void begin_comparison_async(struct thread *thread, int64_t now, int64_t after_ns)
{
    struct sampling *sampling = thread->sampling;
    sampling->begin = tally_async(thread, now);
    sampling->look_after_ns = after_ns;
    sampling->look_due_ns = now + after_ns;
}

/* Whether the calling thread has blocked SIGNAL, maybe to wait for it. */
static bool is_blocked_async(int signal)
{
    uint64_t mask = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask);
    return mask >> (signal - 1) & 1;
}

/* Makes the timer of THREAD, the calling one, a performance event, which is not armed yet. */
static bool change_timer_async(struct thread *thread)
{
    if (!method.perf_signal)
        method.perf_signal = timer_signal_async(TIMER_KIND_PERF);
    const bool changed =
        method.perf_signal && !is_blocked_async(method.perf_signal) &&
        timer_change_async(&thread->sampling->timer, method.perf_signal, thread->os_id) &&
        claims_install_async(method.perf_signal, on_timer_async, sampler_give_up_async);
    method.stayed |= !changed;
    if (changed)
        sample_rate.timer = method.at_once && !method.stayed ? "perf" : "cpu, perf";
    return changed;
}

/*
 * The first gap of a timer that was changed in a handler is longer: the other signal is not
 * blocked while the handler of this one runs.
 */
static void arm_changed_async(struct thread *thread)
{
    timer_arm_async(&thread->sampling->timer,
                    CHANGE_NS +
                        poisson_gap_async(&thread->sampling->random, mean_of_async(thread)));
}

/*
 * Compares the samples of THREAD with its time line, after a second, two, four, up to sixteen,
 * and changes its timer if the kernel's tick does not serve it: once, since performance events
 * always do.  The line must be at NOW, or else the comparison goes on from where it began.
 */
static void look_at_step_async(struct thread *thread, int64_t now)
{
    struct sampling *sampling = thread->sampling;
    if (!method.may_change || now < sampling->look_due_ns ||
        sampling->timer.kind != TIMER_KIND_CPU || !sampling->timer.exists)
        return;
    preemption_look_async(thread);
    const struct step_tally end = tally_async(thread, now),
                            passed = in_step_between_async(&sampling->begin, &end);
    if (in_step_async(&passed, thread->sample_ns)) {
        const bool changed = change_timer_async(thread);
        if (changed)
            arm_changed_async(thread);
        thread_note_async(thread, changed ? NOTE_TIMER_CHANGED : NOTE_TIMER_STAYED);
        sampling->look_due_ns = INT64_MAX;
        return;
    }
    const int64_t after_ns =
        sampling->look_after_ns < LOOK_MOST_NS ? 2 * sampling->look_after_ns : LOOK_MOST_NS;
    if (now == thread->last_ns)
        begin_comparison_async(thread, now, after_ns);
    else
        sampling->look_due_ns = now + after_ns;
}

/*
 * Saves from the handler while the thread is in MPI.  Its data are consistent, as they were
 * when it entered MPI; a thread that wants to stop it waits meanwhile, as it does for a sample.
 */
static void look_in_mpi_async(struct thread *thread, int64_t now)
{
    thread_return_from_mpi_async(thread);
    if (!thread->stopped) {
        look_at_step_async(thread, now);
        part_look_in_mpi_async(thread, now);
    }
    thread_enter_mpi_async(thread);
}

/* What a thread's handlers and saves have taken. */
struct spent {
    int64_t handler_ns, saving_ns;
};

static struct spent spent_async(const struct thread *thread)
{
    return (struct spent){thread->cost.handler_ns, thread->cost.saving_ns};
}

/*
 * The handler has kept the thread for NS, which includes a save if SAVING_NS, the thread's time
 * in saves before, has grown.  It may have interrupted a stay in tsprof, which goes on.
 */
static void count_stall_async(struct thread *thread, int64_t ns, int64_t saving_ns)
{
    if (ns >= STALL_LEAST_NS)
        stalls_count_async(&thread->stalls,
                           thread->cost.saving_ns == saving_ns ? STALL_SAMPLE : STALL_SAVE, ns);
}

/*
 * The handler has kept the thread for NS, saves included.  BEFORE is what was known of the
 * thread's cost when it began: a handler of the other timer, to which this one has changed, may
 * have interrupted it since, and its time is in NS.
 */
static void count_handler_async(struct thread *thread, int64_t ns, const struct spent *before)
{
    thread->cost.handler_ns =
        before->handler_ns + ns - (thread->cost.saving_ns - before->saving_ns);
    count_stall_async(thread, ns, before->saving_ns);
}

/*
 * Accounts for a sample that is not used.  The handler's time is overhead wherever it fell; in
 * MPI it is also subtracted from the call.
 */
static void account_unused_async(struct thread *thread, int64_t begin)
{
    int64_t before[COUNTERS_MOST], stolen_ns = thread->stolen_ns;
    const struct spent known = spent_async(thread);
    bool counts = thread->counting && thread->depth == DEPTH_MPI &&
                  counts_interrupt_async(thread, before);
    arm_async(thread);
    if (thread->depth == DEPTH_MPI)
        look_in_mpi_async(thread, begin);
    if (counts)
        counts_resume_async(thread, before);
    int64_t spent = clock_now_async() - begin;
    thread->cost.samples_unused++;
    if (thread->depth == DEPTH_MPI)
        thread->stolen_ns = stolen_ns + spent;
    count_handler_async(thread, spent, &known);
}

/*
 * Drops a sample because a border has to be dealt with first, or was since it was due.  The
 * time line stays where it is, so that what was computed before is still divided at the border;
 * the handler's own time is known apart.
 */
static void drop_sample_async(struct thread *thread, int64_t now)
{
    thread->cost.samples_unused++;
    arm_async(thread);
    if (thread->counting)
        counts_skip_async(thread);
    thread->cost.handler_ns += clock_now_async() - now;
}

/*
 * Whether what was dropped was due where THREAD computes now.  What was due before its last
 * call of MPI, or in another iteration, must not be made up for here.  It may have been without
 * a processor since, while its timer stood still.
 */
static bool is_missed_async(const struct thread *thread, int64_t now)
{
    const struct sample_timer *timer = &thread->sampling->timer;
    return timer_overdue_async(timer) + timer_off_async(timer) > now - thread->last_ns;
}

/* LATE: it was due before, in the kernel. */
static void take_sample_async(struct thread *thread, const ucontext_t *context, int64_t now,
                              bool late)
{
    const struct registers at = arch_interrupted(context);
    const struct spent before = spent_async(thread);
    thread->stay_ns = now;
    if (thread->counting)
        counts_read_async(thread, now);
    if ((late && is_missed_async(thread, now)) || !timeline_come_async(thread, now)) {
        drop_sample_async(thread, now);
        return;
    }
    struct level *level = thread->level;
    struct walk_result walk =
        unwind_sample_async(level->walker, thread->scratch, &thread->stack, &at,
                            arch_interrupted_aux(context), &thread->tree);
    level_count_visits_async(thread, level, &walk);
    if (thread->regions)
        regions_sample_async(thread, walk.node);
    else
        level_attribute_async(thread, level, walk.node);
    profile_add_async(level->profile, &thread->tree, walk.node,
                      walk.failed ? METRIC_samples_failed : METRIC_samples, 1);
    level->last_sample = thread->last_sample = walk.node;
    if (level->samples++ == 0)
        level->first_sample = walk.node;
    thread->cost.samples++;
    thread->cost.unwind_failures += walk.failed;
    if (trace_records_async(thread))
        trace_sample_async(thread, walk.node, now);
    arm_async(thread);
    look_at_step_async(thread, now);
    part_note_sample_async(thread, walk.node, now);
    if (part_is_due_async(thread))
        part_save_sampled_async(thread, now);
    if (thread->counting)
        counts_skip_async(thread);
    int64_t done = clock_now_async();
    count_handler_async(thread, done - now, &before);
    thread_worked_async(thread, done);
}

/*
 * Whether a signal, which makes up for one that was dropped in the kernel, finds that one taken
 * after all: in the meantime, or by a handler that has both interrupted the thread at the same
 * place and has not begun yet.
 */
static bool is_taken_async(const struct thread *thread, const ucontext_t *context)
{
    return timer_overdue_async(&thread->sampling->timer) < LATE_NS ||
           arch_interrupted(context).pc == (uintptr_t)on_timer_async;
}

static void on_timer_async(int number, siginfo_t *info, void *context)
{
    struct thread *thread = thread_self;
    if (!thread || thread->stopped || !timer_sent_async(&thread->sampling->timer, info)) {
        claims_pass_on_async(number, info, context);
        return;
    }
    int saved = errno;
    int64_t now = clock_now_async();
    const bool late = timer_sent_late_async(&thread->sampling->timer, info);
    if (late && is_taken_async(thread, context)) {
        errno = saved;
        return;
    }
    if (thread->depth != DEPTH_PROGRAM) {
        /*
         * A frame that is still set belongs to a sample that was left by a jump: during one the
         * signal would be blocked, but for that of a timer beside.
         */
        if (!late)
            thread->sampling->jumps.frame = 0;
        account_unused_async(thread, now);
    } else {
        jumps_begin_async(&thread->sampling->jumps, ARCH_FRAME_ADDRESS());
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        /*
         * If an exception of the program's leaves this handler, the next wrapper can tell by
         * the frame.
         */
        thread_claim_async(thread, ARCH_FRAME_ADDRESS());
        /* A thread that wants to stop this one waits while it sees the depth raised. */
        /* Nor does one that was interrupted by another before it had claimed the thread. */
        if (!thread->stopped && now >= thread->last_ns)
            take_sample_async(thread, context, now, late);
        thread_release_async(thread);
        jumps_end_async(&thread->sampling->jumps, number);
    }
    errno = saved;
}

/* Whether the system allows timers of this kind, found out by creating one. */
static bool is_allowed(enum timer_kind kind, int signal)
{
    struct sample_timer timer;
    if (signal == 0)
        return false;
    bool allowed = timer_create_for(&timer, kind, signal, gettid());
    method.refused = allowed ? 0 : errno;
    timer_destroy_async(&timer);
    return allowed;
}

static void use_perf(int64_t period_ns)
{
    method.grid_ns = 0;
    method.kind = TIMER_KIND_PERF;
    method.period_ns = period_ns;
    method.mean_ns[TIMER_KIND_PERF] = (double)period_ns;
}

/*
 * Each tick of the kernel is to be a sample with probability tick / period.  Exponential gaps
 * with this mean, rounded up to whole ticks, have just that geometric distribution.
 */
static void use_cpu(int64_t period_ns)
{
    int64_t tick_ns = timer_tick_ns();
    method.kind = TIMER_KIND_CPU;
    method.signal = timer_signal_async(TIMER_KIND_CPU);
    method.period_ns = period_ns > tick_ns ? period_ns : tick_ns;
    method.grid_ns = tick_ns;
    method.mean_ns[TIMER_KIND_CPU] = 0;
    method.mean_ns[TIMER_KIND_PERF] = (double)method.period_ns;
    if (period_ns > tick_ns)
        method.mean_ns[TIMER_KIND_CPU] =
            (double)-tick_ns / poisson_ln_async(1 - (double)tick_ns / (double)period_ns);
}

/* Whether it is known from the start that ranks share processors: they are in step then. */
static bool ranks_share_processors(void)
{
    return job_processes_here() > sysconf(_SC_NPROCESSORS_ONLN);
}

static void choose_timer(void)
{
    const int64_t period_ns = INT64_C(1000000000) / config.number[SETTING_RATE];
    const int64_t wanted = config.number[SETTING_TIMER];
    method.refused = 0;
    /* With more than every second tick taken, the samples would follow the tick. */
    if (wanted == TIMER_PERF || (wanted == TIMER_AUTO && period_ns < 2 * timer_tick_ns())) {
        method.signal = timer_signal_async(TIMER_KIND_PERF);
        if (is_allowed(TIMER_KIND_PERF, method.signal)) {
            use_perf(period_ns);
            return;
        }
    }
    use_cpu(period_ns);
    method.may_change = wanted == TIMER_AUTO;
    method.at_once = method.may_change && !method.refused && ranks_share_processors();
}

/* Records that sampling is off, or has ended. */
static void note_no_samples_async(void)
{
    method.signal = 0;
    sample_rate = (struct sample_rate){.period_ns = 0, .timer = "none"};
}

static bool install(int signal)
{
    return claims_install_async(signal, on_timer_async, sampler_give_up_async);
}

void sampler_start(void)
{
    if (config.number[SETTING_RATE] == 0)
        return;
    struct floating floating;
    floating_begin(&floating);
    choose_timer();
    floating_end(&floating);
    if (method.signal == 0 || !install(timer_signal_async(TIMER_KIND_CPU)) ||
        !install(method.signal)) {
        note_no_samples_async();
        message(1, "sampling is off: the program uses every signal that could be used for it");
    } else {
        sample_rate = (struct sample_rate){.period_ns = method.period_ns,
                                           .timer = timer_kind_name(method.kind)};
    }
}

void sampler_complain(void)
{
    const long long rate = config.number[SETTING_RATE];
    if (!method.signal || method.kind == TIMER_KIND_PERF)
        return;
    if (method.refused)
        message(1, "performance events are not available (%s): sampling with CPU-time timers",
                strerror(method.refused));
    if (method.period_ns > INT64_C(1000000000) / rate)
        message(1, "TSPROF_RATE=%lld: CPU-time timers give at most %lld samples per second",
                rate, (long long)(INT64_C(1000000000) / method.period_ns));
}

void sampler_complain_limited(void)
{
    int64_t gaps_ns = 0, samples = 0;
    bool limited = false;
    for (const struct thread *each = thread_newest; each; each = each->next) {
        limited |= each->notes >> NOTE_RATE_LIMITED & 1;
        gaps_ns += each->cost.gaps_ns;
        samples += each->cost.samples + each->cost.samples_unused;
    }
    if (limited && gaps_ns > 0)
        message(1,
                "TSPROF_RATE=%lld: limited to %lld samples per second, as more would have cost "
                "over 5 %% of the processor time",
                (long long)config.number[SETTING_RATE],
                (long long)(INT64_C(1000000000) * samples / gaps_ns));
}

void sampler_stay_async(void)
{
    method.may_change = false;
}

void sampler_give_up_async(void)
{
    note_no_samples_async();
    for (struct thread *each = __atomic_load_n(&thread_newest, __ATOMIC_ACQUIRE); each;
         each = each->next)
        sampler_detach_async(each);
}

void sampler_forget_async(void)
{
    note_no_samples_async();
    for (struct thread *each = thread_newest; each; each = each->next)
        timer_forget_async(&each->sampling->timer);
    claims_withdraw_async();
}

void sampler_attach(struct thread *thread)
{
    if (!method.signal)
        return;
    thread->sampling->random =
        poisson_seed(clock_ticks_async() ^ (uint64_t)thread->os_id << 32);
    if (!timer_create_for(&thread->sampling->timer, method.kind, method.signal,
                          thread->os_id)) {
        thread_note_async(thread, NOTE_NOT_SAMPLED);
        return;
    }
    if (method.at_once && method.may_change)
        change_timer_async(thread);
    thread->sample_ns = method.period_ns;
    preemption_look_async(thread);
    begin_comparison_async(thread, thread->last_ns, LOOK_LEAST_NS);
    const int64_t gap = gap_in_program(thread);
    /*
     * A thread begins anywhere between two ticks.  The first gap is rounded down, so that the
     * thread's first tick is as likely as any other; otherwise threads shorter than a tick
     * would hardly be sampled.
     */
    const bool is_rounded = thread->sampling->timer.kind == TIMER_KIND_CPU && method.grid_ns;
    timer_arm_async(&thread->sampling->timer, is_rounded ? gap - gap % method.grid_ns : gap);
}

void sampler_resume_async(struct thread *thread)
{
    thread->sampling->jumps.frame = 0;
    timer_arm_async(&thread->sampling->timer, gap_in_program(thread));
}

void sampler_detach_async(struct thread *thread)
{
    timer_destroy_async(&thread->sampling->timer);
}
