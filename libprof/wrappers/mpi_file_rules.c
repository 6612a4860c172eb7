/* See mpi_file_rules.h. */
#include "wrappers/mpi_file_rules.h"

#include "library/typed.h"
#include "measure/measure.h"

static void count_file(const struct counted_mpi_call *call, bool written, int64_t bytes)
{
    struct node_cells cells = measure_cells(call->thread, call->leaf);
    node_cells_add(cells, written ? METRIC_io_writes : METRIC_io_reads, 1);
    node_cells_add(cells, written ? METRIC_bytes_io_written : METRIC_bytes_io_read, bytes);
}

void rule_file_completed(const struct counted_mpi_call *call,
                         const struct request_operation *operation, int64_t bytes)
{
    count_file(call, operation->kind == REQUEST_WRITE, bytes);
    if (operation->request && trace_records_async(call->thread))
        RECORD(call->thread, EVENT_DONE_FILE, operation->request, operation->object,
               (uint64_t)bytes);
}

void rule_file_read(const struct counted_mpi_call *call, const MPI_Status *status)
{
    const int64_t bytes = mpi_status_bytes(status);
    count_file(call, false, bytes);
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_FILE, call->about.object, (uint64_t)bytes, 0);
}

void rule_file_write(const struct counted_mpi_call *call, const MPI_Status *status)
{
    const int64_t bytes = mpi_status_bytes(status);
    count_file(call, true, bytes);
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_FILE, call->about.object, 0, (uint64_t)bytes);
}

void rule_file(const struct counted_mpi_call *call, MPI_File file, MPI_Comm comm,
               const char *path)
{
    if (__builtin_expect(!call->thread->trace, 1))
        return;
    const uint32_t number = mpi_file_opened(file, comm, path);
    if (trace_records_async(call->thread))
        RECORD(call->thread, EVENT_NEW_FILE, number);
}

/* A file has one such operation at a time, which is noted with the requests; no request has
 * this bit. */
static uint64_t key_in_two_calls(MPI_File file)
{
    return UINT64_C(1) << 63 | (uint64_t)(uintptr_t)file;
}

void rule_file_begin(const struct counted_mpi_call *call, MPI_File file, enum request_kind kind)
{
    struct request_operation operation = {.kind = kind};
    struct counted_mpi_call starting = *call;
    starting.about.object = mpi_file_number(file);
    starting.later = &operation;
    rule_trace_request(&starting, true);
    if (!requests_note(key_in_two_calls(file), &operation, REQUEST_ONCE))
        thread_note_async(call->thread, NOTE_REQUESTS_LOST);
}

void rule_file_end(const struct counted_mpi_call *call, MPI_File file, enum request_kind kind,
                   const MPI_Status *status)
{
    const uint64_t key = key_in_two_calls(file);
    struct request_operation operation = {.kind = REQUEST_NOTHING};
    struct request_entry entry;
    if (__builtin_expect(call->thread->trace != NULL, 0) && requests_find(key, &entry))
        operation = requests_complete(key, entry, false);
    if (operation.kind == REQUEST_NOTHING)
        operation = (struct request_operation){.kind = kind};
    rule_file_completed(call, &operation, mpi_status_bytes(status));
}
