/* See pcontrol.h. */
#include "pcontrol.h"

#include "config.h"
#include "peek.h"

#include <stdint.h>
#include <stdio.h>

/*
 * Copies the text of printable ASCII at ADDRESS, if there is one: piece by piece, because what
 * follows it may not be there, and no piece crosses into another page.
 */
static bool copy_name(uintptr_t address, char name[PCONTROL_NAME_BYTES])
{
    enum { PIECE = 16 };
    for (size_t used = 0; used < PCONTROL_NAME_BYTES;) {
        size_t piece = PIECE - (address + used) % PIECE;
        if (piece > PCONTROL_NAME_BYTES - used)
            piece = PCONTROL_NAME_BYTES - used;
        if (!peek_async(address + used, name + used, piece))
            return false;
        for (; piece > 0; piece--, used++) {
            if (name[used] == '\0')
                return used > 0;
            if (name[used] < ' ' || name[used] > '~')
                return false;
        }
    }
    return false;
}

static bool reads_level(int level, struct pcontrol_mark *mark)
{
    int64_t number = level < 0 ? -(int64_t)level : level;
    if (number < PCONTROL_FIRST_LEVEL)
        return false;
    mark->begins = mark->closes = level > 0;
    snprintf(mark->name, sizeof mark->name, "pcontrol %lld", (long long)number);
    return true;
}

/* As IPM has it: MPI_Pcontrol(1, "name") begins, MPI_Pcontrol(-1, "name") ends. */
static bool reads_name(int level, const void *argument, struct pcontrol_mark *mark)
{
    if (level != 1 && level != -1)
        return false;
    mark->begins = level == 1;
    mark->closes = false;
    return copy_name((uintptr_t)argument, mark->name);
}

bool pcontrol_reads(int level, const void *argument, struct pcontrol_mark *mark)
{
    switch ((enum setting_pcontrol)config.number[SETTING_PCONTROL]) {
    case PCONTROL_LEVELS:
        return reads_level(level, mark);
    case PCONTROL_NAMES:
        return reads_name(level, argument, mark);
    case PCONTROL_OFF:
        break;
    }
    return false;
}
