/* See snapshot_profile.h. */
#include "encode/snapshot_profile.h"

#include "counters/counters.h"

enum { NODES_AT_ONCE = 16, CELLS_AT_ONCE = 64 }; /* between two pauses */
enum { CELL_VARINTS = 3 };                       /* of which a cell is made */

/* The values of one node, in ascending order of metrics. */
struct node_values {
    unsigned count;
    uint32_t metrics[LAYOUT_MOST_CELLS];
    int64_t values[LAYOUT_MOST_CELLS];
};

/*
 * A profile that is being written.  It is passed over twice: once to count its cells, since the
 * count comes first, and once to write them.
 */
struct cells {
    struct encoder *out;
    bool counts; /* they are only counted */
    uint64_t count;
    uint32_t node; /* of the last cell, which the next is encoded relative to */
};

/* Adds VALUE to a metric.  The sum wraps around, since counters may hold any value. */
static inline void add_async(struct node_values *values, uint32_t metric, int64_t value)
{
    unsigned at = values->count;
    while (at > 0 && values->metrics[at - 1] > metric)
        at--;
    if (at > 0 && values->metrics[at - 1] == metric) {
        values->values[at - 1] = (int64_t)((uint64_t)values->values[at - 1] + (uint64_t)value);
        return;
    }
    for (unsigned i = values->count++; i > at; i--) {
        values->metrics[i] = values->metrics[i - 1];
        values->values[i] = values->values[i - 1];
    }
    values->metrics[at] = metric;
    values->values[at] = value;
}

/* Writes VALUES, those of NODE, which there is room for from TO on; returns where they end. */
static unsigned char *write_async(struct cells *cells, uint32_t node,
                                  const struct node_values *values, unsigned char *to)
{
    for (unsigned i = 0; i < values->count; i++) {
        if (values->values[i] == 0)
            continue;
        to = varint_put(to, node - cells->node);
        to = varint_put(to, values->metrics[i]);
        to = varint_put(to, varint_of_signed(values->values[i]));
        cells->node = node;
    }
    return to;
}

static void put_async(struct cells *cells, uint32_t node, const struct node_values *values)
{
    if (cells->counts) {
        for (unsigned i = 0; i < values->count; i++)
            cells->count += values->values[i] != 0;
        return;
    }
    unsigned char *to =
        encode_ahead(cells->out, (size_t)values->count * CELL_VARINTS * VARINT_MOST);
    if (to)
        encode_up_to(cells->out, write_async(cells, node, values, to));
}

static void add_pending_async(struct node_values *values, const struct pending *pending)
{
    if (pending->computation_ns)
        add_async(values, METRIC_computation, pending->computation_ns);
    for (unsigned i = 0; pending->counters && i < counters_count; i++)
        if (pending->counters[i])
            add_async(values, METRIC_COUNT + i, pending->counters[i]);
}

/* Adds CELLS of NODE, or subtracts them where SIGN is -1. */
static void add_cells_async(struct node_values *values, const struct node *node,
                            const int64_t *cells, int64_t sign)
{
    for (unsigned n = 0; n < layout_table[node->layout].cells; n++)
        if (cells[n])
            add_async(values, profile_metric_async(node, n),
                      (int64_t)((uint64_t)cells[n] * (uint64_t)sign));
}

static void collect_async(const struct cct *tree, const struct snapshot_profile *sum,
                          uint32_t number, struct node_values *values, struct encoder *pauses)
{
    const struct node *node = &tree->nodes[number];
    values->count = 0;
    for (unsigned p = 0; p < sum->profile_count; p++) {
        const int64_t *cells = profile_then_async(sum->profiles[p], tree, number);
        if (cells)
            add_cells_async(values, node, cells, 1);
    }
    if (sum->taken)
        add_cells_async(values, node, taken_away_async(sum->taken, tree, number, pauses), -1);
    for (unsigned i = 0; i < sum->pending_count; i++)
        if (sum->pending[i].node == number)
            add_pending_async(values, &sum->pending[i]);
}

static void pass_async(const struct cct *tree, const struct snapshot_profile *sum,
                       struct cells *cells)
{
    struct node_values values;
    for (uint32_t node = 0; node < tree->node_count; node++) {
        collect_async(tree, sum, node, &values, cells->out);
        put_async(cells, node, &values);
        if (node % NODES_AT_ONCE == 0)
            encoder_pause_async(cells->out);
    }
}

void snapshot_profile_encode_async(const struct cct *tree, const struct snapshot_profile *sum,
                                   struct encoder *out)
{
    struct cells counted = {.out = out, .counts = true}, written = {.out = out};
    pass_async(tree, sum, &counted);
    encode_varint(out, counted.count);
    pass_async(tree, sum, &written);
}

/* Writes the cells of NODE that CLUSTER has, the first of them at FIRST; returns how many. */
static size_t put_cells_async(const struct cct *tree, uint32_t node,
                              const struct cluster_view *cluster, size_t first,
                              struct cells *cells)
{
    const struct node *at = &tree->nodes[node];
    const uint32_t end = at->cell + layout_table[at->layout].cells;
    struct node_values values;
    size_t i = first;
    values.count = 0;
    for (; i < cluster->cell_count && cluster->cells[i] < end; i++)
        add_async(&values, profile_metric_async(at, cluster->cells[i] - at->cell),
                  cluster->values[i]);
    put_async(cells, node, &values);
    return i - first;
}

void snapshot_profile_encode_cluster_async(const struct cct *tree,
                                           const struct cluster_view *cluster,
                                           struct encoder *out)
{
    struct cells written = {.out = out};
    uint64_t count = 0;
    uint32_t node = 0;
    size_t pause = CELLS_AT_ONCE;
    for (size_t i = 0; i < cluster->cell_count; i++)
        count += cluster->values[i] != 0;
    encode_varint(out, count);
    for (size_t i = 0; i < cluster->cell_count;) {
        node = profile_node_of_cell_async(tree, node, cluster->cells[i]);
        i += put_cells_async(tree, node, cluster, i, &written);
        if (i < pause)
            continue;
        pause = i + CELLS_AT_ONCE;
        encoder_pause_async(out);
    }
}
