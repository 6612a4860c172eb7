/* See event_streams.h. */
#include "archive/event_streams.h"

#include "base/base.h"

#include <pthread.h>
#include <stdlib.h>

/* Events in a block: of all locations together, divided among them; the least and most. */
enum { RECORDS = 16384, RECORDS_LEAST = 32, RECORDS_MOST = 256 };

struct stream {
    struct event_source *source;
    struct event_block front, back; /* back: only with threads */
    size_t at;                      /* of `front` */
    enum { BACK_READY, BACK_ASKED, BACK_TAKEN } state;
    bool is_queued;
    struct stream *next; /* in the queue */
};

/* A stream among those that have events, and when its next one is. */
struct entry {
    uint64_t time;
    uint32_t number; /* of the stream: those of one time come in this order */
};

struct event_streams {
    struct stream *list; /* by location */
    size_t count, block_records;
    event_filler *fill;
    struct entry *heap; /* the earliest is first */
    size_t heap_count;
    struct entry second; /* the one behind it */
    bool is_begun;
    const struct stream *damaged;
    /* Blocks that are to be read: */
    pthread_t *threads;
    unsigned thread_count;
    pthread_mutex_t lock;
    pthread_cond_t asked, read;
    struct stream *first, *last;
    bool stops;
};

static void read_block(const struct event_streams *streams, struct stream *stream,
                       struct event_block *block)
{
    block->count = 0;
    streams->fill(stream->source->context, streams->block_records, block);
}

/* The first of the queue that nobody has read yet; the lock is held. */
static struct stream *take_asked(struct event_streams *streams)
{
    struct stream *stream = NULL;
    while (streams->first && !stream) {
        struct stream *first = streams->first;
        streams->first = first->next;
        first->is_queued = false;
        stream = first->state == BACK_ASKED ? first : NULL;
    }
    if (stream)
        stream->state = BACK_TAKEN;
    return stream;
}

static void *run(void *context)
{
    struct event_streams *streams = context;
    pthread_mutex_lock(&streams->lock);
    while (!streams->stops) {
        struct stream *stream = take_asked(streams);
        if (!stream) {
            pthread_cond_wait(&streams->asked, &streams->lock);
            continue;
        }
        pthread_mutex_unlock(&streams->lock);
        read_block(streams, stream, &stream->back);
        pthread_mutex_lock(&streams->lock);
        stream->state = BACK_READY;
        pthread_cond_signal(&streams->read);
    }
    pthread_mutex_unlock(&streams->lock);
    return NULL;
}

/* Asks for the block behind the front one, if there is any; the lock is held. */
static void ask(struct event_streams *streams, struct stream *stream)
{
    if (stream->front.status != EVENTS_LEFT)
        return;
    stream->state = BACK_ASKED;
    if (stream->is_queued)
        return;
    stream->next = NULL;
    *(streams->first ? &streams->last->next : &streams->first) = stream;
    streams->last = stream;
    stream->is_queued = true;
    pthread_cond_signal(&streams->asked);
}

/* The block behind the front one takes its place.  One that no thread has begun to read is read
 * here. */
static void turn_over(struct event_streams *streams, struct stream *stream)
{
    pthread_mutex_lock(&streams->lock);
    if (stream->state == BACK_ASKED) {
        stream->state = BACK_TAKEN;
        pthread_mutex_unlock(&streams->lock);
        read_block(streams, stream, &stream->back);
        pthread_mutex_lock(&streams->lock);
        stream->state = BACK_READY;
    }
    while (stream->state != BACK_READY)
        pthread_cond_wait(&streams->read, &streams->lock);
    const struct event_block front = stream->front;
    stream->front = stream->back;
    stream->back = front;
    ask(streams, stream);
    pthread_mutex_unlock(&streams->lock);
}

/* Goes to the next block; false if there is none. */
static bool next_block(struct event_streams *streams, struct stream *stream)
{
    stream->at = 0;
    do {
        if (stream->front.status != EVENTS_LEFT) {
            if (stream->front.status == EVENTS_DAMAGED)
                streams->damaged = stream;
            return false;
        }
        if (streams->thread_count > 0)
            turn_over(streams, stream);
        else
            read_block(streams, stream, &stream->front);
    } while (stream->front.count == 0);
    return true;
}

static inline bool is_before(const struct entry *one, const struct entry *other)
{
    return one->time != other->time ? one->time < other->time : one->number < other->number;
}

/* Puts ENTRY where there is a gap AT, or below. */
static void sink(struct event_streams *streams, size_t at, struct entry entry)
{
    struct entry *heap = streams->heap;
    for (size_t child; (child = 2 * at + 1) < streams->heap_count; at = child) {
        if (child + 1 < streams->heap_count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &entry))
            break;
        heap[at] = heap[child];
    }
    heap[at] = entry;
}

