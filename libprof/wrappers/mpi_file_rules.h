/*
 * The rules of MPI-IO: what was read and written, and the events of files (mpi_rules.h).
 * Program context.
 */
#ifndef TSPROF_MPI_FILE_RULES_H
#define TSPROF_MPI_FILE_RULES_H

#include "wrappers/mpi_rules.h"

/* A call with `later` that starts to read or write a file, as KIND says. */
static inline void rule_file_later(const struct counted_mpi_call *call, enum request_kind kind)
{
    call->later->kind = kind;
}

/* The processes of COMM have opened FILE, called PATH. */
void rule_file(const struct counted_mpi_call *call, MPI_File file, MPI_Comm comm,
               const char *path);
/* A file has been read or written; STATUS says how many bytes. */
void rule_file_read(const struct counted_mpi_call *call, const MPI_Status *status);
void rule_file_write(const struct counted_mpi_call *call, const MPI_Status *status);
/* OPERATION, which a request stood for, has moved so many BYTES. */
void rule_file_completed(const struct counted_mpi_call *call,
                         const struct request_operation *operation, int64_t bytes);
/*
 * An operation on FILE, of KIND, that two calls make: one starts it, and another ends it with
 * that status.  The first is for the trace alone, and only called where events are kept.
 */
void rule_file_begin(const struct counted_mpi_call *call, MPI_File file,
                     enum request_kind kind);
void rule_file_end(const struct counted_mpi_call *call, MPI_File file, enum request_kind kind,
                   const MPI_Status *status);

#endif
