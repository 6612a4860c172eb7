/*
 * What is read from files and written into them, by several processes together, which may wait
 * for each other there, or by one alone.  See otf2_reader.h.
 */
#include "archive/otf2_reader.h"
#include "base/base.h"

#include <string.h>

/* Requests of messages and operations on files need not be numbered together. */
#define REQUEST_OF_FILE (UINT64_C(1) << 62)

/* Besides one for each thread so many are open at once at most: those that never end must not
 * make the list grow. */
enum { MOST_OPEN = 4096 };

/* An operation on a file that has begun; those that block are of a thread, others of a
 * process. */
struct otf2_file_operation {
    uint64_t number;
    uint32_t handle, owner;
    bool blocks, is_collective, writes;
};

/* The handle's index if it is one of MPI: that is one of a communicator; else TRACE_NONE. */
static uint32_t handle_of(const struct otf2_reader *reader, OTF2_IoHandleRef handle)
{
    const uint32_t index = reference_find(&reader->handles, handle);
    return index != TRACE_NONE && reader->handle_comms[index] != OTF2_UNDEFINED_COMM
               ? index
               : TRACE_NONE;
}

static void add_operation(struct otf2_reader *reader, struct otf2_file_operation operation)
{
    struct otf2_file_operations *all = &reader->file_operations;
    if (all->count >= MOST_OPEN + reader->trace->thread_count)
        memmove(all->list, all->list + 1, --all->count * sizeof *all->list);
    all->list = grow_list(all->list, all->count, &all->room, sizeof *all->list);
    all->list[all->count++] = operation;
}

/* Puts the latest of these into OPERATION; it is open no more.  False: there is none. */
static bool take_operation(struct otf2_reader *reader, uint32_t thread, uint32_t handle,
                           uint64_t number, struct otf2_file_operation *operation)
{
    struct otf2_file_operations *all = &reader->file_operations;
    const uint32_t process = reader->trace->threads[thread].process;
    for (size_t i = all->count; i-- > 0;) {
        *operation = all->list[i];
        if (operation->number != number || operation->handle != handle ||
            operation->owner != (operation->blocks ? thread : process))
            continue;
        memmove(all->list + i, all->list + i + 1, (--all->count - i) * sizeof *all->list);
        return true;
    }
    return false;
}

/* A collective operation begins that does not block. */
static void post(struct otf2_reader *reader, const struct otf2_event *from, uint32_t handle,
                 uint64_t number)
{
    struct trace_event event;
    struct otf2_thread *state = otf2_begin_event(reader, &event, from, TRACE_COLLECT_POST);
    if (!state)
        return;
    event.operation = TRACE_FILE_OPERATION;
    event.comm = reference_find(&reader->comms, reader->handle_comms[handle]);
    event.request = number | REQUEST_OF_FILE;
    otf2_pass_on(reader, state, &event);
}

void otf2_take_file_begin(struct otf2_reader *reader, const struct otf2_event *from)
{
    const uint32_t index = handle_of(reader, (OTF2_IoHandleRef)from->numbers[0]);
    const uint64_t mode = from->numbers[1], flags = from->numbers[2];
    if (index == TRACE_NONE)
        return;
    const bool blocks = (flags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING) == 0;
    const struct otf2_file_operation operation = {
        .number = from->numbers[4],
        .handle = index,
        .owner = blocks ? from->thread : reader->trace->threads[from->thread].process,
        .blocks = blocks,
        .is_collective = (flags & OTF2_IO_OPERATION_FLAG_COLLECTIVE) != 0,
        .writes = mode == OTF2_IO_OPERATION_MODE_WRITE};
    add_operation(reader, operation);
    if (operation.is_collective && !blocks)
        post(reader, from, index, operation.number);
}

void otf2_take_file_end(struct otf2_reader *reader, const struct otf2_event *from)
{
    struct otf2_file_operation operation;
    struct trace_event event;
    const uint32_t index = handle_of(reader, (OTF2_IoHandleRef)from->numbers[0]);
    const uint64_t bytes = from->numbers[1], number = from->numbers[2];
    if (index == TRACE_NONE || !take_operation(reader, from->thread, index, number, &operation))
        return;
    struct otf2_thread *state = otf2_begin_event(
        reader, &event, from, operation.is_collective ? TRACE_COLLECT : TRACE_FILE);
    if (!state)
        return;
    event.operation = TRACE_FILE_OPERATION;
    event.comm = reference_find(&reader->comms, reader->handle_comms[index]);
    event.bytes = operation.writes ? bytes : 0;
    event.bytes_received = operation.writes ? 0 : bytes;
    event.writes = operation.writes;
    if (!operation.blocks)
        event.request = number | REQUEST_OF_FILE;
    otf2_pass_on(reader, state, &event);
}
