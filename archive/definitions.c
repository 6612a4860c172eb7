/* See definitions.h. */
#include "archive/definitions.h"

#include "common/archive_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of groups; those of communicators follow. */
enum { GROUP_LOCATIONS, GROUP_WORLD, GROUP_SELF, GROUPS_FIRST };

struct author {
    const struct otf2 *otf2;
    OTF2_GlobalDefWriter *writer;
    const struct archive_contents *contents;
    uint32_t strings; /* so many have been defined; number 0 is the empty one */
    uint32_t groups, objects, windows; /* likewise */
    uint32_t dimensions, topologies;   /* likewise */
    uint32_t files;                    /* likewise */
    uint32_t foreign;                  /* processes of other jobs, numbered behind the ranks */
    uint32_t mpi;                      /* the string "MPI" */
    bool failed;
};

/* Writes the definition that OTF2_GlobalDefWriter_WriteNAME does. */
#define DEFINE(author, name, ...)                                                              \
    ((author)->failed |= (author)->otf2->GlobalDefWriter_Write##name(                          \
                             (author)->writer, __VA_ARGS__) != OTF2_SUCCESS)

/* Defines the string TEXT; "" has been defined at first. */
static uint32_t string(struct author *author, const char *text)
{
    if (author->strings > 0 && !*text)
        return 0;
    DEFINE(author, String, author->strings, text);
    return author->strings++;
}

static uint32_t text(struct author *author, struct program_text text)
{
    char *copy = text.length > 0 ? strndup(text.start, text.length) : NULL;
    const uint32_t number = string(author, copy ? copy : "");
    free(copy);
    return number;
}

static bool is(struct program_text text, const char *other)
{
    return text.length == strlen(other) && memcmp(text.start, other, text.length) == 0;
}

static OTF2_RegionRole collective_role(int operation)
{
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return OTF2_REGION_ROLE_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return OTF2_REGION_ROLE_COLL_OTHER;
    default:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    }
}

static OTF2_RegionRole mpi_role(const struct program_region *region)
{
    if (region->collective >= 0)
        return collective_role(region->collective);
    if (is(region->group, "P2P") || is(region->group, "REQUEST"))
        return OTF2_REGION_ROLE_POINT2POINT;
    if (is(region->group, "RMA"))
        return OTF2_REGION_ROLE_RMA;
    if (is(region->group, "IO"))
        return OTF2_REGION_ROLE_FILE_IO;
    return OTF2_REGION_ROLE_WRAPPER;
}

static void define_region(struct author *author, uint32_t number)
{
    const struct program_region *region = &author->contents->program->regions[number];
    static const struct {
        OTF2_RegionRole role;
        OTF2_Paradigm paradigm;
    } kinds[] = {
        [REGION_FUNCTION] = {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING},
        [REGION_MPI] = {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI},
        [REGION_PHASE] = {OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER},
        [REGION_ARTIFICIAL] = {OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM},
    };
    const unsigned kind = region->kind <= REGION_ARTIFICIAL ? region->kind : REGION_ARTIFICIAL;
    const uint32_t name = text(author, region->name);
    /* Scalasca takes for a call of MPI what is in this file, whatever the paradigm is. */
    const uint32_t file = kind == REGION_MPI ? author->mpi : text(author, region->file);
    DEFINE(author, Region, number, name, name, 0,
           kind == REGION_MPI ? mpi_role(region) : kinds[kind].role, kinds[kind].paradigm,
           kind == REGION_PHASE ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE,
           kind == REGION_MPI || region->file.length ? file : OTF2_UNDEFINED_STRING,
           region->line, 0);
}

static void define_program(struct author *author)
{
    const struct program *program = author->contents->program;
    for (uint32_t i = 0; i < program->region_count; i++)
        define_region(author, i);
    for (uint32_t i = 0; i < program->node_count; i++)
        DEFINE(author, CallingContext, i, program->nodes[i].region,
               OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
               i == PROGRAM_ROOT ? OTF2_UNDEFINED_CALLING_CONTEXT : program->nodes[i].parent);
    DEFINE(author, Parameter, ARCHIVE_ITERATION, string(author, "iteration"),
           OTF2_PARAMETER_TYPE_UINT64);
    DEFINE(author, Parameter, ARCHIVE_SOURCES_OF, string(author, "TSPROF::SOURCES_OF"),
           OTF2_PARAMETER_TYPE_UINT64);
    DEFINE(author, Parameter, ARCHIVE_SOURCE, string(author, "TSPROF::SOURCE"),
           OTF2_PARAMETER_TYPE_UINT64);
    DEFINE(author, Parameter, ARCHIVE_NEIGHBORHOOD, string(author, "TSPROF::NEIGHBORHOOD"),
           OTF2_PARAMETER_TYPE_UINT64);
    if (author->contents->sample_ns > 0)
        DEFINE(author, InterruptGenerator, ARCHIVE_SAMPLES, string(author, "tsprof's timer"),
               OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9,
               author->contents->sample_ns);
}

