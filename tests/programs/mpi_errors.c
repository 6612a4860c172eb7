/*
 * mpi_errors.c: makes every kind of error that MPI reports, and prints its code, class and
 * text.
 *
 *     mpi_errors [--counts FILE] [--directory DIRECTORY]
 *
 * Nothing that fails counts anything but its visit, and FILE.<rank> says so for each of the
 * functions provoke_..., together with what operations completed beside those that failed.
 * Addresses in texts are left out; all else is the same in every run.  For two ranks.
 */
#include "program.h"

#include <ctype.h>
#include <unistd.h>

#define TAG 5

static int buffer[64], number, flag, numbers[8];
static int rank, other;
static MPI_Comm world, line;
static MPI_Status status, statuses[3];
static MPI_Request requests[3], request;
static MPI_Datatype type, uncommitted;
static MPI_Group group, all;
static MPI_Win win;
static MPI_File file, readable;
static MPI_Info info;
static MPI_Op op;
static MPI_Comm comm;
static MPI_Errhandler errhandler;
static int own_class, own_code, own_key, handled;
static char text[MPI_MAX_ERROR_STRING], port[MPI_MAX_PORT_NAME], missing[4096], path[4096];
static void *value;

/* The output, which rank 0 prints for all. */
static FILE *found;
static char *found_text;
static size_t found_bytes;
static const int too_many[1] = {99}, twice[2] = {0, 0}, negative[1] = {-1};

