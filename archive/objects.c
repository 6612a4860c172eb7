/* See objects.h. */
#include "archive/objects.h"

#include <stdlib.h>
#include <string.h>

/* The groups of a process by its own numbers, as encoded runs of ranks. */
struct groups {
    struct encoder *runs;
    uint32_t count;
};

/* Room for number NUMBER in *LIST, which grows with zeros; false without memory. */
static bool reach(void **list, uint32_t *count, size_t item_bytes, uint64_t number)
{
    if (number < *count)
        return true;
    if (number > UINT32_MAX / 4)
        return false;
    const uint32_t wanted = 2 * (uint32_t)number + 8;
    char *longer = realloc(*list, wanted * item_bytes);
    if (!longer)
        return false;
    memset(longer + *count * item_bytes, 0, (wanted - *count) * item_bytes);
    *list = longer;
    *count = wanted;
    return true;
}

static void encode_run(struct encoder *out, const struct record *record)
{
    for (unsigned i = 0; i < record->count; i++)
        encode_varint(out, record->numbers[i]);
}

static const struct encoder *group_of(const struct groups *groups, uint64_t number)
{
    static const struct encoder none;
    return number < groups->count ? &groups->runs[number] : &none;
}

/* Both sides of an intercommunicator must describe it alike: the lesser group comes first. */
static bool is_first(const struct encoder *a, const struct encoder *b)
{
    const size_t shorter = a->size < b->size ? a->size : b->size;
    const int order = shorter ? memcmp(a->bytes, b->bytes, shorter) : 0;
    return order < 0 || (order == 0 && a->size <= b->size);
}

static void encode_group(struct encoder *out, const struct encoder *group)
{
    encode_varint(out, group->size);
    encode_bytes(out, group->bytes, group->size);
}

/* What is being read. */
struct reading {
    struct groups groups;
    struct encoder *open; /* the group whose ranks follow */
    struct encoder grid;  /* of the communicator that follows; empty: it has none */
    struct encoder name;  /* of the file that follows; empty: it is not known */
    size_t grids;         /* so far */
};

static uint32_t add_text(struct texts *texts, const struct encoder *text)
{
    return text->failed ? (uint32_t)TEXTS_NONE : texts_add(texts, text->bytes, text->size);
}

/* The file that TEXT describes is called NAME. */
static void describe_name(struct texts *texts, const struct encoder *file,
                          const struct encoder *name)
{
    struct encoder text = {0};
    encode_varint(&text, DESCRIBED_NAME);
    encode_group(&text, file);
    encode_group(&text, name);
    add_text(texts, &text);
    encoder_free(&text);
}

/* The number in TEXTS of the object that RECORD describes. */
static uint32_t describe(struct texts *texts, const struct reading *reading,
                         const struct record *record)
{
    const struct groups *groups = &reading->groups;
    const bool comm = record->tag == OBJECT_COMM;
    const enum described_kind kind = comm                           ? DESCRIBED_COMM
                                     : record->tag == OBJECT_WINDOW ? DESCRIBED_WINDOW
                                                                    : DESCRIBED_FILE;
    const struct encoder *own = group_of(groups, record->numbers[1]),
                         *other = group_of(groups, UINT64_MAX);
    if (comm && record->numbers[2])
        other = group_of(groups, record->numbers[2] - 1);
    const bool ordered = other->size == 0 || is_first(own, other);
    struct encoder text = {0};
    encode_varint(&text, kind);
    encode_varint(&text, record->numbers[comm ? 3 : 2]);
    encode_group(&text, ordered ? own : other);
    encode_group(&text, ordered ? other : own);
    if (comm)
        encode_bytes(&text, reading->grid.bytes, reading->grid.size);
    const uint32_t number = add_text(texts, &text);
    if (kind == DESCRIBED_FILE && reading->name.size > 0 && number != (uint32_t)TEXTS_NONE)
        describe_name(texts, &text, &reading->name);
    encoder_free(&text);
    return number;
}

/* How many ranks the runs up to the end of IN have; 0 if they are damaged. */
static uint64_t count_ranks(struct decoder in)
{
    uint64_t count = 0;
    while (!in.failed && in.at < in.size) {
        decode_signed(&in);
        decode_signed(&in);
        const uint64_t length = decode_varint(&in);
        if (length > UINT32_MAX - count)
            return 0;
        count += length;
    }
    return in.failed ? 0 : count;
}

