/*
 * Finds slaves that let their master wait, and a master that lets its slaves wait.  See
 * findings_properties.h.
 *
 * Who exchanges messages with whom is not in a summary, but counts are.  Every message has two
 * ends.  If as many ends are at one rank as there are messages, all messages are between that
 * rank and others.
 */
#include "findings/findings_properties.h"

#include "print/print.h"

#define BUSY            0.5L /* of its time, an overloaded master at least */
#define LEAST_PROCESSES 4 /* of three in a row, the one in the middle has all messages, too */

/* The master and what the others have together. */
struct star {
    const struct process *master;
    long double share; /* of all messages, those that are the master's */
    long double time, computation, point2point; /* sums over slaves */
};

static long double messages_of(const struct process *process)
{
    return process->sent + process->received;
}

/* Whether all processes both send and receive: those of a gather or a pipeline do not. */
static bool all_answer(const struct traits *traits)
{
    for (size_t r = 0; r < traits->count; r++)
        if (traits->processes[r].sent <= 0 || traits->processes[r].received <= 0)
            return false;
    return true;
}

static const struct process *named_master(const struct traits *traits)
{
    for (size_t r = 0; r < traits->count; r++)
        if (traits->processes[r].rank == traits->thresholds->master)
            return &traits->processes[r];
    return NULL;
}

static const struct process *busiest(const struct traits *traits)
{
    const struct process *most = NULL;
    for (size_t r = 0; r < traits->count; r++)
        if (!most || messages_of(&traits->processes[r]) > messages_of(most))
            most = &traits->processes[r];
    return most;
}

/* Of a named master the share is not asked for, but it is what one can be sure of. */
static bool find_star(const struct traits *traits, struct star *star)
{
    const bool given = traits->thresholds->master_given;
    long double ends = 0;
    *star = (struct star){.master = given ? named_master(traits) : busiest(traits)};
    if (!star->master || traits->count < (given ? 2 : LEAST_PROCESSES) ||
        !traits->scope->all_ranks)
        return false;
    for (size_t r = 0; r < traits->count; r++) {
        const struct process *process = &traits->processes[r];
        ends += messages_of(process);
        if (process == star->master)
            continue;
        star->time += process->time;
        star->computation += process->computation;
        star->point2point += process->point2point;
    }
    star->share = ends > 0 ? messages_of(star->master) / (ends / 2) : 0;
    star->share = star->share > 1 ? 1 : star->share;
    return given
               ? star->share > 0
               : star->share >= traits->thresholds->value[THRESHOLD_STAR] && all_answer(traits);
}

/* "(confidence 93 %)" */
static void add_confidence(struct text *text, long double confidence)
{
    char percent[QUANTITY_SIZE];
    text_addf(text, " (confidence %s %%).", format_percent(percent, confidence, 1));
}

static void add_seconds(struct text *text, long double seconds)
{
    char shown[QUANTITY_SIZE];
    text_add(text, format_quantity(shown, seconds, "s"));
}

/* The master waits although it could work: the more slaves compute, the surer it is for them.
 */
static void find_slow_slaves(const struct traits *traits, const struct star *star)
{
    const struct process *master = star->master;
    const long double gain = master->waiting / (long double)traits->count;
    struct text text = {0};
    if (master->waiting < traits->thresholds->value[THRESHOLD_SLAVES] * master->time ||
        !is_severe(traits, master->waiting) || star->time <= 0)
        return;
    const double confidence = (double)(star->share * star->computation / star->time);
    text_addf(&text, "Slaves are slow: rank %u, their master, waits for their messages for ",
              master->rank);
    add_seconds(&text, master->waiting);
    text_add(&text, " of ");
    add_seconds(&text, master->time);
    text_add(&text, "; the run could be shorter by ");
    add_seconds(&text, gain);
    text_add(&text, " if it worked meanwhile");
    add_confidence(&text, confidence);
    add_trait(traits,
              &(struct trait){RUN_SLOW_SLAVES, master->waiting, gain, confidence, SUMMARY_NONE,
                              master->rank},
              &text);
}

/* Slaves wait, and the master is busy, most of its time and for at least as long as they wait:
 * otherwise it has no work either. */
static void find_overloaded_master(const struct traits *traits, const struct star *star)
{
    const struct process *master = star->master;
    const long double mean = star->point2point / (long double)(traits->count - 1),
                      busy = master->time - master->waiting;
    struct text text = {0};
    if (star->point2point < traits->thresholds->value[THRESHOLD_OVERLOAD] * star->time ||
        !is_severe(traits, star->point2point) || busy < mean || busy <= BUSY * master->time)
        return;
    const double confidence = (double)(star->share * busy / master->time);
    text_addf(&text, "The master is overloaded: slaves of rank %u spend ", master->rank);
    add_seconds(&text, mean);
    text_add(&text, " on average in messages, while it is busy with other things for ");
    add_seconds(&text, busy);
    text_add(&text, " of ");
    add_seconds(&text, master->time);
    add_confidence(&text, confidence);
    add_trait(traits,
              &(struct trait){RUN_OVERLOADED_MASTER, star->point2point, mean, confidence,
                              SUMMARY_NONE, master->rank},
              &text);
}

void find_master(const struct traits *traits)
{
    struct star star;
    if (!find_star(traits, &star))
        return;
    find_slow_slaves(traits, &star);
    find_overloaded_master(traits, &star);
}
