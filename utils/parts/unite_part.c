/* See unite_part.h. */
#include "parts/unite_part.h"

#include "common/codec.h"
#include "file/file.h"
#include "parts/part_define.h"
#include "parts/part_notes.h"
#include "parts/part_snapshot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A part that is being added. */
struct uniting {
    struct union_of_parts *all;
    struct part_reading *part;
    struct part_definer definer;
    uint32_t rank, host;
    enum life life;
    uint32_t *metrics; /* by the part's: the summary's */
    bool noted;        /* what is true of the whole process */
    bool topologies_known;
    struct event_file events;
    bool has_events;
    struct eventful_process eventful;
};

static const char *copy_text(struct union_of_parts *all, const char *text)
{
    return memory_pool_copy(&all->pool, text, strlen(text));
}

static struct metric_entry copy_metric(struct union_of_parts *all,
                                       const struct metric_entry *metric)
{
    struct metric_entry copy = *metric;
    copy.name = copy_text(all, metric->name);
    copy.unit = copy_text(all, metric->unit);
    copy.text = copy_text(all, metric->text);
    return copy;
}

/* Counters come last. */
static size_t count_common_metrics(const struct summary *shell)
{
    size_t count = 0;
    while (count < shell->metric_count && shell->metrics[count].kind != FORMAT_METRIC_COUNTER)
        count++;
    return count;
}

/* The facts and metrics of the first part are those of the summary. */
static void adopt(struct union_of_parts *all, const struct summary *shell)
{
    all->fact_count = shell->fact_count;
    all->facts = memory_pool_allocate(&all->pool, all->fact_count, sizeof *all->facts);
    for (size_t i = 0; i < all->fact_count; i++) {
        all->facts[i].key = copy_text(all, shell->facts[i].key);
        all->facts[i].value = copy_text(all, shell->facts[i].value);
    }
    all->metric_count = count_common_metrics(shell);
    all->metrics = memory_pool_allocate(&all->pool, all->metric_count, sizeof *all->metrics);
    for (size_t i = 0; i < all->metric_count; i++)
        all->metrics[i] = copy_metric(all, &shell->metrics[i]);
}

static bool has_same_metrics(const struct union_of_parts *all, const struct summary *shell)
{
    if (count_common_metrics(shell) != all->metric_count)
        return false;
    for (size_t i = 0; i < all->metric_count; i++)
        if (strcmp(all->metrics[i].name, shell->metrics[i].name) != 0)
            return false;
    for (size_t i = all->metric_count; i < shell->metric_count; i++)
        if (shell->metrics[i].kind != FORMAT_METRIC_COUNTER)
            return false;
    return true;
}

static uint32_t number_counter(struct union_of_parts *all, const struct metric_entry *counter)
{
    uint32_t number = definitions_counter(&all->definitions, counter->name);
    if (number == all->counter_count) {
        if (!(number & (number - 1)))
            all->counters =
                reallocate(all->counters, number ? 2 * (size_t)number : 1, sizeof *counter);
        all->counters[all->counter_count++] = copy_metric(all, counter);
    }
    return number;
}

static void number_metrics(struct uniting *uniting)
{
    struct union_of_parts *all = uniting->all;
    const struct summary *shell = &uniting->part->shell;
    const uint32_t common = (uint32_t)all->metric_count;
    uniting->metrics = allocate(shell->metric_count, sizeof *uniting->metrics);
    for (uint32_t i = 0; i < shell->metric_count; i++)
        uniting->metrics[i] = i < common ? i : common + number_counter(all, &shell->metrics[i]);
}

/* Hosts mostly come one after the other. */
static uint32_t number_host(struct union_of_parts *all, const char *host, uint64_t clock)
{
    const size_t room = all->host_count ? 2 * all->host_count : 1;
    for (size_t i = all->host_count; i-- > 0;)
        if (all->host_clocks[i] == clock && strcmp(all->hosts[i], host) == 0)
            return (uint32_t)i;
    if (!(all->host_count & (all->host_count - 1))) {
        all->hosts = reallocate(all->hosts, room, sizeof *all->hosts);
        all->host_clocks = reallocate(all->host_clocks, room, sizeof *all->host_clocks);
    }
    all->host_clocks[all->host_count] = clock;
    all->hosts[all->host_count] = copy_text(all, host);
    return (uint32_t)all->host_count++;
}

