/*
 * What a slice holds: how much the thread's whole profile has grown since the border before, as
 * the clustering wants it (iterations/compose.h has the same for profiles).
 *
 * At a border the profiles are frozen, and what they held then is compared with what they held
 * at the border before, a few call paths at a time, while the program goes on.
 *
 * For the thread that holds the context.
 */
#ifndef TSPROF_SLICE_LIST_H
#define TSPROF_SLICE_LIST_H

#include "iterations/iterations.h"

#include <stdbool.h>
#include <stdint.h>

enum slice_stage {
    SLICE_NOTHING, /* there is nothing to do */
    SLICE_MARK,    /* which call paths have grown, those with the highest numbers first, */
    SLICE_LIST,    /* their values, */
    SLICE_RENEW,   /* what the next slice is compared with, */
    SLICE_HAND     /* and handing the values to the clustering */
};

struct slice_list {
    struct arena arena;    /* of all this */
    struct arena kept;     /* what freezing takes; for good, since saves use it as well */
    struct profile before; /* the thread's whole profile at the last border */
    uint8_t *marks;        /* by node; all 0 between two slices */
    uint32_t *cells;
    int64_t *values;
    struct path_entry *paths;
    size_t cells_room, paths_room;    /* how much of these is drawn from the budget */
    struct queued_iteration entry;    /* points to them */
    struct profile *now[LEVELS_MOST]; /* together the whole profile */
    unsigned now_count;
    bool frozen; /* they are; else they are read at once */
    enum slice_stage stage;
    bool works;    /* some of that is being done: if not, the program has left it by a jump */
    uint32_t node; /* the next one in this stage */
    uint32_t node_count; /* of the tree at the border */
    bool marked, listed; /* SLICE_MARK, SLICE_LIST has been done */
    bool renews;         /* the next slice will be compared with this border, */
    bool lapsed;         /* but cannot be, since there was no memory for what was frozen */
};

/* Reserves address space for the slices of THREAD, which are iterations of SERIES; false if
 * there is none. */
bool slice_list_create(struct slice_list *list, struct thread *thread, uint32_t series);

/* Gives it back.  Nothing may be under way. */
void slice_list_destroy(struct slice_list *list);

/* Bytes of the budget that it takes over TREE, if all call paths occur in a slice. */
size_t slice_list_bytes_async(const struct slice_list *list, const struct cct *tree);

/* Whether so few call paths are known of THREAD that all are looked at at once. */
bool slice_list_is_short_async(const struct thread *thread);

/*
 * A border, to which the time line has been brought: a slice that has taken WALL_NS ENDS, the
 * next one BEGINS, or both.  Nothing may be under way.  Of a thread whose profiles are frozen
 * for a save the list must be short.
 */
void slice_list_begin_async(struct slice_list *list, struct thread *thread, bool ends,
                            bool begins, int64_t wall_ns);

/* Whether work must be done before anything else happens, because nothing is frozen. */
bool slice_list_is_urgent_async(const struct slice_list *list);

/*
 * Does some microseconds of the work that slice_list_begin_async has left; clustering, which is
 * part of it, may pause.  Returns false once all of it is done.  May be called anew if the
 * program has left it by a jump.
 */
bool slice_list_work_async(struct slice_list *list, struct thread *thread);

#endif