/* The ranks that the runs up to the end of IN have, from malloc, NULL without memory. */
static int64_t *read_ranks(struct decoder in, uint32_t *count)
{
    const uint64_t ranks = count_ranks(in);
    int64_t *members = malloc((ranks + 1) * sizeof *members);
    *count = 0;
    while (members && *count < ranks) {
        const int64_t first = decode_signed(&in), stride = decode_signed(&in);
        const uint64_t run = decode_varint(&in);
        for (uint64_t i = 0; i < run && *count < ranks; i++)
            members[(*count)++] = first + (int64_t)i * stride;
    }
    return members;
}

static bool read_group(struct decoder *in, int64_t **members, uint32_t *count)
{
    size_t length;
    const unsigned char *bytes = (const unsigned char *)decode_string(in, &length);
    *members = read_ranks((struct decoder){bytes, in->failed ? 0 : length, 0, false}, count);
    return *members && !in->failed;
}

/* Takes in whom the process receives from; false without memory. */
static bool take_sources(struct own_objects *own, const struct groups *groups,
                         const struct record *record)
{
    const struct encoder *group = group_of(groups, record->numbers[1]);
    if (!reach((void **)&own->sources, &own->source_count, sizeof *own->sources,
               record->numbers[0]))
        return false;
    struct sources *sources = &own->sources[record->numbers[0]];
    if (sources->ranks)
        return true;
    sources->ranks =
        read_ranks((struct decoder){group->bytes, group->size, 0, false}, &sources->count);
    return sources->ranks != NULL;
}

/* Adds the letters of RECORD to NAME, up to the zeros. */
static void take_letters(struct encoder *name, const struct record *record)
{
    /* What came before is left of one that did not fit. */
    if (record->numbers[0] == 0)
        name->size = 0;
    for (uint64_t letters = record->numbers[0]; letters & 255; letters >>= 8)
        encode_bytes(name, &(const unsigned char){(unsigned char)letters}, 1);
}

/* Whether the object of RECORD is to be in the archive. */
static bool is_wanted(struct reading *reading, const struct record *record,
                      const struct marked_objects *marked)
{
    const bool has_grid = reading->grid.size > 0 && reading->grids++ < OBJECT_GRIDS_MOST;
    return has_grid || (record->numbers[0] < marked->count && marked->is[record->numbers[0]]);
}

/* Takes RECORD in; false without memory. */
static bool take(struct own_objects *own, struct reading *reading, const struct record *record,
                 const struct marked_objects *marked)
{
    struct groups *groups = &reading->groups;
    bool wanted;
    switch (record->tag) {
    case OBJECT_GROUP:
        if (!reach((void **)&groups->runs, &groups->count, sizeof *groups->runs,
                   record->numbers[0]))
            return false;
        reading->open = &groups->runs[record->numbers[0]];
        return true;
    case OBJECT_RANKS:
        if (reading->open)
            encode_run(reading->open, record);
        return true;
    case OBJECT_GRID:
        reading->grid.size = 0;
        encode_run(&reading->grid, record);
        return true;
    case OBJECT_DIMENSION:
        encode_run(&reading->grid, record);
        return true;
    case OBJECT_LETTERS:
        take_letters(&reading->name, record);
        return true;
    case OBJECT_SOURCES:
        return take_sources(own, groups, record);
    case OBJECT_COMM:
    case OBJECT_WINDOW:
    case OBJECT_FILE:
        wanted = is_wanted(reading, record, marked);
        if (wanted && !reach((void **)&own->numbers, &own->count, sizeof *own->numbers,
                             record->numbers[0]))
            return false;
        /* Numbers count from one here, so that zero means none. */
        if (wanted)
            own->numbers[record->numbers[0]] = describe(own->texts, reading, record) + 1;
        reading->grid.size = reading->name.size = 0;
        return true;
    default:
        return true;
    }
}

bool own_objects_read(struct own_objects *own, struct texts *texts,
                      const struct recording *recording, const struct marked_objects *marked)
{
    struct stream_reader reader = recording_stream(recording, EVENT_STREAM_OBJECTS);
    struct reading reading = {.open = NULL};
    struct record record;
    bool whole = true;
    *own = (struct own_objects){.texts = texts};
    while (whole && recording_next(&reader, &record))
        whole = take(own, &reading, &record, marked);
    for (uint32_t i = 0; i < own->count; i++)
        own->numbers[i]--;
    for (uint32_t i = 0; i < reading.groups.count; i++)
        encoder_free(&reading.groups.runs[i]);
    free(reading.groups.runs);
    encoder_free(&reading.grid);
    encoder_free(&reading.name);
    return whole;
}

