/* See program.h. */
#include "archive/program.h"

#include <stdlib.h>
#include <string.h>

static struct program_text read_text(struct decoder *in)
{
    struct program_text text;
    text.start = decode_string(in, &text.length);
    return text;
}

static void find_io(struct program_region *region)
{
    static const char *const writing[] = {"MPI_File_write", "MPI_File_iwrite"};
    const struct program_text name = region->name;
    region->collective_io = is_collective_io(name.start, name.length);
    for (int i = 0; i < 2; i++)
        region->writes |= name.length >= strlen(writing[i]) &&
                          memcmp(name.start, writing[i], strlen(writing[i])) == 0;
}

static bool read_regions(struct program *program, struct decoder *in)
{
    program->region_count = (uint32_t)decode_count(in, 8);
    program->regions = calloc(program->region_count + 1, sizeof *program->regions);
    for (uint32_t i = 0; program->regions && i < program->region_count && !in->failed; i++) {
        struct program_region *region = &program->regions[i];
        region->name = read_text(in);
        region->kind = (enum format_region_kind)decode_varint(in);
        region->file = read_text(in);
        region->line = (uint32_t)decode_varint(in);
        decode_varint(in);
        decode_varint(in);
        region->group = read_text(in);
        region->collective = region->kind == REGION_MPI
                                 ? collective_of(region->name.start, region->name.length)
                                 : -1;
        region->is_neighborhood =
            region->collective >= 0 && is_neighborhood(region->name.start, region->name.length);
        if (region->kind == REGION_MPI)
            find_io(region);
        if (region->kind == REGION_MPI)
            region->one_sided = one_sided_of(region->name.start, region->name.length);
    }
    return program->regions && !in->failed;
}

static bool read_nodes(struct program *program, struct decoder *in)
{
    program->node_count = (uint32_t)decode_count(in, 3);
    program->nodes = calloc(program->node_count + 1, sizeof *program->nodes);
    for (uint32_t i = 0; program->nodes && i < program->node_count && !in->failed; i++) {
        struct program_node *node = &program->nodes[i];
        const uint64_t parent = decode_varint(in), region = decode_varint(in);
        node->line = (uint32_t)decode_varint(in);
        if (parent > i || (parent == 0) != (i == PROGRAM_ROOT) ||
            region >= program->region_count)
            return false;
        node->parent = parent ? (uint32_t)parent - 1 : PROGRAM_ROOT;
        node->region = (uint32_t)region;
        node->depth = i == PROGRAM_ROOT ? 0 : program->nodes[node->parent].depth + 1;
    }
    return program->nodes && program->node_count > 0 && !in->failed;
}

static bool read_phases(struct program *program, struct decoder *in)
{
    program->phase_count = (uint32_t)decode_count(in, 3);
    program->phases = calloc(program->phase_count + 1, sizeof *program->phases);
    for (uint32_t i = 0; program->phases && i < program->phase_count && !in->failed; i++) {
        program->phases[i].name = read_text(in);
        const uint64_t region = decode_varint(in);
        decode_varint(in);
        if (region >= program->region_count)
            return false;
        program->phases[i].region = (uint32_t)region;
    }
    return program->phases && !in->failed;
}

bool program_read(struct program *program, struct decoder *regions, struct decoder *calltree,
                  struct decoder *phases)
{
    *program = (struct program){.regions = NULL};
    return read_regions(program, regions) && read_nodes(program, calltree) &&
           read_phases(program, phases);
}

void program_free(struct program *program)
{
    free(program->regions);
    free(program->nodes);
    free(program->phases);
    *program = (struct program){.regions = NULL};
}

void program_regions(const struct program *program, const uint32_t *phases, uint32_t *regions,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        regions[i] =
            phases[i] < program->phase_count ? program->phases[phases[i]].region : UINT32_MAX;
}
