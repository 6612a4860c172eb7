/*
 * Fuzz target: what TSPROF_ITERATION says.
 *
 * Each byte of the input is a piece of what may be written, or itself.  What is accepted lies
 * in the text, has a name, and a path can be taken apart; names match themselves.
 */
#include "common/iteration_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { TEXT_BYTES = 512 };

static const char *const pieces[] = {"call:",
                                     "MPI_Send",
                                     "@",
                                     "f",
                                     "a<b, c>",
                                     " > ",
                                     ";",
                                     ":12",
                                     ":",
                                     "every:",
                                     ":3",
                                     "time:",
                                     "0.5",
                                     "999999999999",
                                     "pcontrol",
                                     ",",
                                     "auto",
                                     "function:",
                                     "(x)",
                                     "operator()",
                                     "(anonymous namespace)::",
                                     "_MOD_",
                                     "__",
                                     "*",
                                     "?",
                                     "<",
                                     ">",
                                     "caliper:",
                                     "loop:",
                                     "+0x1f",
                                     "markers",
                                     "_"};

enum { PIECES = sizeof pieces / sizeof pieces[0] };

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "fuzz_iteration: %s: %s\n", what, text);
    abort();
}

static void compose(const uint8_t *data, size_t size, char text[TEXT_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const char itself[2] = {(char)data[i], '\0'};
        const char *piece = data[i] < PIECES ? pieces[data[i]] : itself;
        size_t length = strlen(piece);
        if (used + length >= TEXT_BYTES)
            break;
        memcpy(text + used, piece, length);
        used += length;
    }
    text[used] = '\0';
}

static void check_path(struct iteration_text path, const char *text)
{
    const char *end = path.start + path.length;
    struct iteration_text region;
    while (iteration_path_last(&path, &region)) {
        if (region.length == 0 || region.start + region.length > end)
            fail("a region is not in its path", text);
        end = region.start;
    }
}

static void check_item(const struct iteration_item *item, const char *text)
{
    char name[ITERATION_NAME_BYTES], own[TEXT_BYTES];
    iteration_item_name(item, name);
    if (!memchr(name, '\0', sizeof name))
        fail("a name has no end", text);
    if (item->name.length &&
        (item->name.start < text || item->name.start + item->name.length > text + strlen(text)))
        fail("a name is not in the text", text);
    if (item->kind == ITERATION_PATH || item->kind == ITERATION_LOOP)
        check_path(item->name, text);
    snprintf(own, sizeof own, "%.*s", (int)item->name.length, item->name.start);
    if (!iteration_name_matches(item->name, own))
        fail("a name does not match itself", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Of its own length, so that a sanitizer sees what lies behind it. */
    char composed[TEXT_BYTES];
    compose(data, size, composed);
    char *text = strdup(composed);
    struct iteration_spec spec;
    if (text && iteration_spec_read(text, &spec))
        for (size_t i = 0; i < spec.count; i++)
            check_item(&spec.items[i], text);
    if (text)
        iteration_name_matches((struct iteration_text){"a*b?*", 5}, text);
    free(text);
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *data, size_t most)
{
    static const uint8_t seeds[][8] = {{17, 4, 15, 16}, {0, 1, 2, 3, 7}, {0, 3, 5, 4, 5, 1},
                                       {0, 3, 6, 1},    {9, 1, 10},      {11, 12},
                                       {14, 8, 'x'},    {27, 23, 15, 28}};
    static const uint8_t lengths[] = {4, 5, 6, 4, 3, 2, 3, 4};
    if (number >= sizeof lengths || most < sizeof seeds[0])
        return 0;
    memcpy(data, seeds[number], lengths[number]);
    return lengths[number];
}
