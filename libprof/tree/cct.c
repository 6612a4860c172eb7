/* See cct.h. */
#include "tree/cct.h"

#include <string.h>

struct layout_info layout_table[LAYOUT_COUNT];

enum {
    CELLS_PER_NODE = 5, /* without counters, on average */
    BYTES_PER_NODE = 440,
    BYTES_PER_CELL = 60,
    NODES_GRANTED = 64,
    BUCKETS_FIRST = 64,
    BUCKETS_PER_NODE = 2
};

static unsigned counters_per_node;

const char *cct_artificial_name_async(enum artificial what)
{
    static const char *const names[] = {
        [ARTIFICIAL_ROOT] = "program",
        [ARTIFICIAL_FAILED] = "[unwinding stopped here]",
        [ARTIFICIAL_TRUNCATED] = "[deeper than 512 frames]",
        [ARTIFICIAL_OTHER] = "[other call paths]",
    };
    return names[what];
}

static void layout_add(struct layout_info *layout, enum metric metric)
{
    layout->cell_of[metric] = layout->cells;
    layout->metric_of[layout->cells++] = (uint8_t)metric;
}

/*
 * Every MPI layout starts with two cells: visits, then the time, whatever metric it counts as.
 * The metric of the time cell is found through the node, since functions with the same layout
 * differ in it.
 */
static void layout_fill(enum layout id, const enum metric *metrics, size_t count)
{
    struct layout_info *layout = &layout_table[id];
    memset(layout->cell_of, NO_CELL, sizeof layout->cell_of);
    if (id == LAYOUT_EVERYTHING) {
        for (int m = 0; m < METRIC_COUNT; m++)
            if (metric_table[m].measured)
                layout_add(layout, (enum metric)m);
    } else if (id != LAYOUT_FRAME) {
        layout_add(layout, METRIC_visits);
        layout->metric_of[layout->cells++] = METRIC_time;
    }
    for (size_t i = 0; i < count; i++)
        layout_add(layout, metrics[i]);
    layout->counters = layout->cells;
    for (unsigned i = 0; i < counters_per_node; i++)
        layout_add(layout, (enum metric)(METRIC_COUNT + i));
}

void layouts_start(void)
{
    layouts_start_with(0);
}

void layouts_start_with(unsigned counters)
{
    if (layout_table[LAYOUT_FRAME].cells)
        return;
    counters_per_node = counters;
#define LAYOUT(id, ...)                                                                        \
    {                                                                                          \
        const enum metric metrics[] = {__VA_ARGS__ __VA_OPT__(, ) METRIC_none};                \
        _Static_assert(sizeof metrics / sizeof metrics[0] + 1 <= METRIC_COUNT,                 \
                       "with the visits and the time of an MPI function they have cells");     \
        layout_fill(LAYOUT_##id, metrics, sizeof metrics / sizeof metrics[0] - 1);             \
    }
#include "tree/layout.def"
#undef LAYOUT
}

size_t cct_bytes_per_node_async(void)
{
    return BYTES_PER_NODE + (size_t)counters_per_node * BYTES_PER_CELL;
}

size_t cct_bytes_async(const struct cct *tree)
{
    return tree->node_count * sizeof *tree->nodes + tree->bucket_count * sizeof *tree->buckets;
}

void cct_begin_inside_async(struct cct *tree, uint32_t node)
{
    tree->inside_count += !tree->nodes[node].inside;
    tree->nodes[node].inside = true;
}

static uint32_t hash_of(uint32_t parent, enum node_kind kind, uint64_t key, uint64_t site)
{
    /*
     * Mix in the parent: the same function called from the same place is found below many
     * parents.
     */
    uint64_t mixed = (key ^ (site << 17) ^ kind) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 32 ^ parent) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(mixed >> 32);
}

/* All ones, and at least as many as the number of the last of COUNT buckets has digits. */
static inline uint32_t mask_of(uint32_t count)
{
    return UINT32_MAX >> __builtin_clz(count - 1);
}

static inline uint32_t bucket_of(const struct cct *tree, uint32_t hash)
{
    const uint32_t mask = mask_of(tree->bucket_count), bucket = hash & mask;
    return bucket < tree->bucket_count ? bucket : hash & mask >> 1;
}

/*
 * Adds a bucket and moves to it what belongs there, all of which is in one other bucket.  So
 * the table takes memory by the size of the tree, not by what the tree may grow to, and there
 * is never a large table to be built anew (linear hashing: W. Litwin, VLDB 1980).
 */
