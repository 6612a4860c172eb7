/* See encode_definitions.h. */
#include "file/encode_definitions.h"

#include "file/encode_waits.h"

static void encode_metrics(const struct summary *summary, struct encoder *out)
{
    encode_varint(out, summary->metric_count);
    for (size_t i = 0; i < summary->metric_count; i++) {
        const struct metric_entry *metric = &summary->metrics[i];
        encode_string(out, metric->name);
        encode_ref(out, metric->parent);
        encode_string(out, metric->unit);
        encode_varint(out, metric->scale);
        encode_varint(out, metric->kind);
        encode_string(out, metric->text);
    }
}

static void encode_modules(const struct summary *summary, struct encoder *out)
{
    encode_varint(out, summary->module_count);
    for (size_t i = 0; i < summary->module_count; i++) {
        encode_string(out, summary->modules[i].path);
        encode_string(out, summary->modules[i].build_id);
    }
}

static void encode_regions(const struct summary *summary, struct encoder *out)
{
    encode_varint(out, summary->region_count);
    for (size_t i = 0; i < summary->region_count; i++) {
        const struct region_entry *region = &summary->regions[i];
        encode_string(out, region->name);
        encode_varint(out, region->kind);
        encode_string(out, region->file);
        encode_varint(out, region->line);
        encode_ref(out, region->module);
        encode_varint(out, region->offset);
        encode_string(out, region->group);
    }
}

static void encode_calltree(const struct summary *summary, struct encoder *out)
{
    encode_varint(out, summary->node_count);
    for (size_t i = 0; i < summary->node_count; i++) {
        encode_ref(out, summary->nodes[i].parent);
        encode_varint(out, summary->nodes[i].region);
        encode_varint(out, summary->nodes[i].line);
    }
}

static void encode_system(const struct summary *summary, struct encoder *out)
{
    encode_varint(out, summary->host_count);
    for (size_t i = 0; i < summary->host_count; i++) {
        const struct host_entry *host = &summary->hosts[i];
        encode_string(out, host->name);
        encode_varint(out, host->fact_count);
        for (size_t f = 0; f < host->fact_count; f++) {
            encode_string(out, host->facts[f].key);
            encode_string(out, host->facts[f].value);
        }
    }
}

static void encode_phases(const struct summary *summary, struct encoder *out)
{
    encode_varint(out, summary->phase_count);
    for (size_t i = 0; i < summary->phase_count; i++) {
        encode_string(out, summary->phases[i].name);
        encode_varint(out, summary->phases[i].region);
        encode_varint(out, summary->phases[i].kept);
    }
}

static void encode_neighbors(const struct neighbor *neighbors, size_t count, bool weighted,
                             struct encoder *out)
{
    encode_varint(out, count);
    for (size_t i = 0; i < count; i++) {
        encode_varint(out, neighbors[i].member);
        if (weighted)
            encode_varint(out, neighbors[i].weight);
    }
}

static void encode_neighborhood(const struct neighborhood *one, bool distributed,
                                struct encoder *out)
{
    encode_varint(out, one->member);
    if (distributed) {
        encode_varint(out, one->weighted);
        encode_neighbors(one->sources, one->source_count, one->weighted, out);
    }
    encode_neighbors(one->destinations, one->destination_count, one->weighted, out);
}

static void encode_topology(const struct topology *topology, struct encoder *out)
{
    encode_string(out, topology->name);
    encode_varint(out, topology->times);
    encode_varint(out, topology->kind);
    encode_varint(out, topology->run_count);
    for (size_t i = 0; i < topology->run_count; i++) {
        encode_varint(out, (uint64_t)topology->runs[i].first);
        encode_signed(out, topology->runs[i].step);
        encode_varint(out, topology->runs[i].count);
    }
    if (topology->kind == TOPOLOGY_CARTESIAN) {
        encode_varint(out, topology->dimension_count);
        for (size_t i = 0; i < topology->dimension_count; i++) {
            encode_varint(out, topology->dimensions[i].size);
            encode_varint(out, topology->dimensions[i].periodic);
        }
    }
    encode_varint(out, topology->neighborhood_count);
    for (size_t i = 0; i < topology->neighborhood_count; i++)
        encode_neighborhood(&topology->neighborhoods[i], topology->kind == TOPOLOGY_DISTRIBUTED,
                            out);
}

static void encode_topologies(const struct summary *summary, struct encoder *out)
{
    encode_varint(out, summary->topologies.count);
    for (size_t i = 0; i < summary->topologies.count; i++)
        encode_topology(&summary->topologies.items[i], out);
    encode_varint(out, summary->topologies.left_out);
}

void encode_definitions(const struct summary *summary, enum format_section kind,
                        struct encoder *out)
{
    static void (*const encoders[])(const struct summary *summary, struct encoder *out) = {
        [SECTION_METRICS] = encode_metrics,       [SECTION_MODULES] = encode_modules,
        [SECTION_REGIONS] = encode_regions,       [SECTION_CALLTREE] = encode_calltree,
        [SECTION_SYSTEM] = encode_system,         [SECTION_PHASES] = encode_phases,
        [SECTION_TOPOLOGIES] = encode_topologies, [SECTION_WAITS] = encode_waits,
    };
    _Static_assert(sizeof encoders / sizeof encoders[0] == SECTION_END,
                   "every kind has an encoder");
    encoders[kind](summary, out);
}
