/* See shortage.h. */
#include "iterations/shortage.h"

#include "iterations/iteration.h"

void shortage_note_async(struct thread *thread, bool lost, bool relaxed)
{
    thread_note_async(thread, lost ? NOTE_ITERATIONS_LOST : NOTE_CLUSTERS_LOST);
    if (relaxed)
        thread_note_async(thread, NOTE_CLASSES_LOST);
}

/* Whether there is memory for all call paths of LOST in what lies outside iterations. */
static bool has_room_outside_async(const struct thread *thread,
                                   const struct iteration_profile *lost)
{
    uint32_t added = 0;
    for (size_t i = 0; i < lost->path_count; i++)
        added += !profile_has_async(&thread->outside, lost->paths[i].path);
    const size_t bytes = profile_bytes_of_async(&thread->tree, added);
    return added == 0 || budget_draw_async(bytes) || budget_covers_async(bytes);
}

void shortage_move_outside_async(struct thread *thread, const struct iteration_profile *lost)
{
    if (has_room_outside_async(thread, lost))
        profile_move_cells_async(&thread->outside, &thread->closed, &thread->tree, lost->cells,
                                 lost->values, lost->cell_count);
    else
        profile_join_cells_async(&thread->outside, &thread->closed, &thread->tree, lost->cells,
                                 lost->values, lost->cell_count);
}

void shortage_skip_async(struct thread *thread, uint32_t series)
{
    thread_note_async(thread, NOTE_ITERATIONS_LOST);
    iteration_skip_async(thread, series, 1);
}