/* name, function, (arguments): each becomes provoke_name, which calls just this */
#define PROVOCATIONS(X)                                                                        \
    X(send_comm, MPI_Send, (buffer, 1, MPI_INT, other, TAG, MPI_COMM_NULL))                    \
    X(send_rank, MPI_Send, (buffer, 1, MPI_INT, 99, TAG, world))                               \
    X(send_negative_rank, MPI_Send, (buffer, 1, MPI_INT, -77, TAG, world))                     \
    X(send_tag, MPI_Send, (buffer, 1, MPI_INT, other, -5, world))                              \
    X(send_count, MPI_Send, (buffer, -1, MPI_INT, other, TAG, world))                          \
    X(send_type, MPI_Send, (buffer, 1, MPI_DATATYPE_NULL, other, TAG, world))                  \
    X(send_uncommitted, MPI_Send, (buffer, 1, uncommitted, other, TAG, world))                 \
    X(send_buffer, MPI_Send, (NULL, 1, MPI_INT, other, TAG, world))                            \
    X(ssend_rank, MPI_Ssend, (buffer, 1, MPI_INT, 99, TAG, world))                             \
    X(bsend_space, MPI_Bsend, (buffer, 64, MPI_INT, other, TAG, world))                        \
    X(isend_rank, MPI_Isend, (buffer, 1, MPI_INT, 99, TAG, world, &request))                   \
    X(isend_type, MPI_Isend, (buffer, 1, MPI_DATATYPE_NULL, other, TAG, world, &request))      \
    X(send_init_tag, MPI_Send_init, (buffer, 1, MPI_INT, other, -5, world, &request))          \
    X(recv_rank, MPI_Recv, (buffer, 1, MPI_INT, 99, TAG, world, &status))                      \
    X(recv_tag, MPI_Recv, (buffer, 1, MPI_INT, other, -5, world, MPI_STATUS_IGNORE))           \
    X(recv_count, MPI_Recv, (buffer, -1, MPI_INT, other, TAG, world, MPI_STATUS_IGNORE))       \
    X(irecv_comm, MPI_Irecv, (buffer, 1, MPI_INT, other, TAG, MPI_COMM_NULL, &request))        \
    X(sendrecv_rank, MPI_Sendrecv,                                                             \
      (buffer, 1, MPI_INT, 99, TAG, buffer + 8, 1, MPI_INT, other, TAG, world, &status))       \
    X(probe_rank, MPI_Probe, (99, TAG, world, &status))                                        \
    X(iprobe_tag, MPI_Iprobe, (other, -5, world, &flag, &status))                              \
    X(start_null, MPI_Start, (&request))                                                       \
    X(free_null, MPI_Request_free, (&request))                                                 \
    X(cancel_null, MPI_Cancel, (&request))                                                     \
    X(wait_count, MPI_Waitall, (-1, requests, statuses))                                       \
    X(barrier_comm, MPI_Barrier, (MPI_COMM_NULL))                                              \
    X(bcast_root, MPI_Bcast, (buffer, 1, MPI_INT, 99, world))                                  \
    X(bcast_type, MPI_Bcast, (buffer, 1, MPI_DATATYPE_NULL, 0, world))                         \
    X(bcast_count, MPI_Bcast, (buffer, -1, MPI_INT, 0, world))                                 \
    X(reduce_op, MPI_Reduce, (buffer, numbers, 1, MPI_INT, MPI_OP_NULL, 0, world))             \
    X(allreduce_op, MPI_Allreduce, (buffer, numbers, 1, MPI_INT, MPI_OP_NULL, world))          \
    X(allreduce_alias, MPI_Allreduce, (buffer, buffer, 1, MPI_INT, MPI_SUM, world))            \
    X(allreduce_op_type, MPI_Allreduce, (buffer, numbers, 1, MPI_DOUBLE, MPI_BAND, world))     \
    X(gather_comm, MPI_Gather, (buffer, 1, MPI_INT, numbers, 1, MPI_INT, 0, MPI_COMM_NULL))    \
    X(alltoall_count, MPI_Alltoall, (buffer, -1, MPI_INT, numbers, 1, MPI_INT, world))         \
    X(scan_type, MPI_Scan, (buffer, numbers, 1, MPI_DATATYPE_NULL, MPI_SUM, world))            \
    X(ibcast_root, MPI_Ibcast, (buffer, 1, MPI_INT, -3, world, &request))                      \
    X(iallreduce_op, MPI_Iallreduce,                                                           \
      (buffer, numbers, 1, MPI_INT, MPI_OP_NULL, world, &request))                             \
    X(neighbor_topology, MPI_Neighbor_allgather,                                               \
      (buffer, 1, MPI_INT, numbers, 1, MPI_INT, world))                                        \
    X(comm_rank, MPI_Comm_rank, (MPI_COMM_NULL, &number))                                      \
    X(comm_free_world, MPI_Comm_free, (&world))                                                \
    X(comm_create, MPI_Comm_create, (world, MPI_GROUP_NULL, &comm))                            \
    X(keyval, MPI_Comm_set_attr, (world, MPI_KEYVAL_INVALID, NULL))                            \
    X(get_attr, MPI_Comm_get_attr, (world, 12345, &value, &flag))                              \
    X(group_incl, MPI_Group_incl, (all, 1, too_many, &group))                                  \
    X(group_null, MPI_Group_size, (MPI_GROUP_NULL, &number))                                   \
    X(cart_size, MPI_Cart_create, (world, 1, too_many, numbers, 0, &comm))                     \
    X(cart_rank, MPI_Cart_rank, (line, too_many, &number))                                     \
    X(cart_negative, MPI_Dims_create, (-4, 1, numbers))                                        \
    X(cart_topology, MPI_Cart_coords, (world, 0, 1, numbers))                                  \
    X(graph_topology, MPI_Graphdims_get, (line, &numbers[0], &numbers[1]))                     \
    X(type_count, MPI_Type_contiguous, (-1, MPI_INT, &type))                                   \
    X(type_null, MPI_Type_commit, (&type))                                                     \
    X(type_size, MPI_Type_size, (MPI_DATATYPE_NULL, &number))                                  \
    X(type_lengths, MPI_Type_indexed, (1, negative, twice, MPI_INT, &type))                    \
    X(type_match, MPI_Type_match_size, (MPI_TYPECLASS_INTEGER, 3, &type))                      \
    X(op_null, MPI_Op_free, (&op))                                                             \
    X(info_null, MPI_Info_set, (MPI_INFO_NULL, "key", "value"))                                \
    X(info_key, MPI_Info_set, (info, "", "value"))                                             \
    X(info_missing, MPI_Info_delete, (info, "no such key"))                                    \
    X(info_nth, MPI_Info_get_nthkey, (info, 7, text))                                          \
    X(errhandler_null, MPI_Comm_set_errhandler, (world, MPI_ERRHANDLER_NULL))                  \
    X(win_null, MPI_Win_fence, (0, MPI_WIN_NULL))                                              \
    X(win_unit, MPI_Win_create, (buffer, 64, -1, MPI_INFO_NULL, world, &win))                  \
    X(put_outside, MPI_Put, (buffer, 1, MPI_INT, other, 0, 1, MPI_INT, win))                   \
    X(get_outside, MPI_Get, (buffer, 1, MPI_INT, other, 0, 1, MPI_INT, win))                   \
    X(unlock_unlocked, MPI_Win_unlock, (other, win))                                           \
    X(complete_unstarted, MPI_Win_complete, (win))                                             \
    X(wait_unposted, MPI_Win_wait, (win))                                                      \
    X(file_missing, MPI_File_open,                                                             \
      (MPI_COMM_SELF, missing, MPI_MODE_RDONLY, MPI_INFO_NULL, &file))                         \
    X(file_mode, MPI_File_open,                                                                \
      (MPI_COMM_SELF, path, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_INFO_NULL, &file))            \
    X(file_delete, MPI_File_delete, (missing, MPI_INFO_NULL))                                  \
    X(file_null, MPI_File_read, (MPI_FILE_NULL, buffer, 1, MPI_INT, &status))                  \
    X(file_count, MPI_File_read, (readable, buffer, -1, MPI_INT, &status))                     \
    X(file_type, MPI_File_read, (readable, buffer, 1, MPI_DATATYPE_NULL, &status))             \
    X(file_offset, MPI_File_read_at, (readable, -1, buffer, 1, MPI_INT, MPI_STATUS_IGNORE))    \
    X(file_write, MPI_File_write, (readable, buffer, 1, MPI_INT, &status))                     \
    X(file_write_shared, MPI_File_write_shared, (readable, buffer, 1, MPI_INT, &status))       \
    X(file_iwrite, MPI_File_iwrite_at, (readable, 0, buffer, 1, MPI_INT, &request))            \
    X(file_seek, MPI_File_seek, (readable, -4, MPI_SEEK_SET))                                  \
    X(file_view, MPI_File_set_view,                                                            \
      (readable, 0, MPI_INT, MPI_INT, "no such format", MPI_INFO_NULL))                        \
    X(lookup, MPI_Lookup_name, ("no such service", MPI_INFO_NULL, port))                       \
    X(unpublish, MPI_Unpublish_name, ("no such service", MPI_INFO_NULL, "no such port"))

