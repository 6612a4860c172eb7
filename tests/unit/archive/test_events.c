/*
 * What is written of a thread's records: iterations that began and turn out to be none leave
 * nothing, also where one was in another.
 */
#include "archive/events.h"

#include "archive/call_stack.h"
#include "archive/recording.h"
#include "common/codec.h"

#include "tap.h"

#include <string.h>

enum { LOG_BYTES = 512 };

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

static OTF2_ErrorCode count(OTF2_EvtWriter *writer, uint64_t *events)
{
    (void)writer;
    *events = 0;
    return OTF2_SUCCESS;
}

static const struct otf2 recorder = {.EvtWriter_Enter = enter,
                                     .EvtWriter_Leave = leave,
                                     .EvtWriter_ParameterUnsignedInt = number_it,
                                     .EvtWriter_GetNumberOfEvents = count};

/* main (1) has steps (2), which have parts (3), which call send (4).  Nodes are numbered as
 * their regions are. */
enum { ROOT, MAIN, STEP, PART, SEND, NODES };
static struct program_node nodes[NODES] = {{ROOT, 0, 0, 0},
                                           {ROOT, MAIN, 0, 1},
                                           {MAIN, STEP, 0, 2},
                                           {STEP, PART, 0, 3},
                                           {PART, SEND, 0, 4}};
static struct program_region functions[NODES];
static const struct program program = {
    .regions = functions, .region_count = NODES, .nodes = nodes, .node_count = NODES};
static uint32_t own[NODES] = {ROOT, MAIN, STEP, PART, SEND};
static const OTF2_RegionRef regions[] = {STEP, PART};

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

int main(void)
{
    test_an_iteration();
    test_that_is_none();
    test_many_at_once();
    return tap_done();
}