void own_objects_free(struct own_objects *own)
{
    free(own->numbers);
    own->numbers = NULL;
    for (uint32_t i = 0; i < own->source_count; i++)
        free(own->sources[i].ranks);
    free(own->sources);
    own->sources = NULL;
    own->source_count = 0;
}

/* A grid has as many places as the communicator has members, or it is not used. */
static void read_grid(struct decoder *in, struct object *object)
{
    const uint64_t dimensions = in->at < in->size ? decode_varint(in) : 0;
    uint64_t places = 1;
    for (uint64_t i = 0; i < dimensions && i < OBJECT_DIMENSIONS_MOST && !in->failed; i++) {
        object->sizes[i] = (uint32_t)decode_varint(in);
        object->periodic[i] = decode_varint(in);
        places = places <= UINT32_MAX ? places * object->sizes[i] : places;
    }
    if (!in->failed && dimensions <= OBJECT_DIMENSIONS_MOST && places == object->counts[0])
        object->dimensions = (uint32_t)dimensions;
}

bool object_read(struct object *object, const struct texts *texts, uint32_t number)
{
    *object = (struct object){.kind = DESCRIBED_COMM};
    struct decoder in = {.at = 0};
    in.bytes = texts_get(texts, number, &in.size);
    object->kind = (enum described_kind)decode_varint(&in);
    if (object->kind == DESCRIBED_NAME)
        return true;
    object->before = decode_varint(&in);
    const bool whole = read_group(&in, &object->members[0], &object->counts[0]) &&
                       read_group(&in, &object->members[1], &object->counts[1]);
    if (whole)
        read_grid(&in, object);
    return whole;
}

uint32_t objects_count_foreign(const struct texts *texts)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < texts->count; i++) {
        struct object object;
        if (object_read(&object, texts, i))
            for (int side = 0; side < 2; side++) {
                uint32_t foreign = 0;
                for (uint32_t j = 0; j < object.counts[side]; j++)
                    foreign += object.members[side][j] < 0;
                most = foreign > most ? foreign : most;
            }
        object_free(&object);
    }
    return most;
}

void object_free(struct object *object)
{
    free(object->members[0]);
    free(object->members[1]);
}

enum described_kind object_kind_of(const struct texts *texts, uint32_t number)
{
    struct decoder in = {.at = 0};
    in.bytes = texts_get(texts, number, &in.size);
    return (enum described_kind)decode_varint(&in);
}

/* Notes of the file that text NAMING is about that it is. */
static void note_name(struct object_number *numbers, const struct texts *texts, uint32_t naming)
{
    struct decoder in = {.at = 0};
    size_t size;
    in.bytes = texts_get(texts, naming, &in.size);
    decode_varint(&in);
    const char *file = decode_string(&in, &size);
    const uint32_t named = in.failed ? (uint32_t)TEXTS_NONE : texts_find(texts, file, size);
    if (named != TEXTS_NONE)
        numbers[named].name = naming;
}

struct object_number *objects_number(const struct texts *texts)
{
    struct object_number *numbers = malloc((texts->count + 1) * sizeof *numbers);
    uint32_t kinds[DESCRIBED_KINDS] = {0}, objects = 0;
    for (uint32_t i = 0; numbers && i < texts->count; i++) {
        const enum described_kind kind = object_kind_of(texts, i);
        numbers[i] = (struct object_number){objects, kind < DESCRIBED_KINDS ? kinds[kind]++ : 0,
                                            TEXTS_NONE};
        objects += kind != DESCRIBED_NAME;
    }
    for (uint32_t i = 0; numbers && i < texts->count; i++)
        if (object_kind_of(texts, i) == DESCRIBED_NAME)
            note_name(numbers, texts, i);
    return numbers;
}

const char *object_file_name(const struct texts *texts, const struct object_number *number,
                             size_t *length)
{
    struct decoder in = {.at = 0};
    if (number->name == TEXTS_NONE)
        return NULL;
    in.bytes = texts_get(texts, number->name, &in.size);
    decode_varint(&in);
    decode_string(&in, length);
    const char *name = decode_string(&in, length);
    return in.failed ? NULL : name;
}