static void add_bucket(struct cct *tree)
{
    const uint32_t added = tree->bucket_count++, mask = mask_of(tree->bucket_count);
    uint32_t *from = &tree->buckets[added & mask >> 1], *to = &tree->buckets[added];
    while (*from) {
        const uint32_t number = *from;
        struct node *node = &tree->nodes[number];
        const uint32_t hash =
            hash_of(node->parent, (enum node_kind)node->kind, node->key, node->site);
        if ((hash & mask) != added) {
            from = &node->next;
            continue;
        }
        *from = node->next;
        node->next = *to;
        *to = number;
    }
}

/* Makes NUMBER, a new node with HASH, one that is found. */
static void list(struct cct *tree, uint32_t number, uint32_t hash)
{
    while (tree->bucket_count < BUCKETS_PER_NODE * tree->node_count &&
           tree->bucket_count < tree->bucket_capacity)
        add_bucket(tree);
    uint32_t *bucket = &tree->buckets[bucket_of(tree, hash)];
    tree->nodes[number].next = *bucket;
    *bucket = number;
}

static inline bool is_child(const struct node *node, uint32_t parent, enum node_kind kind,
                            uint64_t key, uint64_t site)
{
    return node->key == key && node->site == site && node->parent == parent &&
           node->kind == kind;
}

/* The average that memory is planned with. */
static uint32_t cells_per_node(void)
{
    return CELLS_PER_NODE + counters_per_node;
}

/*
 * Draws from the budget what one more node needs, and some nodes after it.  A node with more
 * cells than the average takes the share of several.
 */
static bool grant_async(struct cct *tree)
{
    if (tree->node_count < tree->node_granted &&
        tree->cell_count < tree->node_granted * cells_per_node())
        return true;
    if (!budget_draw_async(NODES_GRANTED * cct_bytes_per_node_async()))
        return false;
    tree->node_granted += NODES_GRANTED;
    return true;
}

static uint32_t append(struct cct *tree, const struct node *node)
{
    uint32_t number = tree->node_count++;
    tree->nodes[number] = *node;
    tree->nodes[number].cell = tree->cell_count;
    tree->cell_count += layout_table[node->layout].cells;
    tree->inside_count += node->inside;
    return number;
}

bool cct_create(struct cct *tree, struct arena *arena, uint32_t nodes)
{
    const uint32_t buckets = BUCKETS_FIRST + BUCKETS_PER_NODE * nodes;
    *tree = (struct cct){
        .nodes = arena_take_async(arena, nodes * sizeof *tree->nodes),
        .buckets = arena_take_async(arena, buckets * sizeof *tree->buckets),
        .node_capacity = nodes,
        .cell_capacity = nodes * cells_per_node(),
        .bucket_count = BUCKETS_FIRST,
        .bucket_capacity = buckets,
    };
    if (!tree->nodes || !tree->buckets || !grant_async(tree))
        return false;
    append(tree, &(struct node){
                     .kind = NODE_ARTIFICIAL, .key = ARTIFICIAL_ROOT, .layout = LAYOUT_FRAME});
    tree->other = append(tree, &(struct node){.kind = NODE_ARTIFICIAL,
                                              .key = ARTIFICIAL_OTHER,
                                              .layout = LAYOUT_EVERYTHING});
    return true;
}

uint32_t cct_child_async(struct cct *tree, uint32_t parent, enum node_kind kind, uint64_t key,
                         uint64_t site, enum layout layout, enum metric time_metric)
{
    /*
     * Most often the same child is wanted again, and then nothing but these two nodes is
     * touched.
     */
    uint32_t *recent = &tree->nodes[parent].recent;
    if (is_child(&tree->nodes[*recent], parent, kind, key, site))
        return *recent;
    const uint32_t hash = hash_of(parent, kind, key, site);
    uint32_t number = tree->buckets[bucket_of(tree, hash)];
    for (; number; number = tree->nodes[number].next)
        if (is_child(&tree->nodes[number], parent, kind, key, site))
            return *recent = number;
    if (tree->node_count == tree->node_capacity ||
        tree->cell_capacity - tree->cell_count < LAYOUT_MOST_CELLS || parent == tree->other ||
        !grant_async(tree)) {
        tree->full = true;
        return tree->other;
    }
    number = append(tree, &(struct node){.key = key,
                                         .site = site,
                                         .parent = parent,
                                         .kind = (uint8_t)kind,
                                         .inside = tree->nodes[parent].inside,
                                         .layout = (uint8_t)layout,
                                         .time_metric = (uint16_t)time_metric});
    list(tree, number, hash);
    return *recent = number;
}
