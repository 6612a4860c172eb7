/* A trace in Chrome's format.  See perfetto.h. */
#include "perfetto/perfetto.h"

#include "perfetto/call_facts.h"
#include "perfetto/event_choice.h"
#include "print/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The calls that are open in one thread, the outermost first. */
struct open_calls {
    struct call_facts *list;
    size_t count, room;
};

struct writing {
    struct trace *trace;
    struct event_choice choice;
    FILE *stream;
    struct open_calls *open;
    struct messages *messages;
    struct text path; /* scratch */
    uint64_t last_ns; /* the latest event */
    bool has_begun;   /* the beginning of the document has been written */
};

/* A process is called by its rank; those without one come after all ranks. */
static uint64_t process_number(const struct trace *trace, uint32_t process)
{
    const uint32_t rank = trace->processes[process].rank;
    return rank != TRACE_NONE ? rank : (uint64_t)TRACE_NONE + process;
}

/* Begins the object of something in a thread; times are in microseconds. */
static void begin_object(const struct writing *writing, const char *kind, uint32_t thread,
                         uint64_t time_ns)
{
    const struct trace_thread *of = &writing->trace->threads[thread];
    fprintf(writing->stream,
            ",\n{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%03u",
            kind, process_number(writing->trace, of->process), of->number, time_ns / 1000,
            (unsigned)(time_ns % 1000));
}

static void write_name(const struct writing *writing, const char *name, const char *category)
{
    fputs(",\"name\":", writing->stream);
    json_string(writing->stream, name);
    fprintf(writing->stream, ",\"cat\":\"%s\"", category);
}

static void write_place(const struct writing *writing, const struct trace_region *region,
                        const char *separator)
{
    if (!*region->file)
        return;
    fprintf(writing->stream, "%s\"file\":", separator);
    json_string(writing->stream, region->file);
    if (region->line > 0)
        fprintf(writing->stream, ",\"line\":%" PRIu32, region->line);
}

/* The number of the iteration that EVENT begins; false if it begins none. */
static bool begins_iteration(const struct trace_event *event, uint64_t *number)
{
    const size_t count = event->iteration_count;
    if (count == 0 || event->iterations[count - 1].phase != event->region)
        return false;
    *number = event->iterations[count - 1].number;
    return true;
}

static void write_enter(struct writing *writing, const struct trace_event *event)
{
    const struct trace_region *region = &writing->trace->regions[event->region];
    FILE *stream = writing->stream;
    uint64_t number;
    begin_object(writing, "B", event->thread, event->time_ns);
    write_name(writing, region->name,
               region->is_mpi     ? region->metric
               : region->is_phase ? "phase"
                                  : "function");
    fputs(",\"args\":{", stream);
    const bool begins = begins_iteration(event, &number);
    if (begins)
        fprintf(stream, "\"iteration\":%" PRIu64, number);
    write_place(writing, region, begins ? "," : "");
    fputs("}}", stream);
}

static void take_enter(struct writing *writing, const struct trace_event *event)
{
    struct open_calls *open = &writing->open[event->thread];
    const bool chosen = chooses_event(&writing->choice, event);
    if (open->count == open->room) {
        open->room = open->room ? 2 * open->room : 16;
        open->list = reallocate(open->list, open->room, sizeof *open->list);
    }
    call_facts_begin(&open->list[open->count++], chosen);
    if (chosen)
        write_enter(writing, event);
}

static void end_call(struct writing *writing, uint32_t thread, uint64_t time_ns)
{
    struct open_calls *open = &writing->open[thread];
    const struct call_facts *facts = &open->list[--open->count];
    if (!facts->is_written)
        return;
    begin_object(writing, "E", thread, time_ns);
    call_facts_write(facts, writing->trace, writing->stream);
    fputc('}', writing->stream);
}

static void write_flow(const struct writing *writing, const char *kind, uint32_t thread,
                       uint64_t time_ns, uint64_t number)
{
    begin_object(writing, kind, thread, time_ns);
    write_name(writing, "message", "message");
    fprintf(writing->stream, ",\"id\":%" PRIu64 "%s}", number,
            *kind == 'f' ? ",\"bp\":\"e\"" : "");
}

/* What begins at a send ends here, if the send was written. */
static void write_message(void *context, const struct message *message)
{
    const struct writing *writing = context;
    if (message->is_wanted && chooses_thread(&writing->choice, message->to_thread))
        write_flow(writing, "f", message->to_thread, message->received_ns, message->number);
}

/* The call path of a sample. */
static void add_path(struct writing *writing, uint32_t context)
{
    const struct trace *trace = writing->trace;
    const struct trace_context *node = &trace->contexts[context];
    if (node->parent != TRACE_NONE) {
        add_path(writing, node->parent);
        text_add(&writing->path, ";");
    }
    text_add(&writing->path,
             node->region == TRACE_NONE ? "?" : trace->regions[node->region].name);
}

