/* Hosts with their ranks, and the topologies of communicators.  See info.h. */
#include "base/base.h"
#include "info/info.h"
#include "print/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HOSTS      16
#define MOST_TOPOLOGIES 16

/* Prints the line with LABEL, if it is the first, and frees TEXT. */
static void print_line(const char **label, struct text *text)
{
    info_line(*label, text);
    *label = "";
}

static const char *host_fact(const struct host_entry *host, const char *key)
{
    for (size_t i = 0; i < host->fact_count; i++)
        if (strcmp(host->facts[i].key, key) == 0 && *host->facts[i].value)
            return host->facts[i].value;
    return NULL;
}

/* What the host is like, as far as it is known: "2 x AMD EPYC, Linux 6.1.0 x86_64". */
static void add_machine(struct text *text, const struct host_entry *host)
{
    const char *count = host_fact(host, "processors"), *model = host_fact(host, "processor");
    const char *system = host_fact(host, "system");
    if (count)
        text_addf(text, "; %s x %s", count, model ? model : "processor");
    if (system)
        text_addf(text, "%s %s", count ? "," : ";", system);
}

static void print_host(const struct summary *summary, uint32_t host, struct rank_list *ranks,
                       const char **label)
{
    struct text text = {0};
    text_addf(&text, "%s: rank%s %s",
              host == SUMMARY_NONE ? "unknown" : summary->hosts[host].name,
              ranks->count == 1 ? "" : "s", rank_list_end(ranks));
    if (ranks->threads > ranks->count)
        text_addf(&text, ", %zu threads", ranks->threads);
    if (host != SUMMARY_NONE)
        add_machine(&text, &summary->hosts[host]);
    print_line(label, &text);
    text_free(&ranks->text);
}

void info_hosts(const struct summary *summary)
{
    struct rank_list *ranks = allocate(summary->host_count + 1, sizeof *ranks);
    const char *label = "hosts";
    struct text more = {0};
    size_t shown = 0;
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        size_t host = location->host == SUMMARY_NONE ? summary->host_count : location->host;
        rank_list_add(&ranks[host], location->rank);
    }
    for (size_t host = 0; host <= summary->host_count; host++) {
        if (ranks[host].count && shown++ < MOST_HOSTS)
            print_host(summary, host == summary->host_count ? SUMMARY_NONE : (uint32_t)host,
                       &ranks[host], &label);
        text_free(&ranks[host].text);
    }
    if (shown > MOST_HOSTS) {
        text_addf(&more, "and %zu more", shown - MOST_HOSTS);
        print_line(&label, &more);
    }
    free(ranks);
}

/* "4 x 2, periodic along the first", by dimension: "4 (periodic) x 2". */
static void add_grid(struct text *text, const struct topology *topology)
{
    text_add(text, "Cartesian ");
    for (size_t i = 0; i < topology->dimension_count; i++)
        text_addf(text, "%s%" PRIu64 "%s", i ? " x " : "", topology->dimensions[i].size,
                  topology->dimensions[i].periodic ? " (periodic)" : "");
    if (topology->dimension_count == 0)
        text_add(text, "without dimensions");
}

static void add_graph(struct text *text, const struct topology *topology)
{
    uint64_t edges = 0;
    bool weighted = false;
    for (size_t i = 0; i < topology->neighborhood_count; i++) {
        edges += topology->neighborhoods[i].destination_count;
        weighted |= topology->neighborhoods[i].weighted;
    }
    text_addf(text, "%s with %" PRIu64 "%s edge%s",
              topology->kind == TOPOLOGY_GRAPH ? "graph" : "distributed graph", edges,
              weighted ? " weighted" : "", edges == 1 ? "" : "s");
    if (topology->neighborhood_count < topology->members)
        text_addf(text, " of %zu of its ranks", topology->neighborhood_count);
}

/* The ranks, unless they are 0 to one less than their number. */
static void add_members(struct text *text, const struct topology *topology)
{
    const struct rank_run *runs = topology->runs;
    text_addf(text, ", %" PRIu64 " rank%s", topology->members,
              topology->members == 1 ? "" : "s");
    for (size_t i = 0; i < topology->run_count && i < 4; i++) {
        const char *before = i ? "," : ": ";
        uint64_t members = runs[i].count;
        text_addf(text, "%s%" PRId64, before, runs[i].first);
        if (members == 2)
            text_addf(text, ",%" PRId64, runs[i].first + runs[i].step);
        else if (members > 2)
            text_addf(text, runs[i].step == 1 ? "-" : "-(%+" PRId64 ")-", runs[i].step);
        if (members > 2)
            text_addf(text, "%" PRId64, runs[i].first + runs[i].step * (int64_t)(members - 1));
    }
    if (topology->run_count > 4)
        text_add(text, ",...");
}

static void print_topology(const struct topology *topology, const char **label)
{
    struct text text = {0};
    if (topology->name[0])
        text_addf(&text, "%s: ", topology->name);
    if (topology->kind == TOPOLOGY_CARTESIAN)
        add_grid(&text, topology);
    else
        add_graph(&text, topology);
    add_members(&text, topology);
    if (topology->times > 1)
        text_addf(&text, "; %" PRIu64 " alike", topology->times);
    print_line(label, &text);
}

void info_topologies(const struct summary *summary)
{
    const struct topology_list *list = &summary->topologies;
    const char *label = "topologies";
    struct text more = {0};
    for (size_t i = 0; i < list->count && i < MOST_TOPOLOGIES; i++)
        print_topology(&list->items[i], &label);
    if (list->count > MOST_TOPOLOGIES) {
        text_addf(&more, "and %zu more (tsprof export --what topologies)",
                  list->count - MOST_TOPOLOGIES);
        print_line(&label, &more);
    }
    if (list->left_out > 0) {
        text_addf(&more, "at least %" PRIu64 " more were not kept", list->left_out);
        print_line(&label, &more);
    }
}