#define PROVOCATION(name, function, arguments)                                                 \
    PATH_FUNCTION static int provoke_##name(void)                                              \
    {                                                                                          \
        int code = function arguments;                                                         \
        COUNT_VISIT(function);                                                                 \
        return code;                                                                           \
    }
PROVOCATIONS(PROVOCATION)

/*
 * MPICH keeps the texts of the last errors in a ring: the upper bits of a code are a hash of
 * its text, and so of addresses; the lower ones, with the place in the ring, are the same in
 * every run.
 */
#define CODE_BITS 0x3ffffff

/* Prints a code without the addresses in its text, which differ from run to run. */
static void print_error(const char *name, int code)
{
    int class = -1, length = 0;
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    fprintf(found, "%d: %s: code %d, class %d: ", rank, name, code & CODE_BITS, class);
    for (const char *c = text; *c; c++) {
        if (c[0] == '0' && c[1] == 'x') {
            fputs("ADDRESS", found);
            for (c++; isxdigit((unsigned char)c[1]); c++)
                ;
        } else {
            putc(*c == '\n' ? '|' : *c, found);
        }
    }
    putc('\n', found);
}

/*
 * Messages of 1, 9 and 2 integers, for receives of 4 each: the second is truncated, and the
 * others are not.
 */
PATH_FUNCTION static void send_three(void)
{
    MPI_Send(buffer, 1, MPI_INT, other, TAG, world);
    MPI_Send(buffer, 9, MPI_INT, other, TAG + 1, world);
    MPI_Send(buffer, 2, MPI_INT, other, TAG + 2, world);
    __asm__ volatile("");
}

