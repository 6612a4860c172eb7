/* See gains.h. */
#include "predict/gains.h"

#include "predict/best.h"
#include "predict/ideal.h"

#include <stdlib.h>

enum { GAINS = 5, EVENTS_MOST = 1000000 };

static void *begin(struct feed *feed)
{
    uint64_t events = 0;
    for (size_t i = 0; i < feed->trace->thread_count; i++)
        events += feed->trace->threads[i].events;
    return events <= EVENTS_MOST ? study_listen(feed) : NULL;
}

static const char *kept(struct summary *summary, struct text *text)
{
    const char *copy = memory_pool_copy(&summary->pool, text_string(text), text->length);
    text_free(text);
    return copy;
}

static void add_fact(struct summary *summary, struct text *key, struct text *value)
{
    summary->facts[summary->fact_count].key = kept(summary, key);
    summary->facts[summary->fact_count++].value = kept(summary, value);
}

static void add_gain(struct summary *summary, const struct best *best, size_t number)
{
    const struct choice *choice = &best->choices[number];
    struct text key = {0}, value = {0};
    text_addf(&key, "gain.%zu", number + 1);
    text_addf(&value, "%.9f ", (double)(best->base_ns - choice->ns) * 1e-9);
    question_add_text(&choice->question, &value);
    add_fact(summary, &key, &value);
}

/* Of how many seconds they are gains. */
static void add_whole(struct summary *summary, const struct best *best, uint64_t paused_ns)
{
    struct text key = {0}, value = {0};
    text_add(&key, "gain.of");
    text_addf(&value, "%.9f", (double)(best->base_ns - paused_ns) * 1e-9);
    add_fact(summary, &key, &value);
}

static void add_gains(struct summary *summary, const struct best *best, uint64_t paused_ns)
{
    struct fact *facts =
        memory_pool_allocate(&summary->pool, summary->fact_count + GAINS + 1, sizeof *facts);
    for (size_t i = 0; i < summary->fact_count; i++)
        facts[i] = summary->facts[i];
    summary->facts = facts;
    for (size_t i = 0; i < GAINS && i < best->choice_count; i++)
        add_gain(summary, best, i);
    if (best->choice_count > 0 && best->base_ns > paused_ns)
        add_whole(summary, best, paused_ns);
}

static void end(void *state, struct feed *feed, struct summary *summary)
{
    struct study study;
    struct best best;
    if (!state)
        return;
    study_make(&study, feed, state);
    if (best_find_quickly(&study, &best))
        add_gains(summary, &best, study_paused(&study));
    best_free(&best);
    ideal_add(&study, summary);
    study_free(&study);
}

const struct waits_listener gains_listener = {begin, end};
