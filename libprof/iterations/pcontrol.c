/* See pcontrol.h. */
#include "iterations/pcontrol.h"

#include "host/host.h"

#include <stdint.h>
#include <stdio.h>

/*
 * Copies the text of printable ASCII at ADDRESS; returns false if there is none.  Reads it in
 * pieces that do not cross pages, because the page after the text may not be mapped.
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

enum { LEVELS_ADDED_MOST = 8 };

/* Levels that are markers because pcontrol_add_level says so; 0 stands for all. */
static int added[LEVELS_ADDED_MOST];
static int added_count;

void pcontrol_add_level(int level)
{
    if (added_count < LEVELS_ADDED_MOST)
        added[added_count++] = level;
}

/* Whether level NUMBER is a marker: it was added, or LEVELS says that those from 5 on are. */
static bool marks(int64_t number, bool levels)
{
    for (int i = 0; i < added_count; i++)
        if (number > 0 && (added[i] == 0 || added[i] == number))
            return true;
    return levels && number >= PCONTROL_FIRST_LEVEL;
}

static bool reads_level(int level, bool levels, struct pcontrol_mark *mark)
{
    int64_t number = level < 0 ? -(int64_t)level : level;
    if (!marks(number, levels))
        return false;
    mark->begins = mark->closes = level > 0;
    snprintf(mark->name, sizeof mark->name, "pcontrol %lld", (long long)number);
    return true;
}

/* The convention of IPM: MPI_Pcontrol(1, "name") begins, MPI_Pcontrol(-1, "name") ends. */
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
    case PCONTROL_NAMES:
        return reads_name(level, argument, mark);
    case PCONTROL_LEVELS:
        return reads_level(level, true, mark);
    case PCONTROL_OFF:
        break;
    }
    return reads_level(level, false, mark);
}