PATH_FUNCTION static void post_three(void)
{
    MPI_Barrier(world);
    for (int i = 0; i < 3; i++)
        MPI_Irecv(numbers, 4, MPI_INT, other, TAG + i, world, &requests[i]);
    send_three();
    MPI_Barrier(world);
    /* Not a tail call: this frame is part of the call path. */
    __asm__ volatile("");
}

/*
 * What came of the three: with an error some may be pending yet, which is a matter of time.
 * STATUSES is NULL if they were ignored.
 */
PATH_FUNCTION static void finish_three(const char *function, const char *call,
                                       const MPI_Status *said)
{
    for (int i = 0; i < 3; i++) {
        int code = said ? said[i].MPI_ERROR : MPI_SUCCESS;
        if (requests[i] != MPI_REQUEST_NULL)
            code = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        else if (code == MPI_SUCCESS && i != 1)
            counts_received(function, call, other, i ? 8 : 4);
        if (said)
            print_error(call, code);
    }
}

PATH_FUNCTION static void provoke_truncated_recv(void)
{
    MPI_Barrier(world);
    COUNT_BARRIER(MPI_Barrier);
    MPI_Request sent;
    MPI_Isend(buffer, 9, MPI_INT, other, TAG, world, &sent);
    COUNT_SEND(MPI_Isend, other, 36);
    int code = MPI_Recv(numbers, 4, MPI_INT, other, TAG, world, &status);
    COUNT_VISIT(MPI_Recv);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    COUNT_VISIT(MPI_Wait);
    print_error("truncated recv", code);
}

PATH_FUNCTION static void provoke_truncated_sendrecv(void)
{
    int code = MPI_Sendrecv(buffer, 9, MPI_INT, other, TAG, numbers, 4, MPI_INT, other, TAG,
                            world, MPI_STATUS_IGNORE);
    COUNT_VISIT(MPI_Sendrecv);
    print_error("truncated sendrecv", code);
}

PATH_FUNCTION static void provoke_truncated_wait(void)
{
    post_three();
    for (int i = 0; i < 3; i++) {
        int code = MPI_Wait(&requests[i], &status);
        COUNT_VISIT(MPI_Wait);
        if (code == MPI_SUCCESS)
            counts_received(__func__, "MPI_Wait", other, i ? 8 : 4);
        print_error("truncated wait", code);
    }
}

PATH_FUNCTION static void provoke_truncated_waitall(void)
{
    post_three();
    int code = MPI_Waitall(3, requests, statuses);
    COUNT_VISIT(MPI_Waitall);
    print_error("truncated waitall", code);
    finish_three(__func__, "MPI_Waitall", statuses);
}

PATH_FUNCTION static void provoke_truncated_waitall_ignored(void)
{
    post_three();
    int code = MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    COUNT_VISIT(MPI_Waitall);
    print_error("truncated waitall, statuses ignored", code);
    finish_three(__func__, "MPI_Waitall", NULL);
}

PATH_FUNCTION static void provoke_truncated_testall(void)
{
    int code;
    post_three();
    do {
        code = MPI_Testall(3, requests, &flag, statuses);
        COUNT_VISIT(MPI_Testall);
    } while (code == MPI_SUCCESS && !flag);
    print_error("truncated testall", code);
    finish_three(__func__, "MPI_Testall", statuses);
}

/* Which of them complete together differs from run to run: their errors are sorted by tag. */
PATH_FUNCTION static void provoke_truncated_waitsome(void)
{
    int left = 3, codes[3] = {-1, -1, -1}, in_status = 0;
    post_three();
    while (left > 0) {
        int count = 0, indices[3];
        int code = MPI_Waitsome(3, requests, &count, indices, statuses);
        COUNT_VISIT(MPI_Waitsome);
        in_status += code != MPI_SUCCESS;
        for (int i = 0; i < count; i++) {
            codes[indices[i]] = code == MPI_SUCCESS ? MPI_SUCCESS : statuses[i].MPI_ERROR;
            if (codes[indices[i]] == MPI_SUCCESS)
                counts_received(__func__, "MPI_Waitsome", other, indices[i] ? 8 : 4);
        }
        if (count <= 0)
            break;
        left -= count;
    }
    fprintf(found, "%d: waitsome: %d left, errors in %d\n", rank, left, in_status);
    for (int i = 0; i < 3; i++)
        print_error("waitsome's status", codes[i]);
}

