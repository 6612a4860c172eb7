/* See mpi_roles.h. */
#include "waits/mpi_roles.h"

#include <string.h>

static bool begins_with(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

/* BEGINNINGS ends with NULL. */
static bool begins_with_any(const char *name, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (begins_with(name, *beginnings))
            return true;
    return false;
}

bool mpi_may_wait(const char *name)
{
    static const char *const not_waiting[] = {
        "MPI_Test",     "MPI_Win_test", "MPI_Request_get_status",
        "MPI_Parrived", "MPI_Pready",   "MPI_Start",
        "MPI_File_i",   "MPI_I",        NULL};
    /* Not short for "immediate". */
    static const char *const waiting[] = {"MPI_Init", "MPI_Info", "MPI_Intercomm", NULL};
    return begins_with_any(name, waiting) || !begins_with_any(name, not_waiting);
}

static bool begins_in_file(const char *name)
{
    const char *end = strstr(name, "_begin");
    return begins_with(name, "MPI_File_") && end && (!end[6] || strcmp(end + 6, "_c") == 0);
}

enum call_role mpi_role(const char *name)
{
    static const struct {
        const char *name;
        enum call_role role;
    } roles[] = {{"MPI_Bsend", ROLE_BUFFERED_SEND},    {"MPI_Ibsend", ROLE_BUFFERED_SEND},
                 {"MPI_Ssend", ROLE_SYNCHRONOUS_SEND}, {"MPI_Issend", ROLE_SYNCHRONOUS_SEND},
                 {"MPI_Mprobe", ROLE_MPROBE},          {"MPI_Mrecv", ROLE_MRECV},
                 {"MPI_Imrecv", ROLE_MRECV},           {"MPI_Win_post", ROLE_POST},
                 {"MPI_Win_start", ROLE_START},        {"MPI_Win_complete", ROLE_COMPLETE},
                 {"MPI_Win_wait", ROLE_WAIT},          {"MPI_Win_test", ROLE_WAIT},
                 {"MPI_Win_unlock", ROLE_UNLOCK},      {"MPI_Win_unlock_all", ROLE_UNLOCK}};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strcmp(name, roles[i].name) == 0)
            return roles[i].role;
    return begins_in_file(name) ? ROLE_FILE_BEGIN : ROLE_NONE;
}
