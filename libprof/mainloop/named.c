/* See named.h. */
#include "mainloop/named.h"

#include "host/host.h"
#include "iterations/iterations.h"
#include "unwind/unwind.h"

#include <errno.h>

static struct iteration_item named = {.kind = ITERATION_AUTO};

bool named_start(void)
{
    struct iteration_spec spec;
    if (!iteration_spec_read(config.text[SETTING_ITERATION], &spec) || spec.count != 1)
        return false;
    named = spec.items[0];
    return named.kind == ITERATION_AUTO ||
           (named.kind == ITERATION_LOOP && function_names_start());
}

bool named_is_set_async(void)
{
    return named.kind == ITERATION_LOOP;
}

/* Whether the code of LOOP, of the function NODE, is entered where TSPROF_ITERATION says. */
static bool is_entered_there(const struct node *node, const struct loop *loop)
{
    return named.number == 0 ||
           (loop->entry && loop->entry - code_address(node->key) == (uint64_t)named.number);
}

static bool is_in_function(const struct cct *tree, uint32_t node)
{
    struct iteration_text path = named.name, function;
    return iteration_path_last(&path, &function) &&
           iteration_name_matches(function, function_names_of(&tree->nodes[node])) &&
           function_names_match_path(tree, node, path);
}

bool named_is(const struct cct *tree, const struct loop *loop)
{
    const uint32_t node = tree->nodes[loop->header].parent;
    const int saved = errno;
    if (!named_is_set_async())
        return true;
    const bool is = tree->nodes[node].kind == NODE_FUNCTION &&
                    is_entered_there(&tree->nodes[node], loop) && is_in_function(tree, node);
    function_names_close();
    errno = saved;
    return is;
}
