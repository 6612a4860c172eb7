/* See job_choice.h. */
#include "events/job_choice.h"

#include "base/base.h"

#include <stdlib.h>

struct recorded_thread job_recorded_thread(const struct event_file *file,
                                           const struct eventful_thread *thread)
{
    struct recorded_thread recorded = {.recording = &file->recording,
                                       .owner = EVENT_STREAM_THREADS + thread->thread,
                                       .lost = event_file_lost(file, thread->thread),
                                       .ended_ns = event_file_ended_ns(file, thread->thread)};
    const struct event_series *series = event_file_series(file, thread->thread);
    for (size_t i = 0; i < EVENT_FILE_SERIES; i++) {
        recorded.phases[i] = thread->phases[i];
        recorded.generations[i] = series[i].generation;
    }
    return recorded;
}

static struct supply offer(const struct eventful_process *process,
                           const struct program *program, const struct trace_spec *spec,
                           struct shortage *shortage)
{
    struct supply supply = {.there.list = NULL};
    struct event_file file;
    struct recorded_thread *threads = allocate(process->thread_count + 1, sizeof *threads);
    if (event_file_open(&file, process->path, &process->owner)) {
        for (size_t i = 0; i < process->thread_count; i++)
            threads[i] = job_recorded_thread(&file, &process->threads[i]);
        recorded_threads_offer(threads, process->thread_count, program, spec, &supply,
                               shortage);
    }
    event_file_close(&file);
    free(threads);
    return supply;
}

struct supply job_choose(const struct job_trace *trace, const struct program *program,
                         const struct trace_spec *spec, struct shortage *shortage)
{
    struct supply all = {.there.list = NULL};
    for (size_t i = 0; i < trace->count; i++) {
        struct shortage of_one = {.processes = 0};
        struct supply own = offer(&trace->processes[i], program, spec, &of_one);
        supply_join(&all, &own, spec);
        shortage_add(shortage, &of_one);
        supply_free(&own);
    }
    if (spec->most > 0)
        offers_best(&all.there, spec->most);
    if (all.there.failed || all.gone.failed)
        out_of_memory();
    return all;
}
