/* See job_choice.h. */
#include "events/job_choice.h"

struct recorded_thread job_recorded_thread(const struct event_file *file,
                                           const struct eventful_thread *thread)
{
    struct recorded_thread recorded = {.recording = &file->recording,
                                       .owner = EVENT_STREAM_THREADS + thread->thread};
    const struct event_series *series = event_file_series(file, thread->thread);
    for (size_t i = 0; i < EVENT_FILE_SERIES; i++) {
        recorded.phases[i] = thread->phases[i];
        recorded.generations[i] = series[i].generation;
    }
    return recorded;
}

static struct offers offer(const struct eventful_process *process,
                           const struct program *program, const struct trace_spec *spec)
{
    struct offers offers = {.list = NULL};
    struct event_file file;
    if (event_file_open(&file, process->path, &process->owner))
        for (size_t i = 0; i < process->thread_count; i++) {
            const struct recorded_thread thread =
                job_recorded_thread(&file, &process->threads[i]);
            recorded_thread_offer(&thread, program, spec, &offers);
        }
    event_file_close(&file);
    offers_sort(&offers);
    return offers;
}

struct offers job_choose(const struct job_trace *trace, const struct program *program,
                         const struct trace_spec *spec)
{
    struct offers all = {.list = NULL};
    for (size_t i = 0; i < trace->count; i++) {
        struct offers own = offer(&trace->processes[i], program, spec);
        offers_join(&all, &own);
        offers_free(&own);
    }
    if (spec->most > 0)
        offers_best(&all, spec->most);
    if (all.failed)
        out_of_memory();
    return all;
}