/* System tree node 0 is the machine, those after it are its hosts. */
static void define_hosts(struct author *author)
{
    const struct texts *hosts = author->contents->hosts;
    DEFINE(author, SystemTreeNode, 0, string(author, "machine"), string(author, "machine"),
           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < hosts->count; i++) {
        struct decoder in = {.at = 0};
        in.bytes = texts_get(hosts, i, &in.size);
        struct program_text name;
        name.start = decode_string(&in, &name.length);
        DEFINE(author, SystemTreeNode, i + 1, text(author, name), string(author, "node"), 0);
    }
}

static void define_locations(struct author *author)
{
    const struct archive_contents *contents = author->contents;
    for (size_t i = 0; i < contents->location_count; i++) {
        const struct archive_location *location = &contents->locations[i];
        char name[64];
        snprintf(name, sizeof name, "MPI Rank %u", location->rank);
        if (location->thread == 0)
            DEFINE(author, LocationGroup, location->rank, string(author, name),
                   OTF2_LOCATION_GROUP_TYPE_PROCESS, location->host + 1,
                   OTF2_UNDEFINED_LOCATION_GROUP);
    }
    for (size_t i = 0; i < contents->location_count; i++) {
        const struct archive_location *location = &contents->locations[i];
        char name[64] = "Master thread";
        if (location->thread > 0)
            snprintf(name, sizeof name, "Thread %u", location->thread);
        DEFINE(author, Location, archive_location_number(location->rank, location->thread),
               string(author, name), OTF2_LOCATION_TYPE_CPU_THREAD, location->written.events,
               location->rank);
    }
}

/* Processes that are known by communicators only, which no location of this job can be. */
static void define_foreign(struct author *author)
{
    const uint32_t ranks = author->contents->ranks;
    for (uint32_t i = 0; i < author->foreign; i++) {
        char name[64];
        snprintf(name, sizeof name, ARCHIVE_NAME_FOREIGN " %u", i);
        const uint32_t text = string(author, name);
        DEFINE(author, LocationGroup, ranks + i, text, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
               OTF2_UNDEFINED_LOCATION_GROUP);
        DEFINE(author, Location, archive_location_number(ranks + i, 0), text,
               OTF2_LOCATION_TYPE_CPU_THREAD, 0, ranks + i);
    }
}

/* Defines group NUMBER of COUNT ranks in MPI_COMM_WORLD. */
static void define_group(struct author *author, uint32_t number, const int64_t *ranks,
                         uint32_t count)
{
    uint64_t *members = malloc((count + 1) * sizeof *members);
    author->failed |= !members;
    if (!members)
        return;
    uint64_t foreign = author->contents->ranks;
    for (uint32_t i = 0; i < count; i++)
        members[i] = ranks[i] < 0 ? foreign++ : (uint64_t)ranks[i];
    DEFINE(author, Group, number, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
           OTF2_GROUP_FLAG_NONE, count, members);
    free(members);
}

