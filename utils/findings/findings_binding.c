/* See findings_binding.h. */
#include "findings/findings_binding.h"

#include "base/base.h"
#include "query/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 32, MOST_NAMED = 3 };

#define SELDOM 0.1 /* of what the process's first thread wants processors for */

/* Processors of a host: number 64 W + B is bit B of word W. */
struct processors {
    uint64_t words[WORDS];
};

/* A selected thread. */
struct bound {
    size_t rank; /* its index among the selected ranks */
    uint32_t host;
    struct processors on;
    bool named; /* or it need not be: where it may run is not known, or it seldom runs */
};

/* All of them, and what is said of them. */
struct bindings {
    const struct selection *selection;
    const bool *lacks;
    struct bound *threads;
    size_t count;
    size_t named; /* groups */
    struct text *text;
};

static unsigned size_of(const struct processors *set)
{
    unsigned count = 0;
    for (size_t w = 0; w < WORDS; w++)
        count += (unsigned)__builtin_popcountll(set->words[w]);
    return count;
}

static bool is_within(const struct processors *part, const struct processors *set)
{
    for (size_t w = 0; w < WORDS; w++)
        if (part->words[w] & ~set->words[w])
            return false;
    return true;
}

static bool overlaps(const struct processors *a, const struct processors *b)
{
    for (size_t w = 0; w < WORDS; w++)
        if (a->words[w] & b->words[w])
            return true;
    return false;
}

/* The number of processors that HOST has; 0: unknown. */
static unsigned long processors_of(const struct summary *summary, uint32_t host)
{
    const struct host_entry *entry = host == SUMMARY_NONE ? NULL : &summary->hosts[host];
    for (size_t i = 0; entry && i < entry->fact_count; i++)
        if (strcmp(entry->facts[i].key, "processors") == 0)
            return strtoul(entry->facts[i].value, NULL, 10);
    return 0;
}

/*
 * How long LOCATION wanted a processor, in seconds: had one, by its samples, or was ready to
 * run without.  Negative: not known, for it was not sampled.
 */
static double wanted_of(const struct summary *summary, const struct location *location)
{
    const uint64_t period_ns = location_cost(location, "sample_period_ns"),
                   samples = location_cost(location, "samples") +
                             location_cost(location, "samples_in_mpi");
    const uint32_t preempted = summary_metric(summary, "preempted");
    if (period_ns == 0 || samples == 0)
        return -1;
    int64_t *values = profile_inclusive(summary, &location->whole);
    const double without = preempted == SUMMARY_NONE
                               ? 0
                               : (double)shown_value(summary, preempted, values[preempted], 1);
    free(values);
    return (double)samples * (double)period_ns / 1e9 + without;
}

/* Whether a thread beside FIRST, its process's first one, slept most of the time, or ended
 * soon: it takes no processor from others. */
static bool is_seldom(const struct summary *summary, const struct location *first,
                      const struct location *location)
{
    const double most = wanted_of(summary, first), wanted = wanted_of(summary, location);
    return location != first && most > 0 && fmax(wanted, 0) < SELDOM * most;
}

static struct bound bound_of(const struct location *location, size_t rank)
{
    struct bound bound = {.rank = rank, .host = location->host};
    for (unsigned w = 0; w < WORDS; w++) {
        char key[32];
        snprintf(key, sizeof key, "processors.%u", w);
        bound.on.words[w] = location_cost(location, key);
    }
    bound.named = size_of(&bound.on) == 0;
    return bound;
}

static void collect(struct bindings *all)
{
    const struct selection *selection = all->selection;
    all->threads = allocate(selection_locations(selection), sizeof *all->threads);
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct location *first =
                &selection->summary->locations[selection->ranks[r].first];
            struct bound *bound = &all->threads[all->count++];
            *bound = bound_of(first + i, r);
            bound->named = bound->named || is_seldom(selection->summary, first, first + i);
        }
}

/* Whether THREAD, not yet named, can run nowhere but on SET of HOST. */
static bool is_member(const struct bound *thread, uint32_t host, const struct processors *set)
{
    return !thread->named && thread->host == host && is_within(&thread->on, set);
}

