/* Records of events, short and long: what is read is what was written, at every border. */
#include "trace/record.h"

#include "archive/recording.h"

#include "tests/unit/libprof/alone.h"

enum { OWNER = EVENT_STREAM_THREADS, MEMORY = 1 << 24, NUMBERS = 5 };

static struct stream stream = {.owner = OWNER};

/* A record as it was given, and how long it is. */
struct written {
    unsigned tag, count;
    uint64_t numbers[NUMBERS];
    unsigned bytes;
};

static struct written written[24000];
static size_t written_count;

#define WRITE(event, fields)                                                                   \
    do {                                                                                       \
        NEED(stream_has_room_async(&stream));                                                  \
        const unsigned char *before = stream.at;                                               \
        record_event_async(&stream, event, numbers, fields);                                   \
        struct written *now = &written[written_count++];                                       \
        *now = (struct written){event, fields, {0}, (unsigned)(stream.at - before)};           \
        memcpy(now->numbers, numbers, sizeof now->numbers);                                    \
    } while (0)

/* One record of each kind with a short form; the call's times are its first two numbers. */
static void write_each(const uint64_t *numbers)
{
    WRITE(EVENT_CALL, 3);
    WRITE(EVENT_SEND, 4);
    WRITE(EVENT_RECEIVE, 4);
    WRITE(EVENT_START_SEND, 5);
    WRITE(EVENT_START_RECEIVE, 1);
    WRITE(EVENT_START_COLLECTIVE, 1);
    WRITE(EVENT_DONE_SEND, 1);
    WRITE(EVENT_DONE_RECEIVE, 5);
    WRITE(EVENT_COLLECTIVE, 4);
    WRITE(EVENT_PUT, 3);
    WRITE(EVENT_GET, 3);
    WRITE(EVENT_WINDOW, 3);
    WRITE(EVENT_PARTNER, 2);
    WRITE(EVENT_SAMPLE, 2);
    WRITE(EVENT_ENTER, 2);
    WRITE(EVENT_LEAVE, 2);
    WRITE(EVENT_VISIT, 2);
}

/* Each number alone, and all, at and beside each power of two. */
static void write_borders(void)
{
    for (unsigned bit = 0; bit < 63; bit++)
        for (unsigned which = 0; which <= NUMBERS; which++)
            for (int beside = -1; beside <= 0; beside++) {
                uint64_t numbers[NUMBERS];
                for (unsigned i = 0; i < NUMBERS; i++)
                    numbers[i] = which == NUMBERS || which == i
                                     ? (UINT64_C(1) << bit) + (uint64_t)(int64_t)beside
                                     : i;
                write_each(numbers);
            }
}

static bool has_time(unsigned tag)
{
    return tag == EVENT_SAMPLE || tag == EVENT_ENTER || tag == EVENT_LEAVE ||
           tag == EVENT_VISIT;
}

static bool is_same(const struct record *record, const struct written *one, int64_t *before)
{
    const unsigned times = one->tag == EVENT_CALL ? 2 : has_time(one->tag);
    bool same = record->tag == one->tag && record->count == one->count - times;
    for (unsigned i = times; same && i < one->count; i++)
        same = record->numbers[i - times] == one->numbers[i];
    if (times > 0)
        same &= (uint64_t)record->ns - (uint64_t)*before == one->numbers[0];
    if (times > 1)
        same &= (uint64_t)record->leave_ns - (uint64_t)record->ns == one->numbers[1];
    *before = record->leave_ns;
    return same;
}

static void test_what_is_read_is_what_was_written(void)
{
    struct recording recording;
    struct record record;
    int64_t before = 0;
    size_t read = 0, same = 0;
    NEED(chunks_start(MEMORY));
    write_borders();
    NEED(recording_read(&recording, chunk_at_async(0), chunks_count_async()));
    struct stream_reader reader = recording_stream(&recording, OWNER);
    uint32_t chunk = 0;
    while (recording_next(&reader, &record) && read < written_count) {
        /* The first time of a chunk counts from where it begins. */
        before = reader.next != chunk ? 0 : before;
        chunk = reader.next;
        same += is_same(&record, &written[read++], &before);
    }
    EQ_INT(read, written_count, "there are as many records");
    EQ_INT(same, written_count, "and they are the same");
    recording_free(&recording);
}

static void test_short_records_are_short(void)
{
    const uint64_t numbers[NUMBERS] = {1, 1, 1, 1, 1};
    unsigned most = 0;
    NEED(chunks_start(MEMORY));
    write_each(numbers);
    for (size_t i = 0; i < written_count; i++)
        most = written[i].bytes > most ? written[i].bytes : most;
    EQ_INT(written[0].bytes, 7, "a call");
    EQ_INT(written[written_count - 1].bytes, 5, "a function");
    EQ_INT(most, 13, "what is longest, a message with a request");
}

int main(void)
{
    alone(test_what_is_read_is_what_was_written);
    alone(test_short_records_are_short);
    return tap_done();
}
