/* See read_summary.h. */
#include "file/read_summary.h"

#include "file/container.h"
#include "file/decode_definitions.h"
#include "file/decode_location.h"
#include "file/decode_waits.h"
#include "file/section_reader.h"

#include <stdlib.h>
#include <string.h>

/* The sections that are about all locations, in an order in which they can be validated: tables
 * come before the indexes into them. */
static const struct {
    enum format_section kind;
    bool optional; /* older files are without */
} definitions[] = {
    {SECTION_RUN, false},     {SECTION_METRICS, false},   {SECTION_MODULES, false},
    {SECTION_REGIONS, false}, {SECTION_CALLTREE, false},  {SECTION_SYSTEM, false},
    {SECTION_PHASES, false},  {SECTION_TOPOLOGIES, true},
};

_Static_assert(sizeof definitions / sizeof definitions[0] == FORMAT_COMMON_SECTIONS,
               "every kind of a run is read");

/* Reads SECTION into SUMMARY or, if it is a LOCATION, into LOCATION. */
static bool read_section(const struct container *container, const struct section *section,
                         struct summary *summary, struct location *location,
                         struct error *error)
{
    unsigned char *bytes;
    struct reader reader;
    if (!reader_open(&reader, &bytes, container, section, summary, error))
        return false;
    if (section->kind == SECTION_LOCATION)
        decode_location(&reader, location);
    else if (section->kind == SECTION_WAITS)
        decode_waits(&reader);
    else
        decode_definitions(&reader, (enum format_section)section->kind);
    if (reader_is_good(&reader) && reader.in.at != reader.in.size)
        reader_fault(&reader, 0, "is followed by bytes that belong to nothing");
    free(bytes);
    return !reader.faulty;
}

bool summary_read_content(struct summary *summary, enum format_section kind,
                          struct location *location, struct decoder *in, struct error *error)
{
    struct reader reader = {.in = *in,
                            .summary = summary,
                            .section = section_name(kind),
                            .version = format_section_version(kind),
                            .error = error};
    if (kind == SECTION_LOCATION)
        decode_numbers(&reader, location);
    else
        decode_definitions(&reader, kind);
    *in = reader.in;
    return reader_is_good(&reader);
}

bool summary_read_saved(struct summary *summary, uint64_t *runs_left, struct location *location,
                        struct decoder *in, struct error *error)
{
    struct reader reader = {.in = *in,
                            .summary = summary,
                            .section = section_name(SECTION_LOCATION),
                            .version = format_section_version(SECTION_LOCATION),
                            .runs_left = runs_left,
                            .error = error};
    decode_numbers(&reader, location);
    *in = reader.in;
    return reader_is_good(&reader);
}

/*
 * Finds the only section of KIND, NULL if there is none.  False, and ERROR, if there are
 * several.
 */
static bool find_section(const struct container *container, uint32_t kind,
                         const struct section **section, struct error *error)
{
    const struct section *found = NULL;
    for (size_t i = 0; i < container->section_count; i++) {
        if (container->sections[i].kind != kind)
            continue;
        if (found)
            return error_set(error, "%s: is damaged: it has two sections %s", container->path,
                             section_name(kind));
        found = &container->sections[i];
    }
    *section = found;
    return true;
}

static bool read_definitions(const struct container *container, struct summary *summary,
                             struct error *error)
{
    for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++) {
        enum format_section kind = definitions[i].kind;
        const struct section *section = NULL;
        if (!find_section(container, kind, &section, error))
            return false;
        if (!section && definitions[i].optional)
            continue;
        if (!section)
            return error_set(error, "%s: is damaged: section %s is missing", container->path,
                             section_name(kind));
        if (!read_section(container, section, summary, NULL, error))
            return false;
    }
    return true;
}

static int compare_locations(const void *a, const void *b)
{
    const struct section *left = *(const struct section *const *)a,
                         *right = *(const struct section *const *)b;
    return left->location < right->location ? -1 : left->location > right->location;
}

/* The sections of locations, by their numbers; the list is the caller's to free. */
static const struct section **list_locations(const struct container *container, size_t *count)
{
    const struct section **list = allocate(container->section_count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < container->section_count; i++)
        if (container->sections[i].kind == SECTION_LOCATION)
            list[(*count)++] = &container->sections[i];
    qsort(list, *count, sizeof *list, compare_locations);
    return list;
}

static bool in_order(const struct location *before, const struct location *location)
{
    return before->rank < location->rank ||
           (before->rank == location->rank && before->thread < location->thread);
}

static bool read_locations(const struct container *container, struct summary *summary,
                           struct error *error)
{
    size_t count;
    const struct section **list = list_locations(container, &count);
    bool good = true;
    summary->locations =
        memory_pool_allocate(&summary->pool, count, sizeof *summary->locations);
    for (size_t i = 0; i < count && good; i++) {
        struct location *location = &summary->locations[i];
        summary->location_count++;
        good = read_section(container, list[i], summary, location, error);
        if (good && (list[i]->location != i || (i > 0 && !in_order(location - 1, location))))
            good = error_set(error, "%s: is damaged: section LOCATION %u is out of order",
                             container->path, list[i]->location);
    }
    free(list);
    return good;
}

/* Comes last, since it has indexes into everything else. */
static bool read_waits(const struct container *container, struct summary *summary,
                       struct error *error)
{
    const struct section *section = NULL;
    return find_section(container, SECTION_WAITS, &section, error) &&
           (!section || read_section(container, section, summary, NULL, error));
}

struct summary *summary_read(const char *path, struct error *error)
{
    struct container container;
    if (!container_open(&container, path, error))
        return NULL;
    struct summary *summary = allocate(1, sizeof *summary);
    summary->path = memory_pool_copy(&summary->pool, path, strlen(path));
    summary->bytes = container.bytes;
    summary->state = container.state;
    bool good = read_definitions(&container, summary, error) &&
                read_locations(&container, summary, error) &&
                read_waits(&container, summary, error);
    container_close(&container);
    if (!good) {
        summary_free(summary);
        summary = NULL;
    }
    return summary;
}
