/* See read_ahead.h. */
#include "archive/read_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_EVENTS = 1024, BATCHES = 8 };

/* Events that are handed on together, with the iterations that they are in. */
struct batch {
    struct trace_event events[BATCH_EVENTS];
    size_t first_iterations[BATCH_EVENTS]; /* of `iterations` */
    size_t count;
    struct trace_iteration *iterations;
    size_t iteration_count, iteration_room;
    bool is_last;
};

/* A ring of batches: the reader fills them, the other thread empties them. */
struct ahead {
    struct batch batches[BATCHES];
    size_t filled, emptied; /* how many so far */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct trace *trace;
    trace_reading *read;
    struct error *error;
    bool good;
};

/* The batch that the reader fills. */
static struct batch *filling(struct ahead *ahead)
{
    return &ahead->batches[ahead->filled % BATCHES];
}

/* Hands the batch on, and waits until there is another one. */
static void hand_on(struct ahead *ahead, bool is_last)
{
    filling(ahead)->is_last = is_last;
    pthread_mutex_lock(&ahead->lock);
    ahead->filled++;
    pthread_cond_broadcast(&ahead->changed);
    while (ahead->filled - ahead->emptied == BATCHES)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    struct batch *next = filling(ahead);
    next->count = next->iteration_count = 0;
}

/* Where the iterations of EVENT are in BATCH; most events are in the same as the one before. */
static size_t keep_iterations(struct batch *batch, const struct trace_event *event)
{
    const size_t count = event->iteration_count, bytes = count * sizeof *batch->iterations;
    const struct trace_event *before = batch->count ? &batch->events[batch->count - 1] : NULL;
    const size_t at = before ? batch->first_iterations[batch->count - 1] : 0;
    if (count == 0 || (before && before->iteration_count == count &&
                       memcmp(&batch->iterations[at], event->iterations, bytes) == 0))
        return at;
    if (batch->iteration_count + count > batch->iteration_room) {
        batch->iteration_room = 2 * batch->iteration_room + count;
        batch->iterations =
            reallocate(batch->iterations, batch->iteration_room, sizeof *batch->iterations);
    }
    memcpy(&batch->iterations[batch->iteration_count], event->iterations, bytes);
    batch->iteration_count += count;
    return batch->iteration_count - count;
}

static void keep(void *context, const struct trace_event *event)
{
    struct ahead *ahead = context;
    struct batch *batch = filling(ahead);
    batch->first_iterations[batch->count] = keep_iterations(batch, event);
    batch->events[batch->count++] = *event;
    if (batch->count == BATCH_EVENTS)
        hand_on(ahead, false);
}

static void *run(void *context)
{
    struct ahead *ahead = context;
    ahead->good = ahead->read(ahead->trace, keep, ahead, ahead->error);
    hand_on(ahead, true);
    return NULL;
}

/* The next batch that is full. */
static struct batch *take(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    while (ahead->filled == ahead->emptied)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    return &ahead->batches[ahead->emptied % BATCHES];
}

static void give_back(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->emptied++;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
}

static void empty(struct batch *batch, trace_visitor *visit, void *context)
{
    for (size_t i = 0; i < batch->count; i++) {
        /* Only now they stay where they are. */
        batch->events[i].iterations = &batch->iterations[batch->first_iterations[i]];
        visit(context, &batch->events[i]);
    }
}

static void follow(struct ahead *ahead, trace_visitor *visit, void *context)
{
    bool is_last = false;
    while (!is_last) {
        struct batch *batch = take(ahead);
        empty(batch, visit, context);
        is_last = batch->is_last;
        give_back(ahead);
    }
}

static void free_ahead(struct ahead *ahead)
{
    for (size_t i = 0; i < BATCHES; i++)
        free(ahead->batches[i].iterations);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead);
}

bool read_ahead(struct trace *trace, trace_reading *read, trace_visitor *visit, void *context,
                struct error *error)
{
    struct ahead *ahead = allocate(1, sizeof *ahead);
    pthread_t thread;
    ahead->trace = trace;
    ahead->read = read;
    ahead->error = error;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    const bool runs = pthread_create(&thread, NULL, run, ahead) == 0;
    if (runs) {
        follow(ahead, visit, context);
        pthread_join(thread, NULL);
    }
    const bool good = runs ? ahead->good : read(trace, visit, context, error);
    free_ahead(ahead);
    return good;
}
