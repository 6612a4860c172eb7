/*
 * Finds what `tsprof run` and `tsprof exec` need - programs, launchers and the runtime - and
 * starts it.  Paths are written into the caller's buffers of PATH_MAX bytes.  Only the command
 * uses this room; it knows nothing about summaries.
 */
#ifndef TSPROF_LAUNCH_H
#define TSPROF_LAUNCH_H

#include "base/base.h"
#include "launch/preload.h"
#include "launch/refusal.h"

#include <stdbool.h>
#include <stddef.h>

enum mpi_kind { MPI_UNKNOWN, MPI_MPICH, MPI_OPEN_MPI };

/* Finds the file that execvp would start for NAME. */
bool find_program(const char *name, char *path, size_t size);

/* The MPI library that the ELF program PATH is linked with, directly or through another
 * library. */
enum mpi_kind program_mpi(const char *path);

/* The MPI of the launcher that started this process, judging by the environment. */
enum mpi_kind launcher_mpi(void);

/* Finds the launcher for KIND: the one in TSPROF_MPIRUN, or the first of its usual names in
 * PATH. */
bool find_launcher(enum mpi_kind kind, char *path, size_t size, struct error *error);

/*
 * Finds the runtime to preload: the one in TSPROF_LIB, or the one for KIND (the default one if
 * KIND is MPI_UNKNOWN), in the build tree if COMMAND, the command's own absolute path, lies in
 * one, otherwise where it is installed.
 */
bool find_runtime(const char *command, enum mpi_kind kind, char *path, size_t size,
                  struct error *error);

/* The absolute path of the running command. */
bool own_path(char *path, size_t size, struct error *error);

/* Replaces this process by ARGV.  Returns only on failure: an exit_status, after a message. */
int launch(char **argv);

#endif
