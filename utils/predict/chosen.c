/* See chosen.h. */
#include "predict/chosen.h"

#include <stdlib.h>
#include <string.h>

static bool is_mpi(const struct study *study, uint32_t node)
{
    const uint32_t region = study->result.nodes[node].region;
    return region != REPLAY_NONE && study->feed->regions[region].is_mpi;
}

/* The paths of the nodes that are meant, in the iterations that are; INSTANCES may be NULL. */
static bool choose_paths(struct study *study, const bool *instances)
{
    bool any = false;
    for (size_t i = 0; i < study->result.path_count; i++) {
        const struct path *path = &study->result.paths[i];
        const bool in_time =
            !instances || (path->instance != REPLAY_NONE && instances[path->instance]);
        study->paths[i] = in_time && study->nodes[path->node];
        any |= study->paths[i];
    }
    return any;
}

/* What is below a node that is meant is meant; parents come first. */
static void choose_below(struct study *study)
{
    for (size_t i = 1; i < study->result.node_count; i++) {
        const uint32_t parent = study->result.nodes[i].parent;
        if (parent != REPLAY_NONE && study->nodes[parent])
            study->nodes[i] = true;
    }
}

static void leave_out_calls(struct study *study, bool of_mpi)
{
    for (uint32_t i = 0; i < study->result.node_count; i++)
        if (is_mpi(study, i) == of_mpi)
            study->nodes[i] = false;
}

/* Whether the call path of NODE ends with the LENGTH bytes NAMES, joined by ";". */
static bool ends_with(const struct study *study, uint32_t node, const char *names,
                      size_t length)
{
    while (length > 0) {
        const struct tree_node *at = &study->result.nodes[node];
        if (at->region == REPLAY_NONE)
            return false;
        const char *name = study_region(study, at->region);
        const size_t own = strlen(name);
        if (own == 0 || own > length || memcmp(names + length - own, name, own) != 0)
            return false;
        length -= own;
        if (length == 0)
            return true;
        if (names[--length] != ';' || at->parent == REPLAY_NONE)
            return false;
        node = at->parent;
    }
    return false;
}

enum { NAMES_MOST = 12 };

/* Of the regions, those with most visits or time are of most use in a message. */
struct known {
    uint32_t region;
    int64_t ns;
};

static int compare_known(const void *a, const void *b)
{
    const struct known *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    return one->region < other->region ? -1 : one->region > other->region;
}

/* Whether one of those before the NUMBERth has its name. */
static bool has_name(const struct study *study, const struct known *known, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (strcmp(study_region(study, known[i].region),
                   study_region(study, known[number].region)) == 0)
            return true;
    return false;
}

static void list_regions(const struct study *study, bool of_mpi, struct text *text)
{
    const size_t count = study->trace->region_count;
    struct known *known = allocate(count + 1, sizeof *known);
    size_t there = 0;
    for (size_t i = 0; i < study->result.path_count; i++) {
        const uint32_t region = study->result.nodes[study->result.paths[i].node].region;
        if (region == REPLAY_NONE || (of_mpi && !study->feed->regions[region].is_mpi))
            continue;
        known[region].region = region;
        known[region].ns += 1 + study->result.paths[i].time_ns;
    }
    qsort(known, count, sizeof *known, compare_known);
    while (there < count && known[there].ns > 0)
        there++;
    const char *names[NAMES_MOST + 1];
    size_t shown = 0;
    for (size_t i = 0; i < there && shown < NAMES_MOST; i++)
        if (!has_name(study, known, i))
            names[shown++] = study_region(study, known[i].region);
    if (shown == NAMES_MOST)
        names[shown++] = "others";
    text_add_list(text, names, shown, "and");
    free(known);
}

static bool nothing_called(const struct study *study, const char *name, bool of_mpi,
                           struct error *error)
{
    struct text text = {0};
    list_regions(study, of_mpi, &text);
    error_set(error, "%s: nothing in the trace is called so; there are %s", name,
              text.length > 0 ? text_string(&text) : "no functions at all");
    text_free(&text);
    return false;
}

bool chosen_calls(struct study *study, const char *callpath, struct error *error)
{
    const bool all = strcmp(callpath, "all") == 0;
    const size_t length = strlen(callpath);
    for (uint32_t i = 0; i < study->result.node_count; i++)
        study->nodes[i] = all || ends_with(study, i, callpath, length);
    choose_below(study);
    leave_out_calls(study, false);
    return choose_paths(study, NULL) || nothing_called(study, callpath, true, error);
}

void chosen_node(struct study *study, uint32_t node)
{
    memset(study->nodes, 0, study->result.node_count * sizeof *study->nodes);
    study->nodes[node] = true;
    choose_paths(study, NULL);
}

