/* See ideal.h. */
#include "predict/ideal.h"

#include "predict/chosen.h"

#include <math.h>
#include <stdlib.h>

enum { FACTS = 4 };

static const struct whatif_network ideal_network = {.synchronous_bytes = WHATIF_NO_SIZE,
                                                    .packet_bytes = WHATIF_NO_SIZE};

/* Predicts with CHANGES how many nanoseconds it takes; 0: it never ends. */
static uint64_t predict(struct study *study, const struct whatif_changes *changes)
{
    struct whatif_outcome outcome;
    if (!whatif_predict(study->whatif, changes, study->outer, study->instance_count, &outcome))
        out_of_memory();
    const uint64_t ns = outcome.is_stuck ? 0 : outcome.ns;
    whatif_outcome_free(&outcome);
    return ns;
}

/* The same with calls and messages that take no time. */
static uint64_t predict_ideal(struct study *study)
{
    struct error ignored;
    struct whatif_changes *changes;
    if (!chosen_calls(study, "all", &ignored))
        return 0;
    if (!(changes = whatif_changes(study->whatif)))
        out_of_memory();
    whatif_use_network(changes, &ideal_network);
    whatif_scale(changes, study->paths, 0);
    const uint64_t ns = predict(study, changes);
    whatif_changes_free(changes);
    return ns;
}

/* After the prediction of the unchanged run: how long threads that call MPI compute. */
static void find_computation(struct study *study, double *most_ns, double *mean_ns)
{
    const size_t threads = study->trace->thread_count;
    struct whatif_breakdown *list = allocate(threads, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < study->result.path_count; i++)
        study->paths[i] = true;
    whatif_break_down(study->whatif, study->paths, list);
    *most_ns = *mean_ns = 0;
    for (size_t i = 0; i < threads; i++) {
        if (list[i].transfer_ns + list[i].wait_ns == 0)
            continue;
        count++;
        *mean_ns += (double)list[i].computation_ns;
        *most_ns = (double)list[i].computation_ns > *most_ns ? (double)list[i].computation_ns
                                                             : *most_ns;
    }
    *mean_ns /= count ? (double)count : 1;
    free(list);
}

static void add_fact(struct summary *summary, const char *key, double ns)
{
    struct text value = {0};
    text_addf(&value, "%.9f", ns * 1e-9);
    summary->facts[summary->fact_count++] =
        (struct fact){key, memory_pool_copy(&summary->pool, text_string(&value), value.length)};
    text_free(&value);
}

void ideal_add(struct study *study, struct summary *summary)
{
    const uint64_t ideal_ns = predict_ideal(study), of_ns = predict(study, NULL),
                   paused_ns = study_paused(study);
    double most_ns, mean_ns;
    if (ideal_ns <= paused_ns || of_ns <= paused_ns)
        return;
    find_computation(study, &most_ns, &mean_ns);
    struct fact *facts =
        memory_pool_allocate(&summary->pool, summary->fact_count + FACTS, sizeof *facts);
    for (size_t i = 0; i < summary->fact_count; i++)
        facts[i] = summary->facts[i];
    summary->facts = facts;
    /* Threads do not pause for exactly as long as each other: a run takes no less than the one
     * that computes longest. */
    const double of = (double)(of_ns - paused_ns),
                 ideal = fmin(fmax((double)(ideal_ns - paused_ns), most_ns), of);
    add_fact(summary, "ideal.of", of);
    add_fact(summary, "ideal.time", ideal);
    add_fact(summary, "ideal.most", most_ns);
    add_fact(summary, "ideal.mean", mean_ns);
}