/* The groups and communicators that are there from the start. */
static void define_world(struct author *author)
{
    const uint32_t ranks = author->contents->ranks, known = ranks + author->foreign;
    int64_t *all = malloc((known + 1) * sizeof *all);
    author->failed |= !all;
    if (!all)
        return;
    for (uint32_t i = 0; i < known; i++)
        all[i] = i;
    /* The locations of the ranks are numbered like the ranks, see archive_location_number. */
    DEFINE(author, Group, GROUP_LOCATIONS, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
           OTF2_GROUP_FLAG_NONE, known, (const uint64_t *)all);
    define_group(author, GROUP_WORLD, all, ranks);
    DEFINE(author, Group, GROUP_SELF, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
           OTF2_GROUP_FLAG_NONE, 0, NULL);
    free(all);
    DEFINE(author, Comm, ARCHIVE_WORLD, string(author, "MPI_COMM_WORLD"), GROUP_WORLD,
           OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    DEFINE(author, Comm, ARCHIVE_SELF, string(author, "MPI_COMM_SELF"), GROUP_SELF,
           OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

/* Where member MEMBER of a grid is: the last coordinate changes fastest. */
static void define_place(struct author *author, const struct object *object, uint32_t member)
{
    uint32_t place[OBJECT_DIMENSIONS_MOST], rest = member;
    for (uint32_t i = object->dimensions; i-- > 0; rest /= object->sizes[i])
        place[i] = rest % object->sizes[i];
    DEFINE(author, CartCoordinate, author->topologies, member, (uint8_t)object->dimensions,
           place);
}

/* Defines the grid of communicator COMM, if it has one. */
static void define_grid(struct author *author, const struct object *object, uint32_t comm)
{
    OTF2_CartDimensionRef dimensions[OBJECT_DIMENSIONS_MOST];
    if (object->dimensions == 0)
        return;
    for (uint32_t i = 0; i < object->dimensions; i++) {
        char name[32];
        snprintf(name, sizeof name, "dimension %u", i);
        dimensions[i] = author->dimensions++;
        DEFINE(author, CartDimension, dimensions[i], string(author, name), object->sizes[i],
               object->periodic[i] ? OTF2_CART_PERIODIC_TRUE : OTF2_CART_PERIODIC_FALSE);
    }
    DEFINE(author, CartTopology, author->topologies, string(author, "grid"), comm,
           (uint8_t)object->dimensions, dimensions);
    for (uint32_t i = 0; i < object->counts[0]; i++)
        define_place(author, object, i);
    author->topologies++;
}

/* What the file that object NUMBER is is called, as a string; a number if that is not known. */
static uint32_t name_file(struct author *author, uint32_t number)
{
    char name[32];
    size_t length = 0;
    const char *known = object_file_name(author->contents->objects,
                                         &author->contents->numbers[number], &length);
    if (known)
        return text(author, (struct program_text){known, length});
    snprintf(name, sizeof name, "file %u", author->files);
    return string(author, name);
}

/* Defines the file that object NUMBER is, opened by the members of COMM. */
static void define_file(struct author *author, uint32_t number, uint32_t comm)
{
    const uint32_t text = name_file(author, number), file = author->files++;
    if (file == 0)
        DEFINE(author, IoParadigm, ARCHIVE_MPI_IO, string(author, "MPI-IO"),
               string(author, "MPI-IO"), OTF2_IO_PARADIGM_CLASS_PARALLEL,
               OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL);
    DEFINE(author, IoRegularFile, file, text, 0);
    DEFINE(author, IoHandle, file, text, file, ARCHIVE_MPI_IO, OTF2_IO_HANDLE_FLAG_NONE, comm,
           OTF2_UNDEFINED_IO_HANDLE);
}

/* Defines the communicator, window or file that object NUMBER is. */
static void define_object(struct author *author, uint32_t number)
{
    struct object object;
    const uint32_t group = author->groups, comm = ARCHIVE_OBJECTS + author->objects;
    if (!object_read(&object, author->contents->objects, number)) {
        author->failed = true;
    } else if (object.kind != DESCRIBED_NAME) {
        author->objects++;
        define_group(author, group, object.members[0], object.counts[0]);
        author->groups += object.counts[1] > 0 ? 2 : 1;
        if (object.counts[1] > 0) {
            define_group(author, group + 1, object.members[1], object.counts[1]);
            DEFINE(author, InterComm, comm, 0, group, group + 1, OTF2_UNDEFINED_COMM,
                   OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
        } else {
            DEFINE(author, Comm, comm, 0, group, OTF2_UNDEFINED_COMM,
                   OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
            define_grid(author, &object, comm);
        }
        if (object.kind == DESCRIBED_WINDOW)
            DEFINE(author, RmaWin, author->windows++, 0, comm,
                   OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
        if (object.kind == DESCRIBED_FILE)
            define_file(author, number, comm);
    }
    object_free(&object);
}

static void define_counters(struct author *author)
{
    const struct archive_contents *contents = author->contents;
    OTF2_MetricMemberRef members[RECORD_NUMBERS_MOST];
    if (contents->counter_count == 0 || contents->counter_count > RECORD_NUMBERS_MOST)
        return;
    for (unsigned i = 0; i < contents->counter_count; i++) {
        members[i] = i;
        DEFINE(author, MetricMember, i, string(author, contents->counters[i]), 0,
               OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_INT64,
               OTF2_BASE_DECIMAL, 0, string(author, "#"));
    }
    DEFINE(author, MetricClass, ARCHIVE_COUNTERS, (uint8_t)contents->counter_count, members,
           OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
}

static void define_clock(struct author *author)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < author->contents->location_count; i++) {
        const struct written *written = &author->contents->locations[i].written;
        first = written->first < first ? written->first : first;
        last = written->last > last ? written->last : last;
    }
    if (first > last)
        first = last = 0;
    DEFINE(author, ClockProperties, UINT64_C(1000000000), first, last - first + 1,
           OTF2_UNDEFINED_TIMESTAMP);
}

bool definitions_write(const struct otf2 *otf2, OTF2_Archive *archive,
                       const struct archive_contents *contents)
{
    struct author author = {.otf2 = otf2,
                            .writer = otf2->Archive_GetGlobalDefWriter(archive),
                            .contents = contents,
                            .groups = GROUPS_FIRST,
                            .foreign = objects_count_foreign(contents->objects)};
    if (!author.writer)
        return false;
    string(&author, "");
    define_clock(&author);
    author.mpi = string(&author, "MPI");
    DEFINE(&author, Paradigm, OTF2_PARADIGM_MPI, author.mpi, OTF2_PARADIGM_CLASS_PROCESS);
    define_program(&author);
    define_hosts(&author);
    define_locations(&author);
    define_foreign(&author);
    define_world(&author);
    for (uint32_t i = 0; i < contents->objects->count; i++)
        define_object(&author, i);
    define_counters(&author);
    author.failed |= otf2->Archive_CloseGlobalDefWriter(archive, author.writer) != OTF2_SUCCESS;
    return !author.failed;
}
