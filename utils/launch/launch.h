/*
 * Finding what `tsprof run` and `tsprof exec` start: programs, launchers, the runtime.
 * Paths are written into the caller's buffers of PATH_MAX bytes.
 */
#ifndef TSPROF_LAUNCH_H
#define TSPROF_LAUNCH_H

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>

enum mpi_kind { MPI_UNKNOWN, MPI_MPICH, MPI_OPEN_MPI };

/* The file that execvp would start for NAME. */
bool find_program(const char *name, char *path, size_t size);

/* The MPI library that the ELF program PATH, or a library of its, needs; never fails. */
enum mpi_kind program_mpi(const char *path);

/* The MPI of the launcher that started this process, as far as its environment tells. */
enum mpi_kind launcher_mpi(void);

/* The launcher for KIND: TSPROF_MPIRUN, or the first that PATH has. */
bool find_launcher(enum mpi_kind kind, char *path, size_t size, struct error *error);

/*
 * The runtime to preload: TSPROF_LIB, or the one for KIND (the default's, if that is unknown)
 * of the build tree that COMMAND (the command's own absolute path) lies in, or installed.
 */
bool find_runtime(const char *command, enum mpi_kind kind, char *path, size_t size,
                  struct error *error);

/* The absolute path of the running command. */
bool own_path(char *path, size_t size, struct error *error);

/* Replaces this process by ARGV; returns only on failure: the exit status, after a message. */
int launch(char **argv);

#endif