/* Notes which entry is behind the first. */
static void find_second(struct event_streams *streams)
{
    const struct entry *heap = streams->heap;
    streams->second =
        streams->heap_count > 1 ? heap[1] : (struct entry){UINT64_MAX, UINT32_MAX};
    if (streams->heap_count > 2 && is_before(&heap[2], &heap[1]))
        streams->second = heap[2];
}

/* The first block of each; false if a file is damaged before its first event. */
static bool begin(struct event_streams *streams)
{
    streams->is_begun = true;
    for (size_t i = 0; i < streams->count && !streams->damaged; i++) {
        struct stream *stream = &streams->list[i];
        stream->front.status = EVENTS_LEFT;
        read_block(streams, stream, &stream->front);
        if (streams->thread_count > 0) {
            pthread_mutex_lock(&streams->lock);
            ask(streams, stream);
            pthread_mutex_unlock(&streams->lock);
        }
        if (stream->front.count > 0 || next_block(streams, stream))
            streams->heap[streams->heap_count++] =
                (struct entry){stream->front.list[0].time, (uint32_t)i};
    }
    for (size_t i = streams->heap_count; i-- > 0;)
        sink(streams, i, streams->heap[i]);
    find_second(streams);
    return !streams->damaged;
}

/* Goes past the event that was given last. */
static bool advance(struct event_streams *streams)
{
    struct entry first = streams->heap[0];
    struct stream *stream = &streams->list[first.number];
    if (++stream->at < stream->front.count || next_block(streams, stream)) {
        first.time = stream->front.list[stream->at].time;
        if (is_before(&first, &streams->second)) {
            streams->heap[0] = first;
            return true;
        }
        sink(streams, 0, first);
    } else if (--streams->heap_count > 0) {
        sink(streams, 0, streams->heap[streams->heap_count]);
    }
    find_second(streams);
    return !streams->damaged;
}

const struct event_record *event_streams_next(struct event_streams *streams, uint32_t *thread)
{
    if (streams->damaged || !(streams->is_begun ? advance(streams) : begin(streams)) ||
        streams->heap_count == 0)
        return NULL;
    const struct stream *stream = &streams->list[streams->heap[0].number];
    *thread = stream->source->thread;
    return &stream->front.list[stream->at];
}

bool event_streams_are_damaged(const struct event_streams *streams)
{
    return streams->damaged != NULL;
}

static int by_location(const void *a, const void *b)
{
    const struct event_source *one = a, *other = b;
    return one->location < other->location ? -1 : one->location > other->location;
}

static size_t block_records(size_t count)
{
    const size_t each = RECORDS / (count + 1);
    return each < RECORDS_LEAST ? RECORDS_LEAST : each > RECORDS_MOST ? RECORDS_MOST : each;
}

static void start_threads(struct event_streams *streams, unsigned threads)
{
    streams->threads = allocate(threads + 1, sizeof *streams->threads);
    while (streams->thread_count < threads &&
           pthread_create(&streams->threads[streams->thread_count], NULL, run, streams) == 0)
        streams->thread_count++;
}

struct event_streams *event_streams_open(struct event_source *sources, size_t count,
                                         event_filler *fill, unsigned threads)
{
    struct event_streams *streams = allocate(1, sizeof *streams);
    streams->list = allocate(count + 1, sizeof *streams->list);
    streams->heap = allocate(count + 1, sizeof *streams->heap);
    streams->count = count;
    streams->fill = fill;
    streams->block_records = block_records(count);
    pthread_mutex_init(&streams->lock, NULL);
    pthread_cond_init(&streams->asked, NULL);
    pthread_cond_init(&streams->read, NULL);
    if (count > 0)
        qsort(sources, count, sizeof *sources, by_location);
    for (size_t i = 0; i < count; i++)
        streams->list[i].source = &sources[i];
    start_threads(streams, threads);
    return streams;
}

static void stop_threads(struct event_streams *streams)
{
    pthread_mutex_lock(&streams->lock);
    streams->stops = true;
    pthread_cond_broadcast(&streams->asked);
    pthread_mutex_unlock(&streams->lock);
    for (unsigned i = 0; i < streams->thread_count; i++)
        pthread_join(streams->threads[i], NULL);
    pthread_cond_destroy(&streams->asked);
    pthread_cond_destroy(&streams->read);
    pthread_mutex_destroy(&streams->lock);
}

void event_streams_free(struct event_streams *streams)
{
    stop_threads(streams);
    for (size_t i = 0; i < streams->count; i++) {
        free(streams->list[i].front.list);
        free(streams->list[i].back.list);
    }
    free(streams->threads);
    free(streams->list);
    free(streams->heap);
    free(streams);
}