static void write_sample(struct writing *writing, const struct trace_event *event)
{
    begin_object(writing, "i", event->thread, event->time_ns);
    write_name(writing, "sample", "sample");
    fputs(",\"s\":\"t\",\"args\":{\"callpath\":", writing->stream);
    text_clear(&writing->path);
    if (event->context != TRACE_NONE)
        add_path(writing, event->context);
    json_string(writing->stream, text_string(&writing->path));
    fputs("}}", writing->stream);
}

static void write_counter(struct writing *writing, const struct trace_event *event)
{
    const struct trace_thread *thread = &writing->trace->threads[event->thread];
    const struct trace_counter *counter = &writing->trace->counters[event->counter];
    begin_object(writing, "C", event->thread, event->time_ns);
    text_clear(&writing->path);
    text_add(&writing->path, counter->name);
    /* Those of a process are told apart by their names alone. */
    if (thread->number > 0)
        text_addf(&writing->path, ", thread %" PRIu32, thread->number);
    write_name(writing, text_string(&writing->path), "counter");
    fputs(",\"args\":{\"value\":", writing->stream);
    json_number(writing->stream, event->value);
    fputs("}}", writing->stream);
}

static void write_meta(const struct writing *writing, const char *what, uint64_t process,
                       uint32_t thread, const char *separator)
{
    fprintf(writing->stream,
            "%s\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32
            ",\"args\":{",
            separator, what, process, thread);
}

/* Names of processes and threads come first. */
static void write_names(const struct writing *writing)
{
    const struct trace *trace = writing->trace;
    FILE *stream = writing->stream;
    const char *separator = "";
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        const struct trace_thread *thread = &trace->threads[i];
        const struct trace_process *process = &trace->processes[thread->process];
        const uint64_t number = process_number(trace, thread->process);
        if (!chooses_thread(&writing->choice, i))
            continue;
        if (thread->number == 0 || writing->choice.options->threads.first > 0) {
            write_meta(writing, "process_name", number, thread->number, separator);
            fputs("\"name\":", stream);
            json_string(stream, process->name);
            fputs(",\"host\":", stream);
            json_string(stream, process->host);
            fputs("}}", stream);
            separator = ",";
            write_meta(writing, "process_sort_index", number, thread->number, separator);
            fprintf(stream, "\"sort_index\":%" PRIu64 "}}", number);
        }
        write_meta(writing, "thread_name", number, thread->number, separator);
        fputs("\"name\":", stream);
        json_string(stream, thread->name);
        fputs("}}", stream);
        separator = ",";
    }
}

/* Once there is something to write: what comes before all events. */
static void begin_document(struct writing *writing)
{
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", writing->stream);
    write_names(writing);
    writing->has_begun = true;
}

static void take_event(void *context, const struct trace_event *event)
{
    struct writing *writing = context;
    struct open_calls *open = &writing->open[event->thread];
    if (!writing->has_begun) {
        event_choice_note(&writing->choice, event);
        if (chooses_event(&writing->choice, event))
            begin_document(writing);
    }
    const bool chosen = event->kind != TRACE_ENTER && chooses_event(&writing->choice, event);
    const uint64_t number = messages_take(writing->messages, event, chosen);
    writing->last_ns = event->time_ns > writing->last_ns ? event->time_ns : writing->last_ns;
    if (open->count > 0)
        call_facts_add(&open->list[open->count - 1], event);
    if (event->kind == TRACE_ENTER)
        take_enter(writing, event);
    else if (event->kind == TRACE_LEAVE && open->count > 0)
        end_call(writing, event->thread, event->time_ns);
    else if (event->kind == TRACE_SEND && chosen)
        write_flow(writing, "s", event->thread, event->time_ns, number);
    else if (event->kind == TRACE_SAMPLE && chosen)
        write_sample(writing, event);
    else if (event->kind == TRACE_COUNTER && chosen)
        write_counter(writing, event);
}

/* What is open at the end of the trace ends there. */
static void end_all(struct writing *writing)
{
    for (uint32_t i = 0; i < writing->trace->thread_count; i++)
        while (writing->open[i].count > 0)
            end_call(writing, i, writing->last_ns);
}

/* Writes the end of the document, and its beginning where there are no events. */
static void end_document(struct writing *writing)
{
    if (!writing->has_begun)
        begin_document(writing);
    messages_end(writing->messages);
    end_all(writing);
    fputs("\n]}\n", writing->stream);
}

bool perfetto_write(struct trace *trace, const struct options *options, FILE *stream,
                    struct error *error)
{
    struct writing writing = {.trace = trace, .stream = stream};
    writing.open = allocate(trace->thread_count, sizeof *writing.open);
    writing.messages = messages_create(trace, write_message, &writing);
    const bool good = event_choice_make(&writing.choice, trace, options, error) &&
                      trace_read(trace, take_event, &writing, error) &&
                      (writing.has_begun || event_choice_check(&writing.choice, error));
    if (good)
        end_document(&writing);
    messages_free(writing.messages);
    for (size_t i = 0; i < trace->thread_count; i++)
        free(writing.open[i].list);
    free(writing.open);
    event_choice_free(&writing.choice);
    text_free(&writing.path);
    return good;
}
