/* What the program's MPI library says about this process and about itself.  Program context. */
#ifndef TSPROF_WORLD_H
#define TSPROF_WORLD_H

#include <stdbool.h>

struct world {
    bool known;      /* MPI is initialised and not finalised, so the rest is known */
    int rank, size;  /* in MPI_COMM_WORLD; 0 and 1 if not known */
    bool concurrent; /* threads may call MPI at the same time; true if not known */
    bool spawned;    /* this process was started by MPI_Comm_spawn */
};

/* Asks MPI, or returns the defaults if MPI may not be asked. */
struct world world_look_up(void);

/* Waits for all processes of MPI_COMM_WORLD. */
void world_wait(void);

/*
 * The first line of the library's version text, without tabs; "" until world_ask_version has
 * been called, which has to be while MPI may be called.
 */
const char *world_version(void);
void world_ask_version(void);

#endif
