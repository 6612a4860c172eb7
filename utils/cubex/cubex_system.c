/* Places and topologies in the anchor of a CUBE file.  See cubex_file.h. */
#include "cubex/cubex_file.h"

#include "print/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct location *column_location(const struct cubex *cubex, size_t column)
{
    return &cubex->summary->locations[cubex->columns[column]];
}

static void write_thread(const struct cubex *cubex, struct cubex_xml *xml, size_t column)
{
    const struct location *location = column_location(cubex, column);
    char name[40] = "Master thread";
    if (location->thread)
        snprintf(name, sizeof name, "Thread %u", location->thread);
    xml_open(xml, "location");
    xml_number(xml, "Id", column);
    xml_end_line(xml);
    xml_text(xml, "name", name);
    xml_count(xml, "rank", location->thread);
    xml_text(xml, "type", "thread");
    if (*location->ending)
        xml_fact(xml, "ending", location->ending);
    for (size_t i = 0; i < location->note_count; i++) {
        snprintf(name, sizeof name, "note %zu", i + 1);
        xml_fact(xml, name, location->notes[i]);
    }
    xml_close(xml);
}

/* Writes the process whose threads begin with COLUMN; returns the column after them. */
static size_t write_process(const struct cubex *cubex, struct cubex_xml *xml, size_t column,
                            size_t id)
{
    const struct location *location = column_location(cubex, column);
    uint32_t rank = location->rank;
    char name[40];
    snprintf(name, sizeof name, "MPI Rank %u", rank);
    xml_open(xml, "locationgroup");
    xml_number(xml, "Id", id);
    xml_end_line(xml);
    xml_text(xml, "name", name);
    xml_count(xml, "rank", rank);
    xml_text(xml, "type", "process");
    xml_count_fact(xml, "process id", location->process);
    for (; column < cubex->column_count && column_location(cubex, column)->rank == rank;
         column++)
        write_thread(cubex, xml, column);
    xml_close(xml);
    return column;
}

static void open_place(struct cubex_xml *xml, uint64_t id, const char *name, const char *class)
{
    xml_open(xml, "systemtreenode");
    xml_number(xml, "Id", id);
    xml_end_line(xml);
    xml_text(xml, "name", name);
    xml_text(xml, "class", class);
}

static void open_host(const struct cubex *cubex, struct cubex_xml *xml, uint64_t id,
                      uint32_t number)
{
    if (number == SUMMARY_NONE) {
        open_place(xml, id, "unknown host", "node");
        return;
    }
    const struct host_entry *host = &cubex->summary->hosts[number];
    open_place(xml, id, host->name, "node");
    for (size_t i = 0; i < host->fact_count; i++)
        xml_fact(xml, host->facts[i].key, host->facts[i].value);
}

static void write_places(const struct cubex *cubex, struct cubex_xml *xml)
{
    size_t processes = 0;
    uint64_t places = 0;
    open_place(xml, places++, "machine", "machine");
    for (size_t c = 0; c < cubex->column_count;) {
        uint32_t host = column_location(cubex, c)->host;
        open_host(cubex, xml, places++, host);
        while (c < cubex->column_count && column_location(cubex, c)->host == host)
            c = write_process(cubex, xml, c, processes++);
        xml_close(xml);
    }
    xml_close(xml);
}

static void write_dimension(struct cubex_xml *xml, const char *name, uint64_t size,
                            bool periodic)
{
    xml_open(xml, "dim");
    if (name)
        xml_attribute(xml, "name", name);
    xml_number(xml, "size", size);
    xml_attribute(xml, "periodic", periodic ? "true" : "false");
    xml_close_empty(xml);
}

static void open_topology(struct cubex_xml *xml, const char *name, uint64_t dimensions)
{
    xml_open(xml, "cart");
    xml_attribute(xml, "name", name);
    xml_number(xml, "ndims", dimensions);
    xml_end_line(xml);
}

static void write_coordinates(struct cubex_xml *xml, size_t column, const char *coordinates)
{
    xml_open(xml, "coord");
    xml_number(xml, "locId", column);
    xml_close_with(xml, coordinates);
}

/* Every location by rank and thread, for want of something closer to the machine. */
static void write_plain_topology(const struct cubex *cubex, struct cubex_xml *xml)
{
    uint64_t ranks = 0, threads = 0;
    for (size_t c = 0; c < cubex->column_count; c++) {
        const struct location *location = column_location(cubex, c);
        ranks = location->rank >= ranks ? (uint64_t)location->rank + 1 : ranks;
        threads = location->thread >= threads ? (uint64_t)location->thread + 1 : threads;
    }
    open_topology(xml, "Process x Thread", 2);
    write_dimension(xml, "Process", ranks, false);
    write_dimension(xml, "Thread", threads, false);
    for (size_t c = 0; c < cubex->column_count; c++) {
        char coordinates[48];
        const struct location *location = column_location(cubex, c);
        snprintf(coordinates, sizeof coordinates, "%u %u", location->rank, location->thread);
        write_coordinates(xml, c, coordinates);
    }
    xml_close(xml);
}

