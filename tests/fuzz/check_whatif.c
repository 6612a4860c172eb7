/* See check_whatif.h. */
#include "check_whatif.h"

#include "replay/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS_MOST = 40 }; /* that are tried */

static _Noreturn void fail(const char *what, uint64_t got, uint64_t wanted)
{
    fprintf(stderr, "fuzz_replay: what if: %s: %" PRIu64 ", not %" PRIu64 "\n", what, got,
            wanted);
    abort();
}

static void need(bool good, const char *what)
{
    if (!good)
        fail(what, 0, 1);
}

static uint64_t predict(struct whatif *whatif, const struct whatif_changes *changes)
{
    struct whatif_outcome outcome;
    need(whatif_predict(whatif, changes, NULL, 0, &outcome), "memory for a prediction");
    const uint64_t ns = outcome.is_stuck ? UINT64_MAX : outcome.ns;
    whatif_outcome_free(&outcome);
    return ns;
}

/* Each call without its wait. */
static void check_calls(struct whatif *whatif, struct whatif_search *search)
{
    size_t crossings;
    const struct whatif_crossing *all = whatif_search_crossings(search, &crossings);
    const size_t calls = whatif_facts(whatif).calls;
    for (uint32_t i = 0; i < calls && i < CALLS_MOST; i++) {
        struct whatif_changes *changes = whatif_changes(whatif);
        bool crosses = false;
        need(changes != NULL, "memory for changes");
        for (size_t j = 0; j < crossings; j++)
            crosses |= all[j].call == i;
        whatif_call_never_waits(changes, i);
        whatif_call_never_waits(whatif_search_changes(search), i);
        const uint64_t whole = predict(whatif, changes), part = whatif_search_try(search);
        if (part != whole)
            fail("a search", part, whole);
        if (!crosses && whole < whatif_search_ns(search))
            fail("a wait beside the critical path", whole, whatif_search_ns(search));
        whatif_changes_free(changes);
    }
}

static void check_paths(struct whatif *whatif, struct whatif_search *search, bool *paths)
{
    struct whatif_changes *changes = whatif_changes(whatif);
    bool good;
    need(changes != NULL, "memory for changes");
    whatif_scale(changes, paths, 0.5);
    whatif_scale(whatif_search_changes(search), paths, 0.5);
    whatif_balance(changes, paths, &good);
    whatif_balance(whatif_search_changes(search), paths, &good);
    const uint64_t whole = predict(whatif, changes), part = whatif_search_try(search);
    if (part != whole)
        fail("a search of regions", part, whole);
    whatif_remove(changes, paths);
    predict(whatif, changes);
    whatif_use_network(changes, &(struct whatif_network){30, 7, 9, 0.5, 4, 3});
    predict(whatif, changes);
    whatif_changes_free(changes);
}

static void check_moves(struct whatif *whatif)
{
    predict(whatif, NULL);
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        const struct whatif_facts facts = whatif_facts(whatif);
        uint64_t last = 0;
        size_t cursor = 0;
        for (uint64_t ns = facts.begin_ns; ns < facts.end_ns && ns < facts.begin_ns + 999;
             ns++) {
            const uint64_t moved = whatif_moved(whatif, NULL, i, ns, &cursor);
            if (moved < last)
                fail("a time that goes back", moved, last);
            last = moved;
        }
    }
}

static void check_bounds(struct whatif *whatif, const bool *paths)
{
    struct whatif_breakdown parts[SCRIPT_PROCESSES];
    whatif_break_down(whatif, paths, parts);
    const uint64_t whole = whatif_bound(parts, SCRIPT_PROCESSES, (struct whatif_bound){0}),
                   bound = whatif_bound(parts, SCRIPT_PROCESSES,
                                        (struct whatif_bound){.no_wait = true});
    if (bound > whole)
        fail("a bound", bound, whole);
}

static void check_domino(struct whatif_search *search)
{
    size_t count;
    whatif_search_crossings(search, &count);
    struct whatif_domino known = {calloc(count + 1, sizeof(uint64_t))};
    struct whatif_crossing path[8];
    uint64_t ns;
    need(known.known_ns != NULL, "memory for a domino path");
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++)
        if (whatif_domino(search, &known, i, 4, path, 8, &ns) > 0 &&
            ns > whatif_search_ns(search))
            fail("a domino path", ns, whatif_search_ns(search));
    free(known.known_ns);
}

void check_whatif(struct whatif_recorder *recorder, const struct replay *replay)
{
    struct replay_result result;
    struct whatif *whatif = whatif_create(recorder, replay);
    struct whatif_search *search = whatif ? whatif_search(whatif, NULL) : NULL;
    need(search != NULL, "a graph and a search");
    replay_result(replay, &result);
    bool *paths = calloc(result.path_count + 1, sizeof *paths);
    need(paths != NULL, "memory for paths");
    for (size_t i = 0; i < result.path_count; i++)
        paths[i] = i % 3 != 0;
    if (predict(whatif, NULL) != whatif_search_ns(search))
        fail("an unchanged run", whatif_search_ns(search), predict(whatif, NULL));
    check_calls(whatif, search);
    check_paths(whatif, search, paths);
    check_domino(search);
    check_moves(whatif);
    check_bounds(whatif, paths);
    free(paths);
    whatif_search_free(search);
    whatif_free(whatif);
}