PATH_FUNCTION static void provoke_truncated_mrecv(void)
{
    MPI_Message message;
    MPI_Isend(buffer, 9, MPI_INT, other, TAG, world, &request);
    COUNT_SEND(MPI_Isend, other, 36);
    MPI_Mprobe(other, TAG, world, &message, &status);
    COUNT_VISIT(MPI_Mprobe);
    int code = MPI_Mrecv(numbers, 4, MPI_INT, &message, &status);
    COUNT_VISIT(MPI_Mrecv);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    COUNT_VISIT(MPI_Wait);
    print_error("truncated mrecv", code);
}

/* The program's own classes, codes, texts and handlers */
static void handle(MPI_Comm *where, int *code, ...)
{
    (void)where;
    handled++;
    print_error("handled", *code);
    if (*code == own_code)
        *code = MPI_ERR_OTHER;
}

PATH_FUNCTION static void provoke_own_errors(void)
{
    MPI_Add_error_class(&own_class);
    COUNT_VISIT(MPI_Add_error_class);
    MPI_Add_error_code(own_class, &own_code);
    COUNT_VISIT(MPI_Add_error_code);
    MPI_Add_error_string(own_class, "a class of our own");
    COUNT_VISIT(MPI_Add_error_string);
    MPI_Add_error_string(own_code, "a code of our own");
    COUNT_VISIT(MPI_Add_error_string);
    MPI_Comm_create_errhandler(handle, &errhandler);
    COUNT_VISIT(MPI_Comm_create_errhandler);
    MPI_Comm_set_errhandler(line, errhandler);
    COUNT_VISIT(MPI_Comm_set_errhandler);
    int code = MPI_Comm_call_errhandler(line, own_code);
    COUNT_VISIT(MPI_Comm_call_errhandler);
    print_error("call_errhandler", code);
    code = MPI_Send(buffer, 1, MPI_INT, 99, TAG, line);
    COUNT_VISIT(MPI_Send);
    print_error("send to a rank that is not there", code);
    code = MPI_Allreduce(buffer, numbers, 1, MPI_INT, MPI_OP_NULL, line);
    COUNT_VISIT(MPI_Allreduce);
    print_error("allreduce without operation", code);
    fprintf(found, "%d: handled %d\n", rank, handled);
    MPI_Errhandler_free(&errhandler);
    COUNT_VISIT(MPI_Errhandler_free);
}

static int refuse_copy(MPI_Comm from, int key, void *state, void *in, void *out, int *copies)
{
    (void)from, (void)key, (void)state, (void)in, (void)out;
    *copies = 0;
    return own_code;
}

PATH_FUNCTION static void provoke_copy(void)
{
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &own_key, NULL);
    COUNT_VISIT(MPI_Comm_create_keyval);
    MPI_Comm_set_attr(world, own_key, buffer);
    COUNT_VISIT(MPI_Comm_set_attr);
    int code = MPI_Comm_dup(world, &comm);
    COUNT_VISIT(MPI_Comm_dup);
    print_error("dup", code);
    MPI_Comm_delete_attr(world, own_key);
    COUNT_VISIT(MPI_Comm_delete_attr);
    MPI_Comm_free_keyval(&own_key);
    COUNT_VISIT(MPI_Comm_free_keyval);
}

static int fail_query(void *state, MPI_Status *which)
{
    (void)state;
    MPI_Status_set_elements(which, MPI_INT, 3);
    MPI_Status_set_cancelled(which, 0);
    return own_code;
}