/* Appends those in SET of HOST, all of whose processors are the SAME or not. */
static void say(struct bindings *all, uint32_t host, const struct processors *set, bool same)
{
    const unsigned size = size_of(set);
    struct rank_list ranks = {0};
    for (size_t i = 0; i < all->count; i++)
        if (is_member(&all->threads[i], host, set)) {
            rank_list_add(&ranks, all->selection->ranks[all->threads[i].rank].rank);
            all->threads[i].named = true;
        }
    if (++all->named <= MOST_NAMED) {
        text_add(all->text, all->named > 1 ? ", " : "");
        if (ranks.count == 1)
            text_addf(all->text, "the %zu threads of rank %s are bound to ", ranks.threads,
                      rank_list_end(&ranks));
        else
            text_addf(all->text, "ranks %s are bound to ", rank_list_end(&ranks));
        if (size == 1)
            text_add(all->text, "the same processor");
        else
            text_addf(all->text, same ? "the same %u processors" : "%u processors that overlap",
                      size);
    }
    text_free(&ranks.text);
}

/* Says who shares SET of HOST if they are more than it has processors, and lack them. */
static void examine(struct bindings *all, uint32_t host, const struct processors *set)
{
    const unsigned long size = size_of(set),
                        there = processors_of(all->selection->summary, host);
    size_t members = 0;
    bool same = true, lacking = false;
    for (size_t i = 0; i < all->count; i++) {
        const struct bound *thread = &all->threads[i];
        if (!is_member(thread, host, set))
            continue;
        members++;
        same = same && is_within(set, &thread->on);
        lacking = lacking || all->lacks[thread->rank];
    }
    if (lacking && members > size && there > size)
        say(all, host, set, same);
}

/* The processors of THREAD, and of all that overlap with these, and so on. */
static struct processors joined(const struct bindings *all, const struct bound *thread)
{
    struct processors set = thread->on;
    bool grown = true;
    while (grown) {
        grown = false;
        for (size_t i = 0; i < all->count; i++) {
            const struct bound *other = &all->threads[i];
            if (other->named || other->host != thread->host || !overlaps(&other->on, &set) ||
                is_within(&other->on, &set))
                continue;
            for (size_t w = 0; w < WORDS; w++)
                set.words[w] |= other->on.words[w];
            grown = true;
        }
    }
    return set;
}

/* Small sets come first: who shares one processor of several is to be named with that one. */
static int compare_sizes(const void *a, const void *b)
{
    const struct bound *left = *(struct bound *const *)a, *right = *(struct bound *const *)b;
    const unsigned l = size_of(&left->on), r = size_of(&right->on);
    if (l != r)
        return l < r ? -1 : 1;
    if (left->host != right->host)
        return left->host < right->host ? -1 : 1;
    const int words = memcmp(&left->on, &right->on, sizeof left->on);
    return words ? words : (left > right) - (left < right);
}

/* Whether THREAD, which is bound to a part of its host, may not have the processors it needs.
 */
static bool may_lack(const struct bindings *all, const struct bound *thread)
{
    return !thread->named && all->lacks[thread->rank] &&
           processors_of(all->selection->summary, thread->host) > size_of(&thread->on);
}

static bool same_binding(const struct bound *a, const struct bound *b)
{
    return a && a->host == b->host && memcmp(&a->on, &b->on, sizeof a->on) == 0;
}

static void examine_all(struct bindings *all)
{
    struct bound **order = allocate(all->count, sizeof(struct bound *));
    for (size_t i = 0; i < all->count; i++)
        order[i] = &all->threads[i];
    qsort(order, all->count, sizeof *order, compare_sizes);
    const struct bound *last = NULL;
    for (size_t i = 0; i < all->count; i++)
        if (may_lack(all, order[i]) && !same_binding(last, order[i])) {
            last = order[i];
            examine(all, last->host, &last->on);
        }
    last = NULL;
    for (size_t i = 0; i < all->count; i++)
        if (may_lack(all, order[i]) && !same_binding(last, order[i])) {
            last = order[i];
            const struct processors set = joined(all, last);
            examine(all, last->host, &set);
        }
    free(order);
}

bool binding_add(const struct selection *selection, const bool *lacks, struct text *text)
{
    struct bindings all = {.selection = selection, .lacks = lacks, .text = text};
    collect(&all);
    examine_all(&all);
    if (all.named > MOST_NAMED)
        text_addf(text, ", and so on");
    free(all.threads);
    return all.named > 0;
}
