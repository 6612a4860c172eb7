/* See rank_list.h. */
#include "print/rank_list.h"

#include <inttypes.h>

static void end_range(struct rank_list *list)
{
    if (!list->count)
        return;
    text_addf(&list->text, "%s%" PRIu32, list->text.length ? "," : "", list->first);
    if (list->last > list->first)
        text_addf(&list->text, "-%" PRIu32, list->last);
}

void rank_list_add(struct rank_list *list, uint32_t rank)
{
    list->threads++;
    if (list->count && rank == list->last)
        return;
    if (!list->count || rank != list->last + 1) {
        end_range(list);
        list->first = rank;
    }
    list->last = rank;
    list->count++;
}

const char *rank_list_end(struct rank_list *list)
{
    end_range(list);
    return text_string(&list->text);
}
