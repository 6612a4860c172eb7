/* See recording.h. */
#include "archive/recording.h"

#include "common/event_short.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPEN_MOST = 64, /* iterations inside each other; more than a thread has levels */
    FIELDS_MOST = 8 /* times and numbers of a record, but for counters */
};

/*
 * What follows the times of a record, and which of its numbers is that of a communicator or
 * window, counted from one; 0: none.  EVENT_COUNTS says itself how many numbers it has.
 */
static const struct shape {
    unsigned char times, numbers, object;
} event_shapes[EVENT_TAGS] = {
    [EVENT_BEGIN] = {1, 5, 0},
    [EVENT_END] = {1, 3, 0},
    [EVENT_UNDO] = {0, 2, 0},
    [EVENT_CALL] = {2, 1, 0},
    [EVENT_SAMPLE] = {1, 1, 0},
    [EVENT_COUNTS] = {0, 1, 0},
    [EVENT_SEND] = {0, 4, 1},
    [EVENT_RECEIVE] = {0, 4, 1},
    [EVENT_START_SEND] = {0, 5, 2},
    [EVENT_START_RECEIVE] = {0, 1, 0},
    [EVENT_START_COLLECTIVE] = {0, 1, 0},
    [EVENT_DONE_SEND] = {0, 1, 0},
    [EVENT_DONE_RECEIVE] = {0, 5, 2},
    [EVENT_DONE_COLLECTIVE] = {0, 6, 2},
    [EVENT_CANCELLED] = {0, 1, 0},
    [EVENT_COLLECTIVE] = {0, 4, 1},
    [EVENT_PUT] = {0, 3, 1},
    [EVENT_GET] = {0, 3, 1},
    [EVENT_ATOMIC] = {0, 4, 1},
    [EVENT_WINDOW] = {0, 3, 1},
    [EVENT_PARTNER] = {0, 2, 1},
    [EVENT_FILE] = {0, 3, 1},
    [EVENT_START_FILE] = {0, 3, 2},
    [EVENT_DONE_FILE] = {0, 3, 2},
    [EVENT_NEW_COMM] = {0, 1, 1},
    [EVENT_FREE_COMM] = {0, 1, 1},
    [EVENT_NEW_WINDOW] = {0, 1, 1},
    [EVENT_FREE_WINDOW] = {0, 1, 1},
    [EVENT_NEW_FILE] = {0, 1, 1},
    [EVENT_FREE_FILE] = {0, 1, 1},
    [EVENT_ENTER] = {1, 1, 0},
    [EVENT_LEAVE] = {1, 1, 0},
    [EVENT_VISIT] = {1, 1, 0},
};

static const struct shape object_shapes[OBJECT_TAGS] = {
    [OBJECT_GROUP] = {0, 2, 0},     [OBJECT_RANKS] = {0, 3, 0},   [OBJECT_COMM] = {0, 4, 0},
    [OBJECT_WINDOW] = {0, 3, 0},    [OBJECT_SOURCES] = {0, 2, 0}, [OBJECT_GRID] = {0, 1, 0},
    [OBJECT_DIMENSION] = {0, 2, 0}, [OBJECT_FILE] = {0, 3, 0},    [OBJECT_LETTERS] = {0, 1, 0},
};

static const struct event_chunk *chunk_of(const struct recording *recording, uint32_t number)
{
    return (const void *)(recording->chunks + (size_t)number * EVENT_CHUNK_BYTES);
}

