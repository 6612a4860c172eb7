/*
 * What is written of a thread's records: iterations that began and turn out to be none leave
 * nothing, also where one was in another; partners of epochs are known for any number of
 * windows; and requests that are complete take no memory.
 */
#include "archive/events.h"

#include "archive/call_stack.h"
#include "archive/details.h"
#include "archive/objects.h"
#include "archive/recording.h"
#include "common/codec.h"

#include "tap.h"

#include <string.h>

enum { LOG_BYTES = 8192 };

/* "+2": region 2 is entered; "-": left; "#7": an iteration, number 7, begins. */
static char written[LOG_BYTES];

static void note(char sign, uint64_t number)
{
    const size_t length = strlen(written);
    snprintf(written + length, sizeof written - length, "%s%c%u", length ? " " : "", sign,
             (unsigned)number);
}

static OTF2_ErrorCode enter(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                            OTF2_TimeStamp time, OTF2_RegionRef region)
{
    (void)writer, (void)attributes, (void)time;
    note('+', region);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode leave(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                            OTF2_TimeStamp time, OTF2_RegionRef region)
{
    (void)writer, (void)attributes, (void)time;
    note('-', region);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode number_it(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                                OTF2_TimeStamp time, OTF2_ParameterRef parameter,
                                uint64_t value)
{
    (void)writer, (void)attributes, (void)time, (void)parameter;
    note('#', value);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode synchronize(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                                  OTF2_TimeStamp time, OTF2_RmaWinRef window, uint32_t remote,
                                  OTF2_RmaSyncType type)
{
    (void)writer, (void)attributes, (void)time, (void)type;
    note('w', window);
    note('r', remote);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode free_window(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                                  OTF2_TimeStamp time, OTF2_RmaWinRef window)
{
    (void)writer, (void)attributes, (void)time, (void)window;
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode send(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                           OTF2_TimeStamp time, uint32_t receiver, OTF2_CommRef comm,
                           uint32_t tag, uint64_t bytes, uint64_t request)
{
    (void)writer, (void)attributes, (void)time, (void)receiver, (void)comm, (void)tag;
    (void)bytes;
    note('s', request);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode sent(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                           OTF2_TimeStamp time, uint64_t request)
{
    (void)writer, (void)attributes, (void)time;
    note('d', request);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode count(OTF2_EvtWriter *writer, uint64_t *events)
{
    (void)writer;
    *events = 0;
    return OTF2_SUCCESS;
}

static const struct otf2 recorder = {.EvtWriter_Enter = enter,
                                     .EvtWriter_Leave = leave,
                                     .EvtWriter_ParameterUnsignedInt = number_it,
                                     .EvtWriter_RmaSync = synchronize,
                                     .EvtWriter_RmaWinDestroy = free_window,
                                     .EvtWriter_MpiIsend = send,
                                     .EvtWriter_MpiIsendComplete = sent,
                                     .EvtWriter_GetNumberOfEvents = count};

/* main (1) has steps (2), which have parts (3), which call send (4); main also starts and
 * completes epochs.  Nodes are numbered as their regions are. */
enum { ROOT, MAIN, STEP, PART, SEND, START, COMPLETE, FREE, NODES };
static struct program_node nodes[NODES] = {
    {ROOT, 0, 0, 0},    {ROOT, MAIN, 0, 1},  {MAIN, STEP, 0, 2},     {STEP, PART, 0, 3},
    {PART, SEND, 0, 4}, {MAIN, START, 0, 2}, {MAIN, COMPLETE, 0, 2}, {MAIN, FREE, 0, 2}};
static struct program_region functions[NODES] = {
    [START] = {.one_sided = ONE_SIDED_START}, [COMPLETE] = {.one_sided = ONE_SIDED_COMPLETE}};
static const struct program program = {
    .regions = functions, .region_count = NODES, .nodes = nodes, .node_count = NODES};
static uint32_t own[NODES] = {ROOT, MAIN, STEP, PART, SEND, START, COMPLETE, FREE};
static const OTF2_RegionRef regions[] = {STEP, PART};

/* Windows, which are objects of the same numbers. */
enum { WINDOWS = 40 };
static uint32_t own_windows[OBJECT_FIRST + WINDOWS];
static struct object_number windows[WINDOWS];
static const struct own_objects objects = {.numbers = own_windows,
                                           .count = OBJECT_FIRST + WINDOWS};

static void put(struct encoder *out, uint8_t tag, const uint64_t *numbers, size_t count)
{
    encode_bytes(out, &tag, 1);
    for (size_t i = 0; i < count; i++)
        encode_varint(out, numbers[i]);
}

#define PUT(out, tag, ...)                                                                     \
    put(out, tag, (const uint64_t[]){__VA_ARGS__},                                             \
        sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

enum { STEPS, PARTS };

static void put_begin(struct encoder *out, uint64_t series, uint64_t number)
{
    PUT(out, EVENT_BEGIN, 1, series, 0, number, series == STEPS ? STEP : PART, 0);
}

/* What is written of RECORDS, which are freed. */
static const char *writes(struct encoder *records)
{
    static _Alignas(8) unsigned char chunk[EVENT_CHUNK_BYTES];
    const struct event_chunk header = {.owner = EVENT_STREAM_THREADS,
                                       .used = (uint32_t)(EVENT_CHUNK_HEADER + records->size)};
    struct recording recording;
    const struct event_maps maps = {.program = &program,
                                    .nodes = own,
                                    .node_count = NODES,
                                    .objects = &objects,
                                    .numbers = windows,
                                    .regions = regions,
                                    .series_count = sizeof regions / sizeof *regions};
    memset(chunk, 0, sizeof chunk);
    memcpy(chunk, &header, sizeof header);
    memcpy(chunk + EVENT_CHUNK_HEADER, records->bytes, records->size);
    encoder_free(records);
    written[0] = '\0';
    if (!recording_read(&recording, chunk, 1))
        return "no memory";
    events_write(&recorder, NULL, &recording, EVENT_STREAM_THREADS, &maps, NULL, 0);
    recording_free(&recording);
    return written;
}

static void leaves(struct encoder *records, const char *wanted, const char *what)
{
    const char *text = writes(records);
    OK(strcmp(text, wanted) == 0, "%s: %s", what, text);
}

static void test_an_iteration(void)
{
    struct encoder records = {0};
    put_begin(&records, STEPS, 7);
    put_begin(&records, PARTS, 1);
    PUT(&records, EVENT_CALL, 1, 1, SEND);
    PUT(&records, EVENT_END, 1, PARTS, 0, 0);
    PUT(&records, EVENT_END, 1, STEPS, 0, 0);
    leaves(&records, "+1 +2 #7 +3 #1 +4 -4 -3 -2 -1", "an iteration in another");
}

static void test_that_is_none(void)
{
    struct encoder records = {0};
    put_begin(&records, STEPS, 7);
    PUT(&records, EVENT_UNDO, STEPS, 0);
    leaves(&records, "", "what is none leaves nothing");
    put_begin(&records, STEPS, 7);
    put_begin(&records, PARTS, 1);
    PUT(&records, EVENT_UNDO, PARTS, 0);
    PUT(&records, EVENT_UNDO, STEPS, 0);
    put_begin(&records, STEPS, 7);
    PUT(&records, EVENT_END, 1, STEPS, 0, 0);
    leaves(&records, "+1 +2 #7 -2 -1", "nor does one in another that is none");
    put_begin(&records, STEPS, 7);
    put_begin(&records, PARTS, 1);
    PUT(&records, EVENT_UNDO, PARTS, 0);
    put_begin(&records, PARTS, 2);
    PUT(&records, EVENT_CALL, 1, 1, SEND);
    PUT(&records, EVENT_END, 1, PARTS, 0, 0);
    PUT(&records, EVENT_END, 1, STEPS, 0, 0);
    leaves(&records, "+1 +2 #7 +3 #2 +4 -4 -3 -2 -1", "what is around it stays");
}

static void test_many_at_once(void)
{
    struct encoder records = {0};
    for (uint64_t i = 0; i <= CALL_STACK_LOOPS; i++)
        put_begin(&records, STEPS, i);
    for (int i = 0; i <= CALL_STACK_LOOPS; i++)
        PUT(&records, EVENT_UNDO, STEPS, 0);
    const char *text = writes(&records);
    OK(strstr(text, "#0 ") && !strstr(text, "#16"),
       "of more than can wait the outer are written");
}

/* Each of many windows is used once and freed, or stays. */
static void test_epochs(bool frees)
{
    int wrong = 0;
    struct encoder records = {0};
    for (uint64_t i = 0; i < WINDOWS; i++) {
        own_windows[OBJECT_FIRST + i] = (uint32_t)i;
        windows[i].own = (uint32_t)i;
    }
    for (uint64_t i = 0; i < WINDOWS; i++) {
        const uint64_t window = OBJECT_FIRST + i, rank = i % 3;
        PUT(&records, EVENT_CALL, 1, 1, START);
        PUT(&records, EVENT_PARTNER, window, rank << 1);
        PUT(&records, EVENT_CALL, 1, 1, COMPLETE);
        PUT(&records, EVENT_WINDOW, window, 1, 0);
        if (frees) {
            PUT(&records, EVENT_CALL, 1, 1, FREE);
            PUT(&records, EVENT_FREE_WINDOW, window);
        }
    }
    writes(&records);
    const char *at = written;
    for (unsigned i = 0; i < WINDOWS; i++)
        for (int side = 0; side < 2; side++) {
            unsigned window = WINDOWS, rank = WINDOWS;
            at = strchr(at, 'w');
            if (!at || sscanf(at, "w%u r%u", &window, &rank) != 2 || window != i ||
                rank != i % 3)
                wrong++;
            at = at ? at + 1 : written + strlen(written);
        }
    EQ_INT(wrong, 0, "partners are known where epochs of many windows begin and end%s",
           frees ? ", which are freed" : "");
}

static void test_requests_that_are_complete(void)
{
    enum { REQUESTS = 20000, AT_ONCE = 7 };
    const struct event_maps maps = {
        .program = &program, .objects = &objects, .numbers = windows};
    struct out out = {.otf2 = &recorder, .time_line = &maps.time_line};
    struct details details = {.open = false};
    int wrong = 0;
    for (uint64_t i = 1; i < REQUESTS + AT_ONCE; i++) {
        const struct record call = {.tag = EVENT_CALL, .numbers = {SEND}},
                            start = {.tag = EVENT_START_SEND, .count = 5, .numbers = {i}},
                            done = {
                                .tag = EVENT_DONE_SEND, .count = 1, .numbers = {i - AT_ONCE}};
        char wanted[64];
        written[0] = '\0';
        details_begin(&details, &call);
        if (i < REQUESTS)
            details_add(&details, &start);
        if (i > AT_ONCE)
            details_add(&details, &done);
        details_write(&details, &out, &maps, SEND);
        snprintf(wanted, sizeof wanted, "d%u", (unsigned)(i - AT_ONCE));
        wrong += i > AT_ONCE && !strstr(written, wanted);
    }
    EQ_INT(wrong, 0, "each request that began is complete once");
    EQ_INT(details.request_count, 0, "nothing is known of them then");
    OK(details.request_capacity < REQUESTS / 10, "nor is there memory for all of them");
    const struct record call = {.tag = EVENT_CALL, .numbers = {SEND}},
                        again = {.tag = EVENT_DONE_SEND, .count = 1, .numbers = {5}};
    written[0] = '\0';
    details_begin(&details, &call);
    details_add(&details, &again);
    details_write(&details, &out, &maps, SEND);
    OK(!strstr(written, "d5"), "one that did not begin is not complete: %s", written);
    details_free(&details);
}

int main(void)
{
    test_an_iteration();
    test_that_is_none();
    test_many_at_once();
    test_epochs(true);
    test_epochs(false);
    test_requests_that_are_complete();
    return tap_done();
}
