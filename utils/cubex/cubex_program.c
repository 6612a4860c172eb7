/* Regions and the call tree in the anchor of a CUBE file.  See cubex_file.h. */
#include "cubex/cubex_file.h"

#include "cubex/cubex_roles.h"
#include "print/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct program {
    const struct cubex *cubex;
    struct cubex_xml *xml;
    uint32_t *region_ids; /* by region of the summary: in the file, or SUMMARY_NONE */
    uint32_t region_count;
    uint32_t gathering_region, block_regions; /* the first of them */
};

static const struct region_entry *path_entry(const struct cubex *cubex, uint32_t path)
{
    return path_region(cubex->tree.paths, path);
}

static uint32_t region_index(const struct cubex *cubex, uint32_t path)
{
    return (uint32_t)(path_entry(cubex, path) - cubex->summary->regions);
}

/* True if NODE stands for a block rather than for a call path. */
static bool is_block(const struct cubex *cubex, uint32_t node)
{
    const struct cubex_node *nodes = cubex->tree.nodes;
    return nodes[node].block != CUBEX_BASE && nodes[node].parent == cubex->tree.holder;
}

static void write_region(struct program *program, uint32_t id,
                         const struct region_entry *region, const char *name, const char *role)
{
    const struct summary *summary = program->cubex->summary;
    bool known = region && region->kind == REGION_FUNCTION;
    xml_open(program->xml, "region");
    xml_number(program->xml, "id", id);
    xml_attribute(program->xml, "mod",
                  region && region->kind == REGION_MPI ? "MPI"
                  : known                              ? region->file
                                                       : "");
    if (known && region->line && region->line <= INT32_MAX)
        xml_number(program->xml, "begin", region->line);
    else
        xml_attribute(program->xml, "begin", "-1");
    xml_attribute(program->xml, "end", "-1");
    xml_end_line(program->xml);
    xml_text(program->xml, "name", name);
    xml_text(program->xml, "mangled_name", name);
    xml_text(program->xml, "paradigm", region ? cubex_paradigm(region) : "user");
    xml_text(program->xml, "role", role);
    xml_text(program->xml, "url", "");
    xml_text(program->xml, "descr", "");
    if (region && region->module != SUMMARY_NONE)
        xml_fact(program->xml, "module", summary->modules[region->module].path);
    xml_close(program->xml);
}

/* Numbers the regions of the summary that are in the tree. */
static void number_regions(struct program *program)
{
    const struct cubex *cubex = program->cubex;
    const struct summary *summary = cubex->summary;
    program->region_ids = allocate(summary->region_count, sizeof *program->region_ids);
    memset(program->region_ids, 0xff, summary->region_count * sizeof *program->region_ids);
    for (uint32_t n = 0; n < cubex->tree.count; n++)
        if (cubex->tree.nodes[n].path != SUMMARY_NONE && !is_block(cubex, n))
            program->region_ids[region_index(cubex, cubex->tree.nodes[n].path)] = 0;
    if (cubex->tree.holder != SUMMARY_NONE && !cubex->tree.gathers)
        program->region_ids[summary->phases[cubex_series_phase(cubex->series)].region] = 0;
    for (size_t i = 0; i < summary->region_count; i++)
        if (program->region_ids[i] == 0)
            program->region_ids[i] = program->region_count++;
    program->gathering_region = program->region_count;
    program->block_regions = program->region_count + cubex->tree.gathers;
}

static void write_block_regions(struct program *program)
{
    const struct cubex *cubex = program->cubex;
    bool clusters = cubex_series_how(cubex->series) == CUBEX_CLUSTERS;
    uint64_t first = clusters ? 1 : cubex_series_span(cubex->series).first;
    for (uint32_t b = 0; b < cubex_series_blocks(cubex->series); b++) {
        char name[40];
        snprintf(name, sizeof name, "%s=%" PRIu64, clusters ? "instance" : "iteration",
                 first + b);
        write_region(program, program->block_regions + b, NULL, name, "unknown");
    }
}

static void write_regions(struct program *program)
{
    const struct cubex *cubex = program->cubex;
    const struct summary *summary = cubex->summary;
    uint32_t dynamic = SUMMARY_NONE;
    if (cubex->tree.holder != SUMMARY_NONE)
        dynamic = summary->phases[cubex_series_phase(cubex->series)].region;
    for (uint32_t i = 0; i < summary->region_count; i++) {
        const struct region_entry *region = &summary->regions[i];
        if (program->region_ids[i] != SUMMARY_NONE)
            write_region(program, program->region_ids[i], region, region->name,
                         i == dynamic ? "dynamic" : cubex_role(region));
    }
    if (cubex->tree.gathers) {
        struct text name = {0};
        text_addf(&name, "iterations of %s", summary->regions[dynamic].name);
        write_region(program, program->gathering_region, NULL, text_string(&name),
                     "artificial");
        text_free(&name);
    }
    write_block_regions(program);
}

static uint32_t callee(const struct program *program, uint32_t node)
{
    const struct cubex *cubex = program->cubex;
    const struct cubex_node *own = &cubex->tree.nodes[node];
    if (own->path == SUMMARY_NONE && cubex->tree.gathers)
        return program->gathering_region;
    if (own->path == SUMMARY_NONE)
        return program
            ->region_ids[cubex->summary->phases[cubex_series_phase(cubex->series)].region];
    if (is_block(cubex, node))
        return program->block_regions + own->block;
    return program->region_ids[region_index(cubex, own->path)];
}

/* Where a path is called from, as far as it is known: in the function that has it, perhaps
 * within phases that were begun there. */
static void write_call_site(struct program *program, uint32_t path)
{
    const struct cubex *cubex = program->cubex;
    const struct call_path *paths = cubex->tree.paths->paths;
    uint32_t caller = paths[path].parent;
    if (!paths[path].line || paths[path].line > INT32_MAX || caller == SUMMARY_NONE)
        return;
    xml_number(program->xml, "line", paths[path].line);
    while (path_entry(cubex, caller)->kind == REGION_PHASE &&
           paths[caller].parent != SUMMARY_NONE)
        caller = paths[caller].parent;
    if (*path_entry(cubex, caller)->file)
        xml_attribute(program->xml, "mod", path_entry(cubex, caller)->file);
}

static void write_tree(struct program *program)
{
    const struct cubex *cubex = program->cubex;
    const struct cubex_node *nodes = cubex->tree.nodes;
    uint32_t open = SUMMARY_NONE;
    for (uint32_t n = 0; n < cubex->tree.count; open = n++) {
        for (; open != nodes[n].parent; open = nodes[open].parent)
            xml_close(program->xml);
        xml_open(program->xml, "cnode");
        xml_number(program->xml, "id", n);
        if (nodes[n].path != SUMMARY_NONE && !is_block(cubex, n))
            write_call_site(program, nodes[n].path);
        else if (n == cubex->tree.holder && !cubex->tree.gathers)
            write_call_site(program, cubex->tree.top);
        xml_number(program->xml, "calleeId", callee(program, n));
        xml_end_line(program->xml);
    }
    for (; open != SUMMARY_NONE; open = nodes[open].parent)
        xml_close(program->xml);
}

void cubex_write_program(const struct cubex *cubex, struct cubex_xml *xml)
{
    struct program program = {.cubex = cubex, .xml = xml};
    number_regions(&program);
    xml_open(xml, "program");
    xml_end_line(xml);
    write_regions(&program);
    write_tree(&program);
    xml_close(xml);
    free(program.region_ids);
}