static void mark_profile(const struct profile *profile, bool *used)
{
    for (size_t i = 0; i < profile->count; i++)
        used[profile->cells[i].node] = true;
}

/* Marks the call paths that have values; others are not defined. */
static void mark_used(const struct part_snapshot *snapshot, bool *used)
{
    const struct location *location = &snapshot->location;
    mark_profile(&location->whole, used);
    mark_profile(&location->outside, used);
    mark_profile(&snapshot->open_profile, used);
    for (size_t s = 0; s < location->series_count; s++)
        for (size_t c = 0; c < location->series[s].cluster_count; c++)
            mark_profile(&location->series[s].clusters[c].sums, used);
}

/* Marks those that events of thread NUMBER are about, which may be none. */
static struct event_uses mark_events(const struct uniting *uniting, unsigned number,
                                     const struct part_log_reading *log, bool *used)
{
    if (!uniting->has_events)
        return (struct event_uses){.any = false};
    return event_file_mark(&uniting->events, number, used, log->node_count);
}

/* The phase of the definitions whose iterations SERIES has, in the numbers of LOG's PHASES. */
static uint32_t phase_of_series(const struct part_log_reading *log, const uint32_t *phases,
                                uint32_t begun, const struct event_series *series)
{
    uint32_t phase = series->shown_as - 1;
    if (begun != UINT32_MAX && log->nodes[begun].kind == PART_NODE_PHASE)
        phase = log->nodes[begun].number;
    return phase < log->phase_count ? phases[phase] : (uint32_t)DEFINITION_NONE;
}

/* Adds thread NUMBER, whose location is the latest, to those with events. */
static void add_eventful(struct uniting *uniting, unsigned number,
                         const struct part_log_reading *log, const uint32_t *phases,
                         const struct event_uses *uses)
{
    struct eventful_process *process = &uniting->eventful;
    const struct event_series *series = event_file_series(&uniting->events, number);
    process->threads = grow_list(process->threads, process->thread_count, &process->thread_room,
                                 sizeof *process->threads);
    struct eventful_thread *thread = &process->threads[process->thread_count++];
    thread->thread = number;
    thread->location = uniting->all->location_count - 1;
    for (size_t i = 0; i < EVENT_FILE_SERIES; i++)
        thread->phases[i] = phase_of_series(log, phases, uses->begun[i], &series[i]);
}

static bool write_aside(struct union_of_parts *all, const void *bytes, size_t size)
{
    if (size > 0 && fwrite(bytes, size, 1, all->aside) != 1)
        all->failed = true;
    all->aside_bytes += size;
    return !all->failed;
}

static void add_location(struct union_of_parts *all, const struct united_location *location)
{
    if (!(all->location_count & (all->location_count - 1)))
        all->locations =
            reallocate(all->locations, all->location_count ? 2 * all->location_count : 1,
                       sizeof *all->locations);
    all->locations[all->location_count++] = *location;
}

static void put_aside(const struct uniting *uniting, unsigned number,
                      const struct part_log_reading *log, const struct location *location,
                      const uint32_t *nodes, const uint32_t *phases)
{
    struct union_of_parts *all = uniting->all;
    const struct summary *shell = &uniting->part->shell;
    struct encoder content = {0};
    summary_encode_numbers(location, &content);
    if (content.failed)
        out_of_memory();
    struct united_location united = {
        .rank = uniting->rank,
        .thread = number,
        .host = uniting->host,
        .process = uniting->part->process,
        .ending = location->ending,
        .offset = all->aside_bytes,
        .bytes = content.size,
        .node_count = (uint32_t)log->node_count,
        .phase_count = (uint32_t)log->phase_count,
        .metric_count = (uint32_t)shell->metric_count,
    };
    write_aside(all, nodes, log->node_count * sizeof *nodes);
    write_aside(all, phases, log->phase_count * sizeof *phases);
    write_aside(all, uniting->metrics, shell->metric_count * sizeof *uniting->metrics);
    write_aside(all, content.bytes, content.size);
    encoder_free(&content);
    add_location(all, &united);
}

/* The place that called the MPI function in which a thread is, if its call path is not known.
 */