static int compare(const void *left, const void *right, void *context)
{
    const struct event_chunk *a = chunk_of(context, *(const uint32_t *)left),
                             *b = chunk_of(context, *(const uint32_t *)right);
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

bool recording_read(struct recording *recording, const void *chunks, uint32_t count)
{
    *recording = (struct recording){chunks, malloc((count + 1) * sizeof(uint32_t)), 0};
    if (!recording->order)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (chunk_of(recording, i)->owner != EVENT_STREAM_NONE)
            recording->order[recording->count++] = i;
    qsort_r(recording->order, recording->count, sizeof *recording->order, compare, recording);
    return true;
}

void recording_free(struct recording *recording)
{
    free(recording->order);
    *recording = (struct recording){NULL, NULL, 0};
}

struct stream_reader recording_stream(const struct recording *recording, uint32_t owner)
{
    struct stream_reader reader = {.recording = recording,
                                   .objects = owner == EVENT_STREAM_OBJECTS};
    while (reader.next < recording->count &&
           chunk_of(recording, recording->order[reader.next])->owner < owner)
        reader.next++;
    reader.end = reader.next;
    while (reader.end < recording->count &&
           chunk_of(recording, recording->order[reader.end])->owner == owner)
        reader.end++;
    return reader;
}

/* Goes on to the next chunk; false if there is none.  *BROKEN is set if some are missing. */
static bool next_chunk(struct stream_reader *reader, bool *broken)
{
    if (reader->next == reader->end)
        return false;
    const struct event_chunk *chunk =
        chunk_of(reader->recording, reader->recording->order[reader->next++]);
    const bool sound = chunk->used >= EVENT_CHUNK_HEADER && chunk->used <= EVENT_CHUNK_BYTES;
    *broken |= chunk->sequence != reader->sequence || !sound;
    reader->sequence = chunk->sequence + 1;
    reader->ns = chunk->base_ns;
    reader->in =
        (struct decoder){(const unsigned char *)chunk, sound ? chunk->used : EVENT_CHUNK_HEADER,
                         EVENT_CHUNK_HEADER, false};
    return true;
}

/* The 64 bits from byte AT on; zeros behind the end. */
static uint64_t word_at(const struct decoder *in, size_t at)
{
    uint64_t word = 0;
    const size_t rest = at < in->size ? in->size - at : 0;
    if (rest >= sizeof word)
        memcpy(&word, in->bytes + at, sizeof word);
    else if (rest > 0)
        memcpy(&word, in->bytes + at, rest);
    return word;
}

/* The fields of a short record with TAG, which has been read, the times first. */
static void read_short(struct decoder *in, unsigned tag, unsigned count, uint64_t *fields)
{
    size_t begin = in->at - 1;
    uint64_t word = word_at(in, begin);
    unsigned bits = 8;
    for (unsigned i = 0; i < count; i++) {
        const unsigned width = event_short[tag][i];
        if (bits + width > 64) {
            begin += bits / 8;
            word = word_at(in, begin);
            bits = 0;
        }
        fields[i] = word >> bits & ((UINT64_C(1) << width) - 1);
        bits += width;
    }
    in->at = begin + bits / 8;
    in->failed |= in->at > in->size;
}

/* The fields of a record, which has COUNT, the times first. */
static void read_fields(struct decoder *in, unsigned tag, bool is_short, unsigned count,
                        uint64_t *fields)
{
    if (is_short) {
        read_short(in, tag, count, fields);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        fields[i] = decode_varint(in);
}

/* Counters say first how many they are. */
static void read_counts(struct decoder *in, struct record *record)
{
    record->count = record->numbers[0] < RECORD_NUMBERS_MOST ? (unsigned)record->numbers[0] : 0;
    for (unsigned i = 0; i < record->count; i++)
        record->numbers[i] = decode_varint(in);
}

/* Reads a record of the current chunk; false if it is damaged. */
static bool read_record(struct stream_reader *reader, struct record *record)
{
    struct decoder *in = &reader->in;
    const unsigned first = in->bytes[in->at++];
    const bool is_short = !reader->objects && first >= EVENT_SHORT;
    const unsigned tags = reader->objects ? (unsigned)OBJECT_TAGS : (unsigned)EVENT_TAGS;
    const struct shape *shapes = reader->objects ? object_shapes : event_shapes;
    record->tag = is_short ? first - EVENT_SHORT : first;
    if (record->tag == 0 || record->tag >= tags ||
        (is_short && event_short[record->tag][0] == 0))
        return false;
    const struct shape shape = shapes[record->tag];
    uint64_t fields[FIELDS_MOST];
    read_fields(in, record->tag, is_short, shape.times + shape.numbers, fields);
    for (unsigned i = 0; i < shape.times; i++) {
        reader->ns = (int64_t)((uint64_t)reader->ns + fields[i]);
        if (i == 0)
            record->ns = reader->ns;
        record->leave_ns = reader->ns;
    }
    if (shape.times == 0)
        record->ns = record->leave_ns = reader->ns;
    record->count = shape.numbers;
    memcpy(record->numbers, fields + shape.times, shape.numbers * sizeof *fields);
    if (!reader->objects && record->tag == EVENT_COUNTS)
        read_counts(in, record);
    return !in->failed;
}

bool recording_next(struct stream_reader *reader, struct record *record)
{
    record->broken = false;
    for (;;) {
        while (reader->in.at >= reader->in.size)
            if (!next_chunk(reader, &record->broken))
                return false;
        if (read_record(reader, record)) {
            record->at = reader->at++;
            return true;
        }
        record->broken = true;
        reader->in.at = reader->in.size;
    }
}

int record_node(const struct record *record)
{
    switch (record->tag) {
    case EVENT_CALL:
    case EVENT_SAMPLE:
    case EVENT_ENTER:
    case EVENT_LEAVE:
    case EVENT_VISIT:
        return 0;
    case EVENT_BEGIN:
        return 3;
    case EVENT_DONE_COLLECTIVE:
        return 5;
    default:
        return -1;
    }
}

bool record_enters(const struct record *record)
{
    return record->tag == EVENT_CALL || record->tag == EVENT_BEGIN ||
           record->tag == EVENT_ENTER || record->tag == EVENT_VISIT;
}

bool record_is_detail(const struct record *record)
{
    return record->tag >= EVENT_COUNTS && record->tag <= EVENT_FREE_FILE;
}

/* The iterations that are found. */
struct found {
    struct recorded_iteration *list;
    size_t count, capacity;
    bool failed;
};

static void add(struct found *found, const struct recorded_iteration *iteration)
{
    if (found->count == found->capacity) {
        const size_t capacity = found->capacity ? 2 * found->capacity : 64;
        void *list = realloc(found->list, capacity * sizeof *found->list);
        found->failed |= !list;
        if (!list)
            return;
        found->list = list;
        found->capacity = capacity;
    }
    found->list[found->count++] = *iteration;
}

/* The innermost open iteration of the series that RECORD is about; -1: none. */
static int find_open(const struct recorded_iteration *open, int depth,
                     const struct record *record)
{
    while (--depth >= 0)
        if (open[depth].series == record->numbers[0] &&
            open[depth].generation == record->numbers[1])
            return depth;
    return -1;
}

static struct recorded_iteration begun(const struct record *record)
{
    return (struct recorded_iteration){.series = (uint32_t)record->numbers[0],
                                       .generation = (uint32_t)record->numbers[1],
                                       .number = record->numbers[2],
                                       .chosen = record->numbers[4] & EVENT_CHOSEN,
                                       .first = record->at};
}

struct recorded_iteration *recording_iterations(const struct recording *recording,
                                                uint32_t owner, size_t *count)
{
    struct stream_reader reader = recording_stream(recording, owner);
    struct recorded_iteration open[OPEN_MOST];
    struct found found = {.list = malloc(sizeof *found.list), .capacity = 1};
    struct record record;
    int depth = 0;
    while (found.list && recording_next(&reader, &record)) {
        /* What begins before a gap and ends behind it is not there as a whole. */
        if (record.broken)
            depth = 0;
        if (record.tag == EVENT_BEGIN && depth < OPEN_MOST)
            open[depth++] = begun(&record);
        if (record.tag != EVENT_END && record.tag != EVENT_UNDO)
            continue;
        const int ended = find_open(open, depth, &record);
        if (ended < 0)
            continue;
        depth = ended;
        open[ended].last = record.at;
        open[ended].score = record.numbers[2];
        if (record.tag == EVENT_END)
            add(&found, &open[ended]);
    }
    *count = found.count;
    if (!found.failed)
        return found.list;
    free(found.list);
    return NULL;
}

/*
 * Whether record AT is in one of the COUNT iterations from *LIST on, which is brought to the
 * first that has not ended before; NULL stands for everything.
 */
static bool is_within(const struct recorded_iteration *const **list, size_t *count, uint64_t at)
{
    if (!*list)
        return true;
    for (; *count > 0 && (**list)->last < at; (*count)--)
        ++*list;
    return *count > 0 && (**list)->first <= at;
}

bool recording_mark_objects(const struct recording *recording, uint32_t owner,
                            const struct recorded_iteration *const *list, size_t count,
                            struct marked_objects *marked)
{
    struct stream_reader reader = recording_stream(recording, owner);
    struct record record;
    while (recording_next(&reader, &record)) {
        const unsigned place = event_shapes[record.tag].object;
        const uint64_t object = place ? record.numbers[place - 1] : 0;
        if (place == 0 || object > UINT32_MAX / 2 || !is_within(&list, &count, record.at))
            continue;
        if (object >= marked->count) {
            const size_t wanted = 2 * object + 64;
            bool *longer = realloc(marked->is, wanted);
            if (!longer)
                return false;
            for (size_t i = marked->count; i < wanted; i++)
                longer[i] = false;
            marked->is = longer;
            marked->count = wanted;
        }
        marked->is[object] = true;
    }
    return true;
}