struct place {
    uint32_t rank, column;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return left->rank != right->rank
               ? (left->rank > right->rank) - (left->rank < right->rank)
               : (left->column > right->column) - (left->column < right->column);
}

/* The first thread of each process, ascending by rank; for the caller to free(). */
static struct place *find_places(const struct cubex *cubex, size_t *count)
{
    struct place *places = allocate(cubex->column_count, sizeof *places);
    for (size_t c = 0; c < cubex->column_count; c++)
        places[c] = (struct place){column_location(cubex, c)->rank, (uint32_t)c};
    qsort(places, cubex->column_count, sizeof *places, compare_places);
    *count = 0;
    for (size_t c = 0; c < cubex->column_count; c++)
        if (*count == 0 || places[*count - 1].rank != places[c].rank)
            places[(*count)++] = places[c];
    return places;
}

/* The column of RANK; false if it is not in the file. */
static bool find_column(const struct place *places, size_t count, uint32_t rank,
                        uint32_t *column)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || places[low].rank != rank)
        return false;
    *column = places[low].column;
    return true;
}

/* A grid whose coordinates are being written. */
struct grid {
    struct cubex_xml *xml;
    const struct topology *topology;
    const struct place *places;
    size_t place_count;
    struct text text;
};

static void write_member(struct grid *grid, uint64_t member, uint32_t column)
{
    text_clear(&grid->text);
    for (size_t d = 0; d < grid->topology->dimension_count; d++)
        text_addf(&grid->text, "%s%" PRIu64, d ? " " : "",
                  topology_coordinate(grid->topology, member, d));
    write_coordinates(grid->xml, column, text_string(&grid->text));
}

/* The members of RUN, the first of which is MEMBER, that are in the file.  There may
 * be many more members than places. */
static void write_run(struct grid *grid, const struct rank_run *run, uint64_t member)
{
    uint32_t column;
    for (uint64_t i = 0; i < run->count && run->count <= grid->place_count; i++)
        if (find_column(grid->places, grid->place_count,
                        (uint32_t)(run->first + run->step * (int64_t)i), &column))
            write_member(grid, member + i, column);
    for (size_t p = 0; p < grid->place_count && run->count > grid->place_count; p++) {
        int64_t distance = (int64_t)grid->places[p].rank - run->first;
        int64_t step = run->step ? run->step : 1;
        if (distance % step == 0 && distance / step >= 0 &&
            (uint64_t)(distance / step) < (run->step ? run->count : 1))
            write_member(grid, member + (uint64_t)(distance / step), grid->places[p].column);
    }
}

static void write_grid(struct grid *grid, size_t number)
{
    const struct topology *topology = grid->topology;
    uint64_t member = 0;
    text_clear(&grid->text);
    if (!*topology->name)
        text_addf(&grid->text, "Cartesian %zu", number);
    open_topology(grid->xml, *topology->name ? topology->name : text_string(&grid->text),
                  topology->dimension_count);
    for (size_t d = 0; d < topology->dimension_count; d++)
        write_dimension(grid->xml, NULL, topology->dimensions[d].size,
                        topology->dimensions[d].periodic);
    for (size_t r = 0; r < topology->run_count; r++) {
        write_run(grid, &topology->runs[r], member);
        member += topology->runs[r].count;
    }
    xml_close(grid->xml);
}

static void write_topologies(const struct cubex *cubex, struct cubex_xml *xml)
{
    const struct topology_list *list = &cubex->summary->topologies;
    struct grid grid = {.xml = xml};
    size_t number = 0;
    struct place *places = find_places(cubex, &grid.place_count);
    grid.places = places;
    xml_open(xml, "topologies");
    xml_end_line(xml);
    for (size_t i = 0; i < list->count; i++) {
        grid.topology = &list->items[i];
        if (grid.topology->kind == TOPOLOGY_CARTESIAN && grid.topology->dimension_count)
            write_grid(&grid, ++number);
    }
    write_plain_topology(cubex, xml);
    xml_close(xml);
    text_free(&grid.text);
    free(places);
}

void cubex_write_system(const struct cubex *cubex, struct cubex_xml *xml)
{
    xml_open(xml, "system");
    xml_end_line(xml);
    write_places(cubex, xml);
    write_topologies(cubex, xml);
    xml_close(xml);
}
