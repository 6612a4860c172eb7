/* A team (replay/team.h) whose members are the ranks of MPI_COMM_WORLD. */
#ifndef TSPROF_MPI_TEAM_H
#define TSPROF_MPI_TEAM_H

#include "replay/crew/team.h"

/* Of this process, after MPI_Init.  Where memory runs out the job is ended. */
struct team mpi_team(void);

#endif
