/* What the program's MPI library says of this process and of itself.  Program context. */
#ifndef TSPROF_WORLD_H
#define TSPROF_WORLD_H

#include <stdbool.h>

struct world {
    bool known;      /* MPI may be asked: it is initialised and not finalised */
    int rank, size;  /* in MPI_COMM_WORLD; 0 and 1 where that is not known */
    bool concurrent; /* threads may call MPI at the same time, as far as is known */
    bool spawned;    /* by MPI_Comm_spawn */
};

struct world world_look_up(void);

/* Waits for all processes of MPI_COMM_WORLD. */
void world_wait(void);

/*
 * What the library calls itself, in one line without tabs: "" as long as nobody has asked.
 * world_ask_version asks, while MPI may be asked.
 */
const char *world_version(void);
void world_ask_version(void);

#endif
