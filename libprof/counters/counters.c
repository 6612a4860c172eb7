/* See counters.h. */
#include "counters/counters.h"

#include "host/config.h"
#include "iterations/follow.h"
#include "host/message.h"
#include "counters/papi.h"
#include "iterations/watch.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 128, REFUSED_MOST = 2 * COUNTERS_MOST };

unsigned counters_count;

static char names[COUNTERS_MOST][NAME_BYTES];
static int events[COUNTERS_MOST];

/* Counters that were wanted and cannot be had. */
static struct {
    char name[NAME_BYTES];
    struct papi_refusal why;
} refused[REFUSED_MOST];
static unsigned refused_count;

const char *counters_name(unsigned counter)
{
    return names[counter];
}

static void refuse(const char *name, const struct papi_refusal *why)
{
    for (unsigned i = 0; i < refused_count; i++)
        if (strcmp(refused[i].name, name) == 0)
            return;
    if (refused_count == REFUSED_MOST)
        return;
    snprintf(refused[refused_count].name, NAME_BYTES, "%s", name);
    refused[refused_count++].why = *why;
}

/* Overflow, which only a broken counter brings about, wraps around. */
static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t difference(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Copies the next name of the list *AT without blanks around it; false at the end. */
static bool next_name(const char **at, char name[NAME_BYTES])
{
    static const char separators[] = ", \t\n";
    const char *begin = *at + strspn(*at, separators);
    size_t length = strcspn(begin, separators);
    size_t kept = length < NAME_BYTES ? length : NAME_BYTES - 1;
    memcpy(name, begin, kept);
    name[kept] = '\0';
    *at = begin + length;
    return length > 0;
}

static bool is_listed(const char *name)
{
    for (unsigned i = 0; i < counters_count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Takes the counter called NAME in if it can be had at all. */
static void want(const char *name)
{
    struct papi_refusal why;
    if (is_listed(name))
        return;
    if (counters_count == COUNTERS_MOST) {
        snprintf(why.text, sizeof why.text, "there are %d counters at most", COUNTERS_MOST);
        refuse(name, &why);
    } else if (!papi_find(name, &events[counters_count], &why)) {
        refuse(name, &why);
    } else {
        snprintf(names[counters_count++], NAME_BYTES, "%s", name);
    }
}

static void drop(unsigned counter, const struct papi_refusal *why)
{
    refuse(names[counter], why);
    counters_count--;
    memmove(names[counter], names[counter + 1], (counters_count - counter) * sizeof names[0]);
    memmove(&events[counter], &events[counter + 1],
            (counters_count - counter) * sizeof events[0]);
}

/* Leaves the counters that count together; of those that do not, the first ones. */
static void try_together(void)
{
    while (counters_count > 0) {
        struct papi_refusal why;
        unsigned first_refused;
        int64_t values[COUNTERS_MOST];
        int set = papi_start(events, counters_count, &first_refused, &why);
        bool counts = set != PAPI_NO_SET && papi_read_async(set, values);
        if (set != PAPI_NO_SET)
            papi_stop(set);
        if (counts)
            return;
        if (set != PAPI_NO_SET) {
            first_refused = counters_count;
            snprintf(why.text, sizeof why.text, "it can be started but not read");
        }
        if (first_refused < counters_count) {
            drop(first_refused, &why);
            continue;
        }
        while (counters_count > 0)
            drop(0, &why);
    }
}

void counters_start(void)
{
    const char *list = config.text[SETTING_COUNTERS];
    char name[NAME_BYTES];
    struct papi_refusal why;
    const char *at = list;
    if (!next_name(&at, name))
        return;
    if (!papi_open(config.text[SETTING_PAPI], &why)) {
        refuse(list, &why);
        return;
    }
    for (at = list; next_name(&at, name);)
        want(name);
    try_together();
}

bool counters_note(unsigned number, char *text, size_t size)
{
    if (number >= refused_count)
        return false;
    snprintf(text, size, "not counted: %s: %s", refused[number].name, refused[number].why.text);
    return true;
}

void counters_complain(void)
{
    char text[NAME_BYTES + sizeof(struct papi_refusal) + 32];
    for (unsigned i = 0; counters_note(i, text, sizeof text); i++)
        message(1, "%s", text);
}

/* From now on THREAD's counters stand still: there is no sense in reading them again. */
static void give_up_async(struct thread *thread)
{
    thread->counting = false;
    thread_note_async(thread, NOTE_NOT_COUNTED);
}

void counters_attach(struct thread *thread)
{
    struct counts *counts = thread->counts;
    struct papi_refusal why;
    unsigned first_refused;
    if (!counts)
        return;
    counts->set = papi_start(events, counters_count, &first_refused, &why);
    thread->counting = true;
    if (counts->set == PAPI_NO_SET || !papi_read_async(counts->set, counts->last))
        give_up_async(thread);
    else
        counts->begun = true;
}

void counters_detach(struct thread *thread)
{
    struct counts *counts = thread->counts;
    thread->counting = false;
    if (!counts || counts->set == PAPI_NO_SET)
        return;
    papi_stop(counts->set);
    counts->set = PAPI_NO_SET;
}

/* What passed since the last reading is added to TO. */
static void read_into_async(struct thread *thread, int64_t to[COUNTERS_MOST])
{
    struct counts *counts = thread->counts;
    int64_t now[COUNTERS_MOST];
    /* It has not entered tsprof since it was found. */
    if (counts->set == PAPI_NO_SET)
        return;
    if (!papi_read_async(counts->set, now)) {
        give_up_async(thread);
        return;
    }
    for (unsigned i = 0; i < counters_count; i++) {
        to[i] = sum(to[i], difference(now[i], counts->last[i]));
        counts->last[i] = now[i];
    }
}

void counters_read_async(struct thread *thread, int64_t ns)
{
    read_into_async(thread, thread->counts->passed);
    thread->counts->until_ns = ns;
}

void counters_skip_async(struct thread *thread)
{
    read_into_async(thread, thread->counts->own);
}

void counters_enter(struct thread *thread)
{
    int64_t now = clock_now_async();
    if (thread->counts->set == PAPI_NO_SET)
        counters_attach(thread);
    else
        counters_read_async(thread, now);
    if (follow_due_async(thread))
        follow_async(thread, now);
    if (thread->watched)
        watch_come(thread, now);
    counters_advance_async(thread, now);
    thread_computed_async(thread, now);
    thread_worked_async(thread, clock_now_async());
}

void counters_leave(struct thread *thread)
{
    counters_skip_async(thread);
    thread_worked_async(thread, clock_now_async());
}

/* The part of AMOUNT that is due to PART of the WHOLE time. */
static int64_t share(int64_t amount, int64_t part_ns, int64_t whole_ns)
{
    if (part_ns >= whole_ns)
        return amount;
    return part_ns <= 0 ? 0 : (int64_t)((__int128)amount * part_ns / whole_ns);
}

/* Moves from what has passed to TO what is due to the time from the end of the line to NS. */
static void give_share_async(struct thread *thread, int64_t *to, int64_t ns)
{
    struct counts *counts = thread->counts;
    for (unsigned i = 0; i < counters_count; i++) {
        int64_t part =
            share(counts->passed[i], ns - thread->last_ns, counts->until_ns - thread->last_ns);
        counts->passed[i] = difference(counts->passed[i], part);
        counts->counted[i] = sum(counts->counted[i], part);
        to[i] = sum(to[i], part);
    }
}

void counters_advance_async(struct thread *thread, int64_t ns)
{
    give_share_async(thread, thread->counts->pending[thread->level - thread->levels], ns);
}

/* The cells of counters of NODE in the profile of LEVEL. */
static int64_t *cells_async(struct thread *thread, const struct level *level, uint32_t node)
{
    int64_t *cells = profile_cells_async(level->profile, &thread->tree, node);
    return cells + layout_table[thread->tree.nodes[node].layout].counters;
}

void counters_give_async(struct thread *thread, uint32_t leaf, int64_t ns)
{
    give_share_async(thread, cells_async(thread, thread->level, leaf), ns);
}

void counters_attribute_async(struct thread *thread, struct level *level, uint32_t node)
{
    int64_t *pending = thread->counts->pending[level - thread->levels];
    int64_t any = 0;
    for (unsigned i = 0; i < counters_count; i++)
        any |= pending[i];
    if (!any)
        return;
    int64_t *cells = cells_async(thread, level, node);
    for (unsigned i = 0; i < counters_count; i++) {
        cells[i] = sum(cells[i], pending[i]);
        pending[i] = 0;
    }
}

void counters_absorb_async(struct thread *thread, struct level *inner)
{
    int64_t *from = thread->counts->pending[inner - thread->levels];
    for (unsigned i = 0; i < counters_count; i++) {
        int64_t *to = thread->counts->pending[inner - 1 - thread->levels];
        to[i] = sum(to[i], from[i]);
        from[i] = 0;
    }
}

bool counters_interrupt_async(const struct thread *thread, int64_t before[COUNTERS_MOST])
{
    return thread->counts->set != PAPI_NO_SET && papi_read_async(thread->counts->set, before);
}

void counters_resume_async(struct thread *thread, const int64_t before[COUNTERS_MOST])
{
    struct counts *counts = thread->counts;
    int64_t now[COUNTERS_MOST];
    if (!papi_read_async(counts->set, now))
        return;
    for (unsigned i = 0; i < counters_count; i++) {
        int64_t spent = difference(now[i], before[i]);
        counts->own[i] = sum(counts->own[i], spent);
        counts->last[i] = sum(counts->last[i], spent);
    }
}
