/* See pairs.h. */
#include "replay/pairs.h"

#include "replay/hash.h"
#include "replay/list.h"

#include <stdlib.h>

void pairs_free(struct pairs *pairs)
{
    free(pairs->list);
    free(pairs->reasons);
    index_free(&pairs->pair_index);
    index_free(&pairs->reason_index);
}

struct sought_pair {
    const struct pairs *pairs;
    const struct replay_pair *pair;
};

static bool is_same_pair(const void *context, uint32_t number)
{
    const struct sought_pair *sought = context;
    const struct replay_pair *one = &sought->pairs->list[number], *other = sought->pair;
    return one->node == other->node && one->thread == other->thread &&
           one->cause_thread == other->cause_thread && one->metric == other->metric;
}

uint32_t pairs_add(struct pairs *pairs, const struct replay_wait *wait,
                   const struct path *waiting)
{
    const struct replay_pair pair = {.metric = wait->metric,
                                     .thread = waiting->thread,
                                     .node = waiting->node,
                                     .cause_thread = wait->cause_thread,
                                     .first_reason = REPLAY_NONE};
    const struct sought_pair sought = {pairs, &pair};
    const uint64_t hash = hash_mix((uint64_t)pair.thread << 32 | pair.cause_thread,
                                   (uint64_t)pair.node << 32 | pair.metric);
    if (!LIST_RESERVE(pairs->list) || !index_reserve(&pairs->pair_index, pairs->list_count + 1))
        return REPLAY_NONE;
    uint32_t *slot = index_slot(&pairs->pair_index, hash, is_same_pair, &sought);
    if (*slot == 0) {
        pairs->list[pairs->list_count++] = pair;
        *slot = (uint32_t)pairs->list_count;
    }
    struct replay_pair *found = &pairs->list[*slot - 1];
    found->count += wait->ns > 0;
    found->ns += wait->ns;
    found->longest_ns = wait->ns > found->longest_ns ? wait->ns : found->longest_ns;
    return *slot - 1;
}

struct sought_reason {
    const struct pairs *pairs;
    uint32_t pair, node;
    bool is_indirect;
};

static bool is_same_reason(const void *context, uint32_t number)
{
    const struct sought_reason *sought = context;
    const struct replay_reason *one = &sought->pairs->reasons[number];
    return one->pair == sought->pair && one->node == sought->node &&
           one->is_indirect == sought->is_indirect;
}

bool pairs_charge(struct pairs *pairs, uint32_t pair, uint32_t node, bool is_indirect,
                  uint64_t ns)
{
    const struct sought_reason sought = {pairs, pair, node, is_indirect};
    const uint64_t hash = hash_mix((uint64_t)pair << 1 | is_indirect, node);
    if (!LIST_RESERVE(pairs->reasons) ||
        !index_reserve(&pairs->reason_index, pairs->reasons_count + 1))
        return false;
    uint32_t *slot = index_slot(&pairs->reason_index, hash, is_same_reason, &sought);
    if (*slot == 0) {
        struct replay_pair *of = &pairs->list[pair];
        pairs->reasons[pairs->reasons_count] = (struct replay_reason){
            .pair = pair, .node = node, .is_indirect = is_indirect, .next = of->first_reason};
        of->first_reason = (uint32_t)pairs->reasons_count++;
        *slot = (uint32_t)pairs->reasons_count;
    }
    pairs->reasons[*slot - 1].ns += ns;
    return true;
}