static int free_nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel_nothing(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

PATH_FUNCTION static void provoke_generalized(void)
{
    MPI_Grequest_start(fail_query, free_nothing, cancel_nothing, NULL, &request);
    COUNT_VISIT(MPI_Grequest_start);
    MPI_Grequest_complete(request);
    COUNT_VISIT(MPI_Grequest_complete);
    int code = MPI_Wait(&request, &status);
    COUNT_VISIT(MPI_Wait);
    print_error("generalized request", code);
}

/* What one library refuses and another one does counts there, and what was sent is received. */
static void passed_allreduce_alias(void)
{
    counts_add("provoke_allreduce_alias", "MPI_Allreduce", "comms_coll", 1);
    counts_add("provoke_allreduce_alias", "MPI_Allreduce", "bytes_coll_out", 2 * 4);
    counts_add("provoke_allreduce_alias", "MPI_Allreduce", "bytes_coll_in", 2 * 4);
}

static void passed_bsend_space(void)
{
    counts_sent("provoke_bsend_space", "MPI_Bsend", other, 64 * 4);
    MPI_Recv(buffer, 64, MPI_INT, other, TAG, world, MPI_STATUS_IGNORE);
}

static const struct passed {
    const char *name;
    void (*moved)(void);
} passed[] = {
    {"allreduce_alias", passed_allreduce_alias},
    {"bsend_space", passed_bsend_space},
};

/* An error of one kind after the other, each told as soon as it is made. */
static const struct provocation {
    const char *name;
    int (*provoke)(void);
} provocations[] = {
#define ENTRY(name, function, arguments) {#name, provoke_##name},
    PROVOCATIONS(ENTRY)};

static void (*const more[])(void) = {
    provoke_truncated_recv,     provoke_truncated_sendrecv,
    provoke_truncated_wait,     provoke_truncated_waitall,
    provoke_truncated_testall,  provoke_truncated_waitall_ignored,
    provoke_truncated_waitsome, provoke_truncated_mrecv,
    provoke_own_errors,         provoke_copy,
    provoke_generalized,
};

static void set_up(const char *directory)
{
    const int dimensions[1] = {2}, periods[1] = {0};
    world = MPI_COMM_WORLD;
    found = open_memstream(&found_text, &found_bytes);
    rank = program_rank;
    other = 1 - rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Cart_create(world, 1, dimensions, periods, 0, &line);
    MPI_Comm_group(world, &all);
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    MPI_Win_create(buffer, sizeof buffer, 4, MPI_INFO_NULL, world, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Info_create(&info);
    snprintf(missing, sizeof missing, "%.4000s/none/such", directory);
    snprintf(path, sizeof path, "%.4000s/mpi_errors.%d", directory, rank);
    FILE *plain = fopen(path, "w");
    fputs("sixteen letters.", plain);
    fclose(plain);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &readable);
    type = MPI_DATATYPE_NULL;
    op = MPI_OP_NULL;
}

static void release(void)
{
    MPI_File_close(&readable);
    unlink(path);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Type_free(&uncommitted);
    MPI_Group_free(&all);
    MPI_Comm_free(&line);
}

static void print_found(void)
{
    int bytes, all[2] = {0}, where[2] = {0};
    fclose(found);
    bytes = (int)found_bytes;
    MPI_Gather(&bytes, 1, MPI_INT, all, 1, MPI_INT, 0, world);
    where[1] = all[0];
    char *everything = (char *)malloc((size_t)(all[0] + all[1] + 1));
    MPI_Gatherv(found_text, bytes, MPI_CHAR, everything, all, where, MPI_CHAR, 0, world);
    if (rank == 0)
        fwrite(everything, 1, (size_t)(all[0] + all[1]), stdout);
    fflush(stdout);
    free(everything);
    free(found_text);
}

int main(int argc, char **argv)
{
    const char *counts = NULL, *directory = ".";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--counts"))
            counts = argv[i + 1];
        else if (!strcmp(argv[i], "--directory"))
            directory = argv[i + 1];
    }
    program_start(&argc, &argv);
    if (program_ranks != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    set_up(directory);
    for (size_t i = 0; i < sizeof provocations / sizeof *provocations; i++) {
        request = MPI_REQUEST_NULL;
        number = 0;
        int code = provocations[i].provoke();
        for (size_t p = 0; code == MPI_SUCCESS && p < sizeof passed / sizeof *passed; p++)
            if (!strcmp(passed[p].name, provocations[i].name))
                passed[p].moved();
        print_error(provocations[i].name, code);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        more[i]();
    release();
    print_found();
    counts_write(counts, rank);
    MPI_Finalize();
    return 0;
}