static void find_caller(struct uniting *uniting, const struct part_log_reading *log,
                        const struct part_thread *thread, struct live_thread *live)
{
    if (live->place != LIVE_IN_MPI || thread->caller == 0)
        return;
    const struct part_module *module = part_log_find(log, thread->caller);
    if (module) {
        struct part_place caller = {(uint32_t)(module - log->modules),
                                    thread->caller - module->base};
        live->caller = part_define_place(&uniting->definer, log, caller);
    }
}

/* Marks the call path of LIVE as used; if it is not in the log, LIVE has none. */
static void mark_live(const struct part_log_reading *log, struct live_thread *live, bool *used)
{
    if (live->node != SUMMARY_NONE && live->node >= log->node_count)
        live->node = SUMMARY_NONE;
    if (live->node != SUMMARY_NONE)
        used[live->node] = true;
}

static void add_snapshot(struct uniting *uniting, unsigned number,
                         const struct part_log_reading *log, struct part_snapshot *snapshot,
                         uint32_t *nodes, const struct event_uses *uses)
{
    int64_t end = uniting->part->epoch_ns + snapshot->saved_ns;
    uint32_t *phases = part_define_phases(&uniting->definer, log);
    if (end > uniting->all->end_ns)
        uniting->all->end_ns = end;
    part_snapshot_close(uniting->part, snapshot);
    part_notes_add(uniting->part, log, uniting->life, !uniting->noted, snapshot);
    uniting->noted = true;
    put_aside(uniting, number, log, &snapshot->location, nodes, phases);
    if (uses->any)
        add_eventful(uniting, number, log, phases, uses);
    free(phases);
}

/* A thread's log and what was FOUND of its snapshots, which may be nothing. */
static bool add_known(struct uniting *uniting, unsigned number,
                      const struct part_thread *thread, struct part_log_reading *log,
                      const struct found_snapshot *found, struct error *error)
{
    struct live_thread *live = &uniting->all->live.threads[uniting->all->live.count - 1];
    struct part_snapshot snapshot;
    bool *used = allocate(log->node_count + 1, sizeof *used);
    bool good = !found->bytes ||
                part_snapshot_decode(uniting->part, number, log, found, &snapshot, error);
    find_caller(uniting, log, thread, live);
    mark_live(log, live, used);
    if (good && found->bytes)
        mark_used(&snapshot, used);
    const struct event_uses uses = mark_events(uniting, number, log, used);
    uint32_t *nodes = part_define_nodes(&uniting->definer, log, used);
    if (live->node != SUMMARY_NONE)
        live->node = nodes[live->node];
    if (good && found->bytes)
        add_snapshot(uniting, number, log, &snapshot, nodes, &uses);
    if (number == 0)
        part_define_opener(&uniting->definer, log, nodes);
    else
        free(nodes);
    free(used);
    return good;
}

/* Topologies belong to the process: every log that has them has all of them. */
static void add_topologies(struct uniting *uniting, const struct part_log_reading *log)
{
    if (!log->topologies || uniting->topologies_known)
        return;
    struct decoder in = {log->topologies, log->topology_bytes, 0, false};
    uniting->topologies_known = true;
    if (!topologies_add(&uniting->all->topologies, &in))
        complain("%s: is damaged: its topologies are cut off", uniting->part->shell.path);
}

static bool add_thread(struct uniting *uniting, unsigned number,
                       const struct part_thread *thread, struct error *error)
{
    struct part_reading *part = uniting->part;
    struct part_log_reading log;
    struct live_thread *live =
        live_add(&uniting->all->live, part, uniting->rank, number, thread);
    uniting->life = live->life;
    const struct found_snapshot found = part_snapshot_find(part, number, thread);
    bool good = part_log_read(part, thread->log, &log, error);
    if (good && found.bytes && log.node_count == 0)
        good = error_set(error, "%s: is damaged: the log of thread %u is missing",
                         part->shell.path, number);
    add_topologies(uniting, &log);
    if (good)
        good = add_known(uniting, number, thread, &log, &found, error);
    else
        live->node = SUMMARY_NONE;
    if (good && found.is_older)
        complain("%s: is damaged: the latest snapshot of thread %u; an earlier one is used",
                 part->shell.path, number);
    if (good && !found.bytes && thread->slot_count > 0)
        good = error_set(error, "%s: is damaged: thread %u has no complete snapshot",
                         part->shell.path, number);
    part_log_free(&log);
    free(found.bytes);
    return good;
}

