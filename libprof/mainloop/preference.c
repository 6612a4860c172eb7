/* See preference.h. */
#include "mainloop/preference.h"

#include <string.h>

enum {
    PREFERENCE_NONE,
    PREFERENCE_LOCAL,
    PREFERENCE_TRANSFER,
    PREFERENCE_COMPLETION,
    PREFERENCE_COLLECTIVE
};

/* Whether a program makes CALL again and again while it waits. */
static bool is_poll(enum mpi_call call)
{
    switch (call) {
    case CALL_MPI_Iprobe:
    case CALL_MPI_Improbe:
    case CALL_MPI_Test:
    case CALL_MPI_Testall:
    case CALL_MPI_Testany:
    case CALL_MPI_Testsome:
    case CALL_MPI_Request_get_status:
        return true;
    default:
        return false;
    }
}

static uint8_t preference_of(enum mpi_call call)
{
    const char *group = mpi_call_group_async(call);
    if (is_poll(call))
        return PREFERENCE_NONE;
    if (strcmp(group, "COLL") == 0)
        return PREFERENCE_COLLECTIVE;
    if (call == CALL_MPI_Waitall)
        return PREFERENCE_COMPLETION;
    return strcmp(group, "P2P") == 0 || strcmp(group, "RMA") == 0 ? PREFERENCE_TRANSFER
                                                                  : PREFERENCE_LOCAL;
}

uint8_t search_preferences[CALL_COUNT];

void preference_start(void)
{
    for (int call = 0; call < CALL_COUNT; call++)
        search_preferences[call] = preference_of((enum mpi_call)call);
}
