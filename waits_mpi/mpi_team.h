/* A team (replay/team.h) whose members are the ranks of MPI_COMM_WORLD. */
#ifndef TSPROF_MPI_TEAM_H
#define TSPROF_MPI_TEAM_H

#include "replay/crew/team.h"

/* Of this process, after MPI_Init: once. */
struct team mpi_team(void);

#endif
