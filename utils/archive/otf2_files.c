/*
 * What is read from files and written into them by several processes together, which may wait
 * for each other there.  See otf2_reader.h.
 */
#include "archive/otf2_reader.h"

/* A collective operation that blocks begins: when it ends others may have come. */
static OTF2_CallbackCode take_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                    OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                    OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
                                    uint64_t bytes, uint64_t number)
{
    struct otf2_reader *reader = data;
    const uint32_t thread = reference_find(&reader->threads, location);
    (void)time, (void)attributes, (void)handle, (void)mode, (void)bytes;
    if (thread == TRACE_NONE)
        return OTF2_CALLBACK_SUCCESS;
    struct otf2_thread *state = &reader->states[thread];
    state->in_file = (flags & OTF2_IO_OPERATION_FLAG_COLLECTIVE) != 0 &&
                     (flags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING) == 0;
    state->file_operation = number;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                  uint64_t bytes, uint64_t number)
{
    struct otf2_reader *reader = data;
    struct trace_event event;
    const uint32_t thread = reference_find(&reader->threads, location),
                   index = reference_find(&reader->handles, handle);
    (void)attributes;
    if (thread == TRACE_NONE || index == TRACE_NONE || !reader->states[thread].in_file ||
        reader->states[thread].file_operation != number)
        return OTF2_CALLBACK_SUCCESS;
    reader->states[thread].in_file = false;
    struct otf2_thread *state = otf2_begin_event(reader, &event, location, time, TRACE_COLLECT);
    if (!state)
        return OTF2_CALLBACK_SUCCESS;
    event.operation = TRACE_FILE_OPERATION;
    event.comm = reference_find(&reader->comms, reader->handle_comms[index]);
    event.bytes = bytes;
    return otf2_pass_on(reader, state, &event);
}

void otf2_file_callbacks(OTF2_GlobalEvtReaderCallbacks *all)
{
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(all, take_begin);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationCompleteCallback(all, take_end);
}