static void choose_region(struct study *study, uint32_t region)
{
    for (size_t i = 0; i < study->result.node_count; i++)
        study->nodes[i] |= study->result.nodes[i].region == region;
}

void chosen_region(struct study *study, uint32_t region, bool with_calls)
{
    memset(study->nodes, 0, study->result.node_count * sizeof *study->nodes);
    choose_region(study, region);
    choose_below(study);
    if (!with_calls && !study->feed->regions[region].is_mpi)
        leave_out_calls(study, true);
    choose_paths(study, NULL);
}

/* Everything in the iterations that are meant, and in those within them; outer ones have lower
 * numbers than what is in them only by chance, so that each is followed outwards. */
static bool choose_iterations(struct study *study, bool with_calls)
{
    bool *inner = allocate(study->instance_count + 1, sizeof *inner);
    for (size_t i = 0; i < study->instance_count; i++)
        for (uint32_t at = (uint32_t)i; at < study->instance_count && !inner[i];
             at = study->outer[at])
            inner[i] = study->instances[at];
    memset(study->nodes, 1, study->result.node_count * sizeof *study->nodes);
    if (!with_calls)
        leave_out_calls(study, true);
    const bool any = choose_paths(study, inner);
    free(inner);
    return any;
}

void chosen_iteration(struct study *study, uint32_t instance)
{
    memset(study->instances, 0, study->instance_count * sizeof *study->instances);
    study->instances[instance] = true;
    choose_iterations(study, false);
}

/* Whether LIST, such as 12,100-109, is one, and has NUMBER. */
static bool is_in_list(const char *list, uint64_t number, bool *is_list)
{
    bool found = false;
    *is_list = *list != '\0';
    while (*list && *is_list) {
        char *end;
        *is_list = *list >= '0' && *list <= '9';
        const uint64_t first = strtoull(list, &end, 10);
        uint64_t last = first;
        if (*is_list && *end == '-') {
            *is_list = end[1] >= '0' && end[1] <= '9';
            last = strtoull(end + 1, &end, 10);
        }
        found |= number >= first && number <= last;
        *is_list = *is_list && (*end == '\0' || (*end == ',' && end[1] != '\0'));
        list = *end ? end + 1 : end;
    }
    return found;
}

static bool no_iteration(const struct study *study, const char *where, struct error *error)
{
    struct text text = {0};
    if (study->instance_count == 0)
        return error_set(error, "%s: there are no iterations in the trace", where);
    study_add_iteration(study, 0, &text);
    text_add(&text, " to ");
    study_add_iteration(study, (uint32_t)study->instance_count - 1, &text);
    error_set(error, "%s: there is no such iteration in the trace; there are %zu, from %s",
              where, study->instance_count, text_string(&text));
    text_free(&text);
    return false;
}

/* WHERE as PHASE:LIST.  False with IS_LIST if it is one and there is none of them. */
static bool choose_listed(struct study *study, const char *where, bool *is_list)
{
    const char *colon = strrchr(where, ':');
    bool any = false;
    *is_list = false;
    if (!colon)
        return false;
    is_in_list(colon + 1, 0, is_list);
    for (size_t i = 0; *is_list && i < study->instance_count; i++) {
        const struct instance *of = &study->feed->instances.list[i];
        const char *phase = study_region(study, of->phase);
        bool ignored;
        study->instances[i] = strlen(phase) == (size_t)(colon - where) &&
                              strncmp(phase, where, (size_t)(colon - where)) == 0 &&
                              is_in_list(colon + 1, of->number, &ignored);
        any |= study->instances[i];
    }
    return any;
}

static bool choose_called(struct study *study, const char *name, bool with_calls)
{
    bool any = false, any_mpi = false;
    memset(study->nodes, 0, study->result.node_count * sizeof *study->nodes);
    for (uint32_t i = 0; i < study->trace->region_count; i++)
        if (strcmp(study_region(study, i), name) == 0) {
            choose_region(study, i);
            any_mpi |= study->feed->regions[i].is_mpi;
        }
    choose_below(study);
    if (!with_calls && !any_mpi)
        leave_out_calls(study, true);
    any = choose_paths(study, NULL);
    return any;
}

bool chosen_places(struct study *study, const char *where, bool with_calls, struct error *error)
{
    bool is_list;
    if (choose_called(study, where, with_calls))
        return true;
    if (strcmp(where, "iterations") == 0) {
        memset(study->instances, 1, study->instance_count * sizeof *study->instances);
        return choose_iterations(study, with_calls) || no_iteration(study, where, error);
    }
    if (choose_listed(study, where, &is_list))
        return choose_iterations(study, with_calls) || no_iteration(study, where, error);
    return is_list ? no_iteration(study, where, error)
                   : nothing_called(study, where, false, error);
}