/* How many of the job's counters the part has, if they are numbered alike. */
static unsigned count_counters(const struct uniting *uniting)
{
    const size_t common = uniting->all->metric_count, count = uniting->part->shell.metric_count;
    for (size_t i = common; i < count; i++)
        if (uniting->metrics[i] != i)
            return 0;
    return (unsigned)(count - common);
}

static void open_events(struct uniting *uniting)
{
    const struct part_reading *part = uniting->part;
    struct eventful_process *process = &uniting->eventful;
    *process =
        (struct eventful_process){.path = event_file_name(part->shell.path),
                                  .owner = {part->process, part->started},
                                  .clock = {part->first_tick, part->multiplier, part->epoch_ns},
                                  .rank = uniting->rank,
                                  .host = uniting->host,
                                  .counters = count_counters(uniting)};
    uniting->has_events = event_file_open(&uniting->events, process->path, &process->owner);
}

static void close_events(struct uniting *uniting)
{
    struct eventful_process *process = &uniting->eventful;
    event_file_close(&uniting->events);
    if (process->thread_count > 0)
        job_trace_add(&uniting->all->trace, process);
    else
        free(process->path);
}

bool union_add_part(struct union_of_parts *all, struct part_reading *part, uint32_t rank,
                    struct error *error)
{
    struct uniting uniting = {.all = all,
                              .part = part,
                              .definer = {.definitions = &all->definitions, .part = part},
                              .rank = rank};
    struct part_thread thread;
    if (!all->metrics)
        adopt(all, &part->shell);
    if (!has_same_metrics(all, &part->shell))
        return error_set(error, "%s: has different metrics from the parts before it",
                         part->shell.path);
    uniting.host = number_host(all, part->host, part->clock);
    number_metrics(&uniting);
    open_events(&uniting);
    for (unsigned i = 0; i < PART_THREADS; i++) {
        if (!part_read_thread(part, i, &thread))
            continue;
        if (!add_thread(&uniting, i, &thread, error)) {
            complain("%s; the thread is left out", error->text);
            all->skipped++;
        }
    }
    close_events(&uniting);
    part_define_end(&uniting.definer);
    free(uniting.metrics);
    if (all->definitions.failed)
        out_of_memory();
    return true;
}

bool union_take(struct union_of_parts *all, const struct united_location *united,
                struct taken_location *taken, struct error *error)
{
    *taken =
        (struct taken_location){.nodes = allocate(united->node_count, sizeof(uint32_t)),
                                .phases = allocate(united->phase_count, sizeof(uint32_t)),
                                .metrics = allocate(united->metric_count, sizeof(uint32_t))};
    struct summary *shell = &taken->shell;
    shell->path = "temporary file";
    shell->node_count = united->node_count;
    shell->phase_count = united->phase_count;
    shell->metric_count = united->metric_count;
    unsigned char *content = allocate((size_t)united->bytes, 1);
    struct decoder in = {content, (size_t)united->bytes, 0, false};
    bool good = fseeko(all->aside, (off_t)united->offset, SEEK_SET) == 0 &&
                fread(taken->nodes, sizeof(uint32_t), united->node_count, all->aside) ==
                    united->node_count &&
                fread(taken->phases, sizeof(uint32_t), united->phase_count, all->aside) ==
                    united->phase_count &&
                fread(taken->metrics, sizeof(uint32_t), united->metric_count, all->aside) ==
                    united->metric_count &&
                fread(content, 1, (size_t)united->bytes, all->aside) == united->bytes;
    good = good ? summary_read_content(shell, SECTION_LOCATION, &taken->location, &in, error)
                : error_set(error, "cannot read the temporary file back");
    free(content);
    return good;
}

void taken_free(struct taken_location *taken)
{
    free(taken->nodes);
    free(taken->phases);
    free(taken->metrics);
    memory_pool_free(&taken->shell.pool);
}

const char *union_fact(const struct union_of_parts *all, const char *key)
{
    for (size_t i = 0; i < all->fact_count; i++)
        if (strcmp(all->facts[i].key, key) == 0)
            return all->facts[i].value;
    return "";
}

void union_free(struct union_of_parts *all)
{
    definitions_free(&all->definitions);
    topologies_free(&all->topologies);
    live_free(&all->live);
    job_trace_free(&all->trace);
    free(all->locations);
    free(all->hosts);
    free(all->host_clocks);
    free(all->counters);
    memory_pool_free(&all->pool);
}
