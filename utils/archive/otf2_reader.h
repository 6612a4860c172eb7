/*
 * How the archive's reader is put together:
 *
 *     definitions (otf2_definitions.c) -> events of locations (otf2_locations.c) -> what they
 *     mean (otf2_events.c, otf2_windows.c, otf2_files.c)
 *
 * and who opens and closes all (otf2_reader.c).  Only these files know the library.
 */
#ifndef TSPROF_OTF2_READER_H
#define TSPROF_OTF2_READER_H

#include "archive/event_record.h"
#include "archive/otf2_grids.h"
#include "archive/trace.h"
#include "common/index.h"

#include <otf2/otf2.h>

/* From references, which may be any numbers, to indices. */
struct references {
    struct index index;
    uint64_t *keys; /* by index */
    size_t count, room;
};

/* What a parameter says. */
enum otf2_parameter {
    PARAMETER_OTHER,
    PARAMETER_ITERATION,   /* the number of the iteration that has just begun */
    PARAMETER_SOURCES_OF,  /* the communicator that the following sources are of */
    PARAMETER_SOURCE,      /* a rank in MPI_COMM_WORLD that the process receives from */
    PARAMETER_NEIGHBORHOOD /* the request of an operation among neighbours, which ends next */
};

/* A group of locations or ranks. */
struct otf2_group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    uint64_t *members;
    size_t count;
};

/* What the members of a metric event are. */
struct otf2_class {
    uint32_t members[255]; /* counters, or TRACE_NONE */
    unsigned count;
};

/* Where the events of a thread are. */
struct otf2_thread {
    uint32_t depth; /* regions that are open */
    struct trace_iteration *iterations;
    uint32_t *iteration_depths;
    size_t iteration_count, iteration_room;
    bool is_pending; /* `pending` may yet turn out to begin an iteration */
    struct trace_event pending;
    uint32_t sources_of; /* 1 + the communicator that sources are told of; 0: none */
    uint64_t *instances; /* by region that counts itself; NULL: none came yet */
    uint64_t last_ns, last_ticks, events;
};

/* Operations on files that have begun and not ended; otf2_files.c knows what they are. */
struct otf2_file_operations {
    struct otf2_file_operation *list;
    size_t count, room;
};

/* An event as the archive has it. */
struct otf2_event {
    uint32_t thread;
    uint64_t time;           /* ticks of the trace's clock */
    const uint64_t *numbers; /* by its type, see event_record.h; the archive's references */
};

struct otf2_reader {
    OTF2_Reader *reader;
    struct trace *trace;
    uint64_t resolution, begin; /* ticks per second; the first tick */
    struct references strings, nodes, processes, threads, regions, groups, comms, counters,
        classes, contexts, parameters, windows, handles;
    const char **texts; /* by index of `strings` */
    uint32_t *node_names;
    struct otf2_group *group_list;
    struct otf2_class *class_list;
    enum otf2_parameter *parameter_kinds; /* by index of `parameters` */
    struct otf2_grids *grids;
    uint32_t *window_comms; /* by index of `windows` */
    uint32_t *handle_comms; /* by index of `handles`, of files */
    /* Until all definitions are known: indices of strings, nodes and groups by reference. */
    uint64_t *thread_processes, *process_names, *process_nodes;
    uint32_t *thread_names;
    uint32_t *comm_groups, *comm_other_groups, *comm_names;
    uint32_t *first_threads; /* by process */
    struct otf2_thread *states;
    struct otf2_file_operations file_operations;
    bool has_impossible_times; /* events that are left out */
    struct held *held;         /* events that were moved behind others; NULL: none can be */
    trace_visitor *visit;
    void *context;
};

/* The index of REFERENCE; added if it is not there yet.  It comes next then. */
uint32_t reference_add(struct references *references, uint64_t reference);
/* TRACE_NONE if it was not added. */
uint32_t reference_find(const struct references *references, uint64_t reference);
void references_free(struct references *references);

/* Reads the global definitions into the trace. */
OTF2_ErrorCode otf2_read_definitions(struct otf2_reader *reader);

/* Reads all events and gives them to otf2_take, in the order of time. */
OTF2_ErrorCode otf2_read_events(struct otf2_reader *reader);

/* Passes an event of TYPE on, if it means something. */
typedef void otf2_taker(struct otf2_reader *reader, const struct otf2_event *from);
void otf2_take(struct otf2_reader *reader, const struct otf2_event *from, uint8_t type);
/* At the end: passes on what was held back. */
void otf2_flush(struct otf2_reader *reader);

/* For those who know what events mean: */

/* Begins EVENT with what all have; NULL if it cannot have been then. */
struct otf2_thread *otf2_begin_event(struct otf2_reader *reader, struct trace_event *event,
                                     const struct otf2_event *from, enum trace_kind kind);
/* The process that RANK of the event's communicator is. */
uint32_t otf2_process_in(const struct otf2_reader *reader, const struct trace_event *event,
                         uint32_t rank);
/* Gives EVENT to the visitor. */
void otf2_pass_on(struct otf2_reader *reader, struct otf2_thread *state,
                  struct trace_event *event);

otf2_taker otf2_take_window_create, otf2_take_window_free, otf2_take_window_fence,
    otf2_take_window_sync, otf2_take_put, otf2_take_get, otf2_take_atomic,
    otf2_take_lock_request, otf2_take_lock_release;
otf2_taker otf2_take_file_begin, otf2_take_file_end;

/* Whether the archive with that ANCHOR is one that trace_write_moved has made. */
bool otf2_is_moved(const char *anchor);

#endif
