/*
 * The MPI functions as numbers and data, from mpi_calls.def.  Pure tables: any context.
 */
#ifndef TSPROF_MPI_CALLS_H
#define TSPROF_MPI_CALLS_H

#include "common/metrics.h"
#include "tree/tree.h"

#include <stdbool.h>
#include <stdint.h>

/* A number for every function, whether or not the MPI that this is compiled for has it. */
enum mpi_call {
#define MPI_CALLS_EVERY
#define MPI_CALL(type, name, group, time, params, args, rule)         CALL_##name,
#define MPI_CALL_PREINIT(type, name, group, time, params, args, rule) CALL_##name,
#define MPI_CALL_STATUS(type, name, group, time, params, args, rule)  CALL_##name,
#define MPI_CALL_BY_HAND(type, name, group, time, params, args)       CALL_##name,
#include "calls/mpi_calls.def"
#undef MPI_CALL
#undef MPI_CALL_PREINIT
#undef MPI_CALL_STATUS
#undef MPI_CALL_BY_HAND
#undef MPI_CALLS_EVERY
    CALL_COUNT
};

/* No pointers: the loader would have to relocate them in every process of a job. */
struct mpi_call_info {
    uint16_t name;  /* offset of the name: see mpi_call_name_async */
    uint16_t group; /* offset of the group: see mpi_call_group_async */
    uint8_t time;   /* enum metric: what its time counts as */
    uint8_t layout; /* enum layout: the metrics of its nodes */
    bool absent;    /* set when measurement starts: mpi.h does not declare it */
    bool unwound;   /* the stack is unwound at its calls; set when measurement starts, from
                       TSPROF_UNWIND */
};

extern struct mpi_call_info mpi_call_table[CALL_COUNT];

/* The name, for instance "MPI_Send", and the group, for instance "P2P". */
const char *mpi_call_name_async(enum mpi_call call);
const char *mpi_call_group_async(enum mpi_call call);

/* The function called NAME, of LENGTH characters; -1 if there is none. */
int mpi_call_named(const char *name, size_t length);

/* Fills in what the settings decide.  Call once, after config_start. */
void mpi_calls_start(void);

#endif
