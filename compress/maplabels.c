/*
 * Labels of a map.  See maplabels.h.
 *
 * Label n lives at position n + 2^LABEL_SEGMENT_BITS of an imaginary array, of which each range
 * [2^e, 2^(e+1)) is a segment: growing neither copies nor clears.
 */
#include "compress/maplabels.h"

#include "compress/itermap.h"

static size_t segment_bytes(unsigned segment)
{
    return ((size_t)1 << (segment + LABEL_SEGMENT_BITS)) * sizeof(struct label);
}

static void append(struct labels *labels, struct label_list *list, uint32_t label)
{
    labels_at(labels, label)->next = 0;
    if (list->count++ > 0)
        labels_at(labels, list->last)->next = label;
    else
        list->first = label;
    list->last = label;
}

static uint32_t take_first(struct labels *labels, struct label_list *list)
{
    uint32_t label = list->first;
    list->first = labels_at(labels, label)->next;
    list->count--;
    return label;
}

/* Room for one label more; false if out of memory. */
static bool grow(struct labels *labels)
{
    uint32_t place = labels->used + (1u << LABEL_SEGMENT_BITS);
    unsigned segment = 31 - (unsigned)__builtin_clz(place) - LABEL_SEGMENT_BITS;
    if (segment >= LABEL_SEGMENTS)
        return false;
    if (!labels->segments[segment])
        labels->segments[segment] = map_memory_take(labels->memory, segment_bytes(segment));
    return labels->segments[segment] != NULL;
}

uint32_t labels_add(struct labels *labels, uint32_t owner)
{
    uint32_t label;
    if (labels->unused.count > 0)
        label = take_first(labels, &labels->unused);
    else if (grow(labels))
        label = labels->used++;
    else
        return LABEL_UNMAPPED;
    *labels_at(labels, label) = (struct label){.link = owner, .root = true};
    return label;
}

bool labels_start(struct labels *labels)
{
    labels_add(labels, ITERMAP_NONE);
    labels_add(labels, ITERMAP_UNMAPPED);
    return labels->used == FIRST_LABEL;
}

uint32_t labels_join(struct labels *labels, uint32_t a, uint32_t b)
{
    uint32_t top = labels_at(labels, a)->rank >= labels_at(labels, b)->rank ? a : b;
    uint32_t below = top == a ? b : a;
    struct label *root = labels_at(labels, top), *child = labels_at(labels, below);
    root->rank += root->rank == child->rank && root->rank < UINT8_MAX;
    child->root = false;
    child->link = top;
    append(labels, &labels->merged, below);
    return top;
}

void labels_retire(struct labels *labels)
{
    labels->retiring = labels->merged;
    labels->merged = (struct label_list){0};
}

void labels_reuse(struct labels *labels)
{
    struct label_list *unused = &labels->unused, *retiring = &labels->retiring;
    if (retiring->count == 0)
        return;
    if (unused->count > 0)
        labels_at(labels, unused->last)->next = retiring->first;
    else
        unused->first = retiring->first;
    unused->last = retiring->last;
    unused->count += retiring->count;
    *retiring = (struct label_list){0};
}

void labels_clear(struct labels *labels)
{
    for (unsigned s = 0; s < LABEL_SEGMENTS; s++)
        map_memory_give_back(labels->memory, labels->segments[s], segment_bytes(s));
    *labels = (struct labels){.memory = labels->memory};
}
