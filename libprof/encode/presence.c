/* See presence.h. */
#include "encode/presence.h"

#include "assemble/resolve.h"

enum { PATHS_AT_ONCE = 64 }; /* between two pauses */

/* A walk over the call paths of a cluster, in ascending order. */
struct walk {
    const struct cct *tree;
    const struct cluster_view *cluster;
    size_t path, cell; /* the next ones */
};

/* Goes to the next call path; false after the last. */
static bool next_async(struct walk *walk, struct told_occurrence *occurrence)
{
    const struct cluster_view *cluster = walk->cluster;
    if (walk->path == cluster->path_count)
        return false;
    const uint32_t node = cluster->paths[walk->path];
    const uint32_t count =
        cluster->path_counts ? cluster->path_counts[walk->path] : cluster->size;
    const struct node *at = &walk->tree->nodes[node];
    *occurrence = (struct told_occurrence){.node = node, .least = count, .most = count};
    while (walk->cell < cluster->cell_count && cluster->cells[walk->cell] < at->cell)
        walk->cell++;
    for (; walk->cell < cluster->cell_count &&
           cluster->cells[walk->cell] < at->cell + layout_table[at->layout].cells;
         walk->cell++)
        occurrence->has_values |= cluster->values[walk->cell] != 0;
    walk->path++;
    return true;
}

static void encode_one(const struct told_occurrence *occurrence, uint32_t *before,
                       struct encoder *out)
{
    encode_varint(out, occurrence->node - *before);
    encode_varint(out, occurrence->least);
    encode_varint(out, occurrence->most - occurrence->least);
    *before = occurrence->node;
}

void presence_encode_own_async(const struct cct *tree, const struct cluster_view *cluster,
                               struct encoder *out)
{
    struct walk counted = {.tree = tree, .cluster = cluster}, written = counted;
    struct told_occurrence occurrence;
    uint64_t count = cluster->presence_known;
    uint32_t before = 0;
    while (next_async(&counted, &occurrence))
        count += occurrence_is_told(&occurrence, cluster->size);
    encode_varint(out, count);
    while (next_async(&written, &occurrence)) {
        if (occurrence_is_told(&occurrence, cluster->size))
            encode_one(&occurrence, &before, out);
        if (written.path % PATHS_AT_ONCE == 0)
            encoder_pause_async(out);
    }
}

void presence_encode(const struct cct *tree, const uint32_t *nodes,
                     const struct cluster_view *cluster, struct told_occurrence *room,
                     struct encoder *out)
{
    struct walk walk = {.tree = tree, .cluster = cluster};
    size_t count = 0;
    uint64_t told = cluster->presence_known;
    uint32_t before = 0;
    while (next_async(&walk, &room[count])) {
        const uint32_t named = nodes[room[count].node];
        room[count].node = named & ~RESOLVED_LEFT_OUT;
        room[count++].stands_in = named & RESOLVED_LEFT_OUT;
    }
    count = occurrences_join(room, count, cluster->size);
    for (size_t i = 0; i < count; i++)
        told += occurrence_is_told(&room[i], cluster->size);
    encode_varint(out, told);
    for (size_t i = 0; i < count; i++)
        if (occurrence_is_told(&room[i], cluster->size))
            encode_one(&room[i], &before, out);
}
