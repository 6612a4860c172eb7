/* See alive.h. */
#include "parts/alive.h"

#include "common/host_identity.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STAT_FIELD_STATE = 3, STAT_FIELD_START = 22 };

/* Processes may be on this host, and their numbers mean others: those of a container. */
static bool is_this_host(const char *host, uint64_t identity)
{
    char own[256];
    if (identity != 0 && identity != host_identity())
        return false;
    if (gethostname(own, sizeof own) != 0)
        return false;
    own[sizeof own - 1] = '\0';
    return strcmp(own, host) == 0;
}

/* The fields after the name in /proc/PID/stat.  The name may contain any characters. */
static const char *after_name(const char *line)
{
    const char *bracket = strrchr(line, ')');
    return bracket && bracket[1] == ' ' ? bracket + 2 : NULL;
}

static bool read_stat(uint64_t process, char *state, uint64_t *started)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", process);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    const char *at = after_name(line);
    if (!at)
        return false;
    *state = *at;
    for (int field = STAT_FIELD_STATE; at && field < STAT_FIELD_START; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at && sscanf(at, "%" SCNu64, started) == 1;
}

enum life process_life(const char *host, uint64_t identity, uint64_t process, uint64_t started)
{
    char state;
    uint64_t there;
    if (!is_this_host(host, identity) || process == 0)
        return LIFE_UNKNOWN;
    if (!read_stat(process, &state, &there))
        return access("/proc/self/stat", R_OK) == 0 ? LIFE_ENDED : LIFE_UNKNOWN;
    if (there != started || state == 'Z' || state == 'X')
        return LIFE_ENDED;
    return state == 'T' || state == 't' ? LIFE_STOPPED : LIFE_RUNNING;
}
