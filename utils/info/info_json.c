/* What a summary holds and what measuring cost, as one document for scripts.  See info.h. */
#include "accuracy/accuracy.h"
#include "file/file.h"
#include "info/info.h"

#include <inttypes.h>

static void write_text(const char *key, const char *text)
{
    printf(",\n\"%s\":", key);
    json_string(stdout, text);
}

static void write_facts(const struct fact *facts, size_t count)
{
    fputs(",\n\"facts\":{", stdout);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", stdout);
        json_string(stdout, facts[i].key);
        putchar(':');
        json_string(stdout, facts[i].value);
    }
    putchar('}');
}

static void write_hosts(const struct summary *summary)
{
    fputs(",\n\"hosts\":[", stdout);
    for (size_t i = 0; i < summary->host_count; i++) {
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", stdout);
        json_string(stdout, summary->hosts[i].name);
        write_facts(summary->hosts[i].facts, summary->hosts[i].fact_count);
        putchar('}');
    }
    putchar(']');
}

static void write_sizes(const struct summary *summary)
{
    printf(",\n\"metrics\":%zu,\"regions\":%zu,\"modules\":%zu,\"nodes\":%zu",
           summary->metric_count, summary->region_count, summary->module_count,
           summary->node_count);
}

/* The share of call paths that are shown where they did not occur, from "least" to "most". */
static void write_phantoms(const struct selection *selection, uint32_t phase)
{
    struct phantoms phantoms[PHANTOM_PATHS];
    phantoms_count(selection, phase, phantoms);
    const struct phantoms *all = &phantoms[PHANTOMS_ALL];
    fputs(",\"phantoms\":", stdout);
    if (all->unknown > 0 || all->shown <= 0) {
        fputs("null", stdout);
        return;
    }
    fputs("{\"least\":", stdout);
    json_number(stdout, all->least / all->shown);
    fputs(",\"most\":", stdout);
    json_number(stdout, all->most / all->shown);
    putchar('}');
}

/* The numbers of the thread of each rank that marks the phase. */
static void write_phase(const struct selection *selection, uint32_t phase, size_t most_errors)
{
    uint64_t most = 0, lost = 0, clusters = 0;
    for (size_t r = 0; r < selection->rank_count; r++) {
        const struct series *series =
            rank_series(selection->summary, &selection->ranks[r], phase);
        if (!series)
            continue;
        most = series->iterations > most ? series->iterations : most;
        clusters = series->cluster_count > clusters ? series->cluster_count : clusters;
        lost += series->lost;
    }
    fputs("\n{\"name\":", stdout);
    json_string(stdout, selection->summary->phases[phase].name);
    printf(",\"iterations\":%" PRIu64 ",\"clusters\":%" PRIu64 ",\"lost\":%" PRIu64
           ",\"errors\":",
           most, clusters, lost);
    info_errors_json(selection, phase, most_errors);
    write_phantoms(selection, phase);
    putchar('}');
}

static void write_phases(const struct selection *selection, size_t most_errors)
{
    fputs(",\n\"phases\":[", stdout);
    for (uint32_t i = 0; i < selection->summary->phase_count; i++) {
        fputs(i ? "," : "", stdout);
        write_phase(selection, i, most_errors);
    }
    putchar(']');
}

static void write_part(const char *name, const struct cost_part *part)
{
    printf(",\"%s\":", name);
    if (!part->known) {
        fputs("null", stdout);
        return;
    }
    printf("{\"count\":%" PRIu64 ",\"seconds\":", part->count);
    json_number(stdout, part->seconds);
    putchar('}');
}

/* Sums over the threads that were chosen. */
static void write_cost(const struct selection *selection)
{
    const struct costs costs = costs_of(selection);
    fputs(",\n\"cost\":", stdout);
    if (selection->summary->derived || summary_is_of_trace(selection->summary)) {
        fputs("null", stdout);
        return;
    }
    fputs("{\"wall\":", stdout);
    json_number(stdout, costs.wall_s);
    fputs(",\"overhead\":", stdout);
    json_number(stdout, costs.overhead_s);
    write_part("calls", &costs.calls);
    write_part("samples", &costs.samples);
    write_part("markers", &costs.markers);
    write_part("saves", &costs.saves);
    write_part("functions", &costs.functions);
    printf(",\"memory_bytes\":%" PRIu64 ",\"resident_most_bytes\":%" PRIu64
           ",\"resident_mean_bytes\":%" PRIu64 "}",
           costs.memory_bytes, costs.resident_most_bytes, costs.resident_mean_bytes);
}

static void write_locations(const struct selection *selection)
{
    const char *between = "\n";
    fputs(",\n\"threads\":[", stdout);
    for (uint32_t i = 0; i < selection->summary->location_count; i++) {
        const struct location *location = &selection->summary->locations[i];
        if (!selection_has(selection, i))
            continue;
        printf("%s{\"rank\":%u,\"thread\":%u,\"wall\":", between, location->rank,
               location->thread);
        json_number(stdout, (long double)location->wall_ns / 1e9L);
        fputs(",\"notes\":[", stdout);
        for (size_t n = 0; n < location->note_count; n++) {
            fputs(n ? "," : "", stdout);
            json_string(stdout, location->notes[n]);
        }
        fputs("]}", stdout);
        between = ",\n";
    }
    putchar(']');
}

static bool is_sound(struct check check)
{
    const bool sound = check_holds(&check);
    text_free(&check.first);
    return sound;
}

bool info_json(const struct selection *selection, size_t most)
{
    const struct summary *summary = selection->summary;
    const bool exact = (is_sound(check_accounting(summary)) & is_sound(check_totals(summary)) &
                        is_sound(check_counters(summary))) != 0;
    fputs("{\"file\":", stdout);
    json_string(stdout, summary->path);
    printf(",\n\"bytes\":%" PRIu64 ",\n\"version\":%u", summary->bytes, FORMAT_VERSION);
    write_text("state", summary->state == FORMAT_COMPLETE ? "complete" : "partial");
    printf(",\n\"ranks\":%zu", info_count_ranks(summary));
    write_facts(summary->facts, summary->fact_count);
    write_hosts(summary);
    write_sizes(summary);
    write_phases(selection, most);
    write_cost(selection);
    write_locations(selection);
    printf(",\n\"adds_up\":%s}\n", exact ? "true" : "false");
    return exact;
}
