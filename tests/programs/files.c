/*
 * files.c: a file written and read in every way that does not take a request, with the bytes
 * that each call moves stated beside it; among them reads that find less than they ask for.
 *
 * Where the program looks at the status, what it says is stated; where it does not, what must
 * have been moved by what lies in the file.
 */
#include "program.h"

#include <tsprof.h>

static const char name[] = "files.data";
static MPI_File file;
static int length; /* integers that each rank writes by one call */
static int *data;
static uint64_t sum = CHECKSUM_START;

static void count_io(const char *function, const char *call, int writes, long long bytes)
{
    counts_visit(function, call);
    counts_add(function, call, writes ? "io_writes" : "io_reads", 1);
    counts_add(function, call, writes ? "bytes_io_written" : "bytes_io_read", bytes);
}

#define COUNT_WRITE(call, bytes) count_io(__func__, #call, 1, bytes)
#define COUNT_READ(call, bytes)  count_io(__func__, #call, 0, bytes)

static MPI_Offset own_place(void)
{
    return (MPI_Offset)program_rank * length * 4;
}

static int whole_bytes(void)
{
    return program_ranks * length * 4;
}

/* Without this the next step could find what the last one left. */
PATH_FUNCTION static void start_file(void)
{
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    COUNT_VISIT(MPI_File_open);
    MPI_File_set_size(file, 0);
    COUNT_VISIT(MPI_File_set_size);
}

PATH_FUNCTION static void end_file(void)
{
    MPI_File_close(&file);
    COUNT_VISIT(MPI_File_close);
    MPI_Barrier(MPI_COMM_WORLD);
    COUNT_BARRIER(MPI_Barrier);
}

PATH_FUNCTION static void synchronize(void)
{
    MPI_File_sync(file);
    COUNT_VISIT(MPI_File_sync);
    MPI_Barrier(MPI_COMM_WORLD);
    COUNT_BARRIER(MPI_Barrier);
}

PATH_FUNCTION static void seek(MPI_Offset place)
{
    MPI_File_seek(file, place, MPI_SEEK_SET);
    COUNT_VISIT(MPI_File_seek);
}

PATH_FUNCTION static void rewind_shared(void)
{
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    COUNT_VISIT(MPI_File_seek_shared);
}

/* Every way leaves the same file: each rank's integers at its place. */
PATH_FUNCTION static void write_individually(void)
{
    MPI_Status status;
    seek(own_place());
    MPI_File_write(file, data, length, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write, length * 4);
    MPI_File_write_at(file, own_place(), data, length, MPI_INT, &status);
    COUNT_WRITE(MPI_File_write_at, received_bytes(&status));
    MPI_File_write_at(file, own_place(), data, 0, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write_at, 0);
#if MPI_VERSION >= 4
    MPI_File_write_at_c(file, own_place(), data, length, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write_at_c, length * 4);
#endif
}

PATH_FUNCTION static void write_together(void)
{
    seek(own_place());
    MPI_File_write_all(file, data, length, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write_all, length * 4);
    MPI_File_write_at_all(file, own_place(), data, length, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write_at_all, length * 4);
}

/* Counted once, where they end. */
PATH_FUNCTION static void write_in_two_steps(void)
{
    seek(own_place());
    MPI_File_write_all_begin(file, data, length, MPI_INT);
    COUNT_VISIT(MPI_File_write_all_begin);
    MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write_all_end, length * 4);
    MPI_File_write_at_all_begin(file, own_place(), data, length, MPI_INT);
    COUNT_VISIT(MPI_File_write_at_all_begin);
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write_at_all_end, length * 4);
}

PATH_FUNCTION static void write_in_turn(void)
{
    rewind_shared();
    MPI_File_write_ordered(file, data, length, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write_ordered, length * 4);
    rewind_shared();
    MPI_File_write_ordered_begin(file, data, length, MPI_INT);
    COUNT_VISIT(MPI_File_write_ordered_begin);
    MPI_File_write_ordered_end(file, data, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write_ordered_end, length * 4);
}

static void keep_result(const int *found, int bytes)
{
    sum = checksum_add(sum, found, (size_t)bytes);
}

