/* See runtime_nodes.h. */
#include "openmp/runtime_nodes.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* How the names of modules begin: those of GCC, LLVM and Intel. */
static const char *const runtimes[] = {"libgomp.so", "libgomp-",   "libomp.so",
                                       "libomp-",    "libomp5.so", "libiomp5.so"};
static const char *const c_libraries[] = {"libc.so", "libc-", "libpthread", "ld-linux",
                                          "[vdso]"};

static bool begins_with_any(const char *name, const char *const *beginnings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

enum role { ROLE_OTHER, ROLE_RUNTIME, ROLE_C_LIBRARY };

static enum role role_of_module(const struct module_entry *module)
{
    const char *slash = strrchr(module->path, '/'), *name = slash ? slash + 1 : module->path;
    if (begins_with_any(name, runtimes, sizeof runtimes / sizeof runtimes[0]))
        return ROLE_RUNTIME;
    if (begins_with_any(name, c_libraries, sizeof c_libraries / sizeof c_libraries[0]))
        return ROLE_C_LIBRARY;
    return ROLE_OTHER;
}

/* By module; for the caller to free(). */
static enum role *find_roles(const struct summary *summary)
{
    enum role *roles = allocate(summary->module_count, sizeof *roles);
    for (size_t i = 0; i < summary->module_count; i++)
        roles[i] = role_of_module(&summary->modules[i]);
    return roles;
}

static bool is_in_runtime(const struct summary *summary, const enum role *roles,
                          const bool *nodes, size_t node)
{
    const struct region_entry *region = &summary->regions[summary->nodes[node].region];
    if (region->kind != REGION_FUNCTION || region->module == SUMMARY_NONE)
        return false;
    return roles[region->module] == ROLE_RUNTIME ||
           (roles[region->module] == ROLE_C_LIBRARY && node > 0 &&
            nodes[summary->nodes[node].parent]);
}

bool *runtime_nodes_find(struct summary *summary)
{
    bool *nodes = memory_pool_allocate(&summary->pool, summary->node_count, sizeof *nodes);
    enum role *roles = find_roles(summary);
    bool any = false;
    /* Parents come before their children. */
    for (size_t i = 0; i < summary->node_count; i++) {
        nodes[i] = is_in_runtime(summary, roles, nodes, i);
        any = any || nodes[i];
    }
    free(roles);
    return any ? nodes : NULL;
}

bool *runtime_nodes_below(const struct summary *summary, const bool *nodes)
{
    bool *below = allocate(summary->node_count, sizeof *below);
    for (size_t i = 0; i < summary->node_count; i++)
        below[i] = nodes[i] || (i > 0 && below[summary->nodes[i].parent]);
    return below;
}
