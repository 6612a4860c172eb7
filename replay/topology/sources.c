/* See sources.h. */
#include "replay/topology/sources.h"

#include "common/index.h"
#include "replay/event.h"
#include "replay/list.h"

struct neighbourhood {
    uint32_t comm, process;
    uint32_t *list;
    size_t list_count, list_room;
};

struct sources {
    struct neighbourhood *all;
    size_t all_count, all_room;
    struct index index;
};

struct sought {
    const struct sources *sources;
    uint32_t comm, process;
};

struct sources *sources_create(void)
{
    return calloc(1, sizeof(struct sources));
}

void sources_free(struct sources *sources)
{
    if (!sources)
        return;
    for (size_t i = 0; i < sources->all_count; i++)
        free(sources->all[i].list);
    free(sources->all);
    index_free(&sources->index);
    free(sources);
}

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct neighbourhood *one = &sought->sources->all[number];
    return one->comm == sought->comm && one->process == sought->process;
}

static uint32_t *slot_of(const struct sources *sources, uint32_t comm, uint32_t process)
{
    const struct sought sought = {sources, comm, process};
    return index_slot(&sources->index,
                      index_hash_number(index_hash_number(INDEX_HASH, comm), process), is_same,
                      &sought);
}

/* That of PROCESS on COMM, which is added if it is not there; NULL if out of memory. */
static struct neighbourhood *find(struct sources *sources, uint32_t comm, uint32_t process)
{
    if (!LIST_RESERVE(sources->all) || !index_reserve(&sources->index, sources->all_count + 1))
        return NULL;
    uint32_t *slot = slot_of(sources, comm, process);
    if (*slot == 0) {
        sources->all[sources->all_count++] = (struct neighbourhood){comm, process, NULL, 0, 0};
        *slot = (uint32_t)sources->all_count;
    }
    struct neighbourhood *of = &sources->all[*slot - 1];
    /* A list that is empty is known, too. */
    return LIST_RESERVE(of->list) ? of : NULL;
}

bool sources_add(struct sources *sources, uint32_t comm, uint32_t process, uint32_t source)
{
    struct neighbourhood *of = find(sources, comm, process);
    if (!of)
        return false;
    if (source == REPLAY_NONE)
        of->list_count = 0;
    else
        of->list[of->list_count++] = source;
    return true;
}

const uint32_t *sources_of(const struct sources *sources, uint32_t comm, uint32_t process,
                           size_t *count)
{
    *count = 0;
    if (sources->all_count == 0)
        return NULL;
    const uint32_t *slot = slot_of(sources, comm, process);
    if (*slot == 0)
        return NULL;
    *count = sources->all[*slot - 1].list_count;
    return sources->all[*slot - 1].list;
}