/* The last rank's integers, and as many more as there are not. */
PATH_FUNCTION static void read_individually(int *found)
{
    const int last = program_ranks - 1, asked = 2 * length;
    const MPI_Offset place = (MPI_Offset)last * length * 4;
    MPI_Status status;
    seek(place);
    MPI_File_read(file, found, asked, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read, length * 4);
    keep_result(found, length * 4);
    MPI_File_read_at(file, place, found, asked, MPI_INT, &status);
    COUNT_READ(MPI_File_read_at, received_bytes(&status));
    MPI_File_read_at(file, whole_bytes() - 6, found, asked, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read_at, 6);
    MPI_File_read_at(file, whole_bytes(), found, asked, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read_at, 0);
#if MPI_VERSION >= 4
    MPI_File_read_at_c(file, place, found, asked, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read_at_c, length * 4);
#endif
}

/* Every other integer of `found`: sizes count, not extents. */
PATH_FUNCTION static void read_scattered(int *found, MPI_Datatype every_other)
{
    MPI_File_read_at(file, own_place(), found, 1, every_other, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read_at, length / 2 * 4);
    keep_result(found, length / 2 * 4);
}

PATH_FUNCTION static void read_together(int *found)
{
    MPI_Status status;
    seek(own_place());
    MPI_File_read_all(file, found, length, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read_all, length * 4);
    keep_result(found, length * 4);
    MPI_File_read_at_all(file, own_place(), found, 2 * length, MPI_INT, &status);
    COUNT_READ(MPI_File_read_at_all, received_bytes(&status));
}

PATH_FUNCTION static void read_in_two_steps(int *found)
{
    MPI_Status status;
    seek(own_place());
    MPI_File_read_all_begin(file, found, length, MPI_INT);
    COUNT_VISIT(MPI_File_read_all_begin);
    MPI_File_read_all_end(file, found, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read_all_end, length * 4);
    MPI_File_read_at_all_begin(file, own_place(), found, 2 * length, MPI_INT);
    COUNT_VISIT(MPI_File_read_at_all_begin);
    MPI_File_read_at_all_end(file, found, &status);
    COUNT_READ(MPI_File_read_at_all_end, received_bytes(&status));
    keep_result(found, length * 4);
}

PATH_FUNCTION static void read_in_turn(int *found)
{
    rewind_shared();
    MPI_File_read_ordered(file, found, length, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read_ordered, length * 4);
    keep_result(found, length * 4);
    rewind_shared();
    MPI_File_read_ordered_begin(file, found, length, MPI_INT);
    COUNT_VISIT(MPI_File_read_ordered_begin);
    MPI_File_read_ordered_end(file, found, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read_ordered_end, length * 4);
    rewind_shared();
    MPI_File_read_shared(file, found, length, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_READ(MPI_File_read_shared, length * 4);
}

/* Whoever comes first writes first, so nothing of it is looked at. */
PATH_FUNCTION static void write_as_they_come(void)
{
    rewind_shared();
    MPI_File_write_shared(file, data, length, MPI_INT, MPI_STATUS_IGNORE);
    COUNT_WRITE(MPI_File_write_shared, length * 4);
}

PATH_FUNCTION static MPI_Datatype make_type(void)
{
    MPI_Datatype type;
    MPI_Type_vector(length / 2, 1, 2, MPI_INT, &type);
    COUNT_VISIT(MPI_Type_vector);
    MPI_Type_commit(&type);
    COUNT_VISIT(MPI_Type_commit);
    return type;
}

PATH_FUNCTION static void free_type(MPI_Datatype *type)
{
    MPI_Type_free(type);
    COUNT_VISIT(MPI_Type_free);
}

PATH_FUNCTION static void remove_file(void)
{
    if (program_rank)
        return;
    MPI_File_delete(name, MPI_INFO_NULL);
    COUNT_VISIT(MPI_File_delete);
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {5, 100, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    int *found;
    uint64_t random = (uint64_t)options.seed;

    program_start(&argc, &argv);
    data = (int *)calloc(5 * (size_t)(options.size + 2), sizeof(int));
    found = data + options.size + 2;
    for (int i = 0; i < options.size + 2; i++)
        data[i] = 1000 * program_rank + i;

    for (int i = 0; i < options.iterations; i++) {
        length = 2 + (int)(random_next(&random) % (uint64_t)options.size);
        TSPROF_ITERATION_BEGIN("step");
        counts_iteration(i);
        MPI_Datatype every_other = make_type();
        start_file();
        write_individually();
        write_together();
        write_in_two_steps();
        write_in_turn();
        synchronize();
        read_individually(found);
        read_scattered(found, every_other);
        read_together(found);
        read_in_two_steps(found);
        read_in_turn(found);
        synchronize();
        write_as_they_come();
        end_file();
        free_type(&every_other);
        TSPROF_ITERATION_END("step");
    }
    counts_iteration(-1);

    remove_file();
    program_end("files", sum, &options);
    free(data);
    return 0;
}
