/* See subprograms.h. */
#include "assemble/subprograms.h"

#include "assemble/ranges.h"

#include <stdlib.h>

enum { CAPACITY_FIRST = 64, FOUND_MOST = 64 };

struct subprogram {
    Dwarf_Die entry;
    uint32_t behind; /* index of the first one that is not inside it */
};

/* A unit's subprograms, each before those inside it. */
struct unit {
    struct unit *next;
    const void *where; /* identifies the unit */
    struct subprogram *items;
    uint32_t count;
    uint32_t capacity;
    struct ranges code;
    bool complete;
};

/* Whether entries of this kind can hold subprograms that are defined there. */
static bool holds_subprograms(Dwarf_Die *entry)
{
    switch (dw.dwarf_tag(entry)) {
    case DW_TAG_module:
    case DW_TAG_namespace:
    case DW_TAG_subprogram:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
        return true;
    default:
        return false;
    }
}

static bool make_room(struct unit *unit)
{
    if (unit->count < unit->capacity)
        return true;
    uint32_t capacity = unit->capacity ? 2 * unit->capacity : CAPACITY_FIRST;
    struct subprogram *grown = reallocarray(unit->items, capacity, sizeof *grown);
    if (!grown)
        return false;
    unit->items = grown;
    unit->capacity = capacity;
    return true;
}

/* Adds ENTRY if it has code; false if out of memory. */
static bool add(struct unit *unit, Dwarf_Die *entry)
{
    Dwarf_Addr base, begin, end;
    bool any = false;
    for (ptrdiff_t at = 0; (at = dw.dwarf_ranges(entry, at, &base, &begin, &end)) > 0;
         any = true)
        if (!ranges_add(&unit->code, begin, end, unit->count))
            return false;
    if (!any)
        return true;
    if (!make_room(unit))
        return false;
    unit->items[unit->count++] = (struct subprogram){.entry = *entry};
    return true;
}

/*
 * Those below PARENT.  Modules and namespaces have no code of their own, so a search by address
 * ranges, as dwarf_getscopes does, would pass them by.
 */
static bool gather(struct unit *unit, Dwarf_Die *parent)
{
    Dwarf_Die entry;
    for (int status = dw.dwarf_child(parent, &entry); status == 0;
         status = dw.dwarf_siblingof(&entry, &entry)) {
        const uint32_t number = unit->count;
        if (dw.dwarf_tag(&entry) == DW_TAG_subprogram && !add(unit, &entry))
            return false;
        const bool added = unit->count > number;
        if (holds_subprograms(&entry) && !gather(unit, &entry))
            return false;
        if (added)
            unit->items[number].behind = unit->count;
    }
    return true;
}

static struct unit *unit_of(struct unit **known, Dwarf_Die *entry)
{
    for (struct unit *unit = *known; unit; unit = unit->next)
        if (unit->where == entry->addr)
            return unit;
    struct unit *unit = calloc(1, sizeof *unit);
    if (!unit)
        return NULL;
    unit->where = entry->addr;
    unit->next = *known;
    *known = unit;
    unit->complete = gather(unit, entry) && ranges_sort(&unit->code);
    return unit;
}

bool subprograms_find(struct unit **known, Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die *found)
{
    uint32_t numbers[FOUND_MOST];
    struct unit *in = unit_of(known, unit);
    size_t count = in && in->complete ? ranges_find(&in->code, pc, numbers, FOUND_MOST) : 0;
    if (count == 0 || count > FOUND_MOST)
        return false;
    const struct subprogram *innermost = &in->items[numbers[0]];
    for (size_t i = 1; i < count; i++)
        if (numbers[i] < innermost->behind)
            innermost = &in->items[numbers[i]];
    *found = innermost->entry;
    return true;
}

void subprograms_free(struct unit **known)
{
    while (*known) {
        struct unit *unit = *known;
        *known = unit->next;
        free(unit->items);
        ranges_free(&unit->code);
        free(unit);
    }
}
