/* See answers.h. */
#include "plugins/answers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More of these is no pattern. */
enum { METRICS_MOST = 256, NAME_MOST = 100, TEXT_MOST = 1000 };

void answers_free(struct answers *answers)
{
    memory_pool_free(&answers->pool);
    free(answers->metrics);
    free(answers->found);
    free(answers->claimed);
    index_free(&answers->index);
}

/* NULL if it is longer than MOST bytes. */
static const char *take_text(struct answers *answers, struct decoder *in, size_t most)
{
    size_t length;
    const char *text = decode_string(in, &length);
    if (length > most || memchr(text, '\0', length))
        return NULL;
    return memory_pool_copy(&answers->pool, text, length);
}

static bool is_name(const char *text)
{
    return text && text[0] &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool take_metric(struct answers *answers, struct decoder *in, struct error *error)
{
    struct tsprof_metric *metric = &answers->metrics[answers->metric_count++];
    metric->name = take_text(answers, in, NAME_MOST);
    metric->parent = take_text(answers, in, NAME_MOST);
    metric->unit = take_text(answers, in, NAME_MOST);
    metric->text = take_text(answers, in, TEXT_MOST);
    if (!is_name(metric->name))
        return error_set(error,
                         "its metric %zu has no name of at most %d small letters, digits and _",
                         answers->metric_count, NAME_MOST);
    if (!metric->parent || !metric->unit || !metric->text)
        return error_set(error, "its metric %s has a text that is too long", metric->name);
    if (metric->parent[0] == '\0')
        metric->parent = NULL;
    return true;
}

bool answers_hello(struct answers *answers, struct decoder *in, struct error *error)
{
    const uint32_t version = decode_u32(in);
    if (!in->failed && version != TSPROF_PATTERN_VERSION)
        return error_set(error,
                         "it is written for version %" PRIu32
                         " of the interface, and this tsprof has version %d",
                         version, TSPROF_PATTERN_VERSION);
    const char *name = take_text(answers, in, NAME_MOST);
    answers->subscriptions = decode_u32(in);
    const uint32_t count = decode_u32(in);
    if (in->failed || !name || count == 0 || count > METRICS_MOST)
        return error_set(error, "it has no metrics, or does not say what a pattern says first");
    answers->metrics = allocate(count, sizeof *answers->metrics);
    for (uint32_t i = 0; i < count; i++)
        if (!take_metric(answers, in, error))
            return false;
    return !in->failed || error_set(error, "it has lost the end of its metrics");
}

void answers_expect(struct answers *answers, size_t calls)
{
    free(answers->claimed);
    answers->claimed = allocate(calls * answers->metric_count + 1, sizeof *answers->claimed);
}

struct sought {
    const struct answers *answers;
    uint32_t metric, path;
};

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct replay_found *one = &sought->answers->found[number];
    return one->metric == sought->metric && one->path == sought->path;
}

/* The sum for METRIC on PATH. */
static uint64_t *sum_of(struct answers *answers, uint32_t metric, uint32_t path)
{
    const struct sought sought = {answers, metric, path};
    reserve_index(&answers->index, answers->found_count + 1);
    const uint64_t hash = index_hash_number(index_hash_number(INDEX_HASH, metric), path);
    uint32_t *slot = index_slot(&answers->index, hash, is_same, &sought);
    if (*slot == 0) {
        if (answers->found_count == answers->found_room) {
            answers->found_room = answers->found_room ? 2 * answers->found_room : 64;
            answers->found =
                reallocate(answers->found, answers->found_room, sizeof *answers->found);
        }
        answers->found[answers->found_count++] = (struct replay_found){metric, path, 0};
        *slot = (uint32_t)answers->found_count;
    }
    return &answers->found[*slot - 1].amount;
}

static bool is_time(const struct tsprof_metric *metric)
{
    return metric_unit_by_name(metric->unit) == UNIT_seconds;
}

/* Notes that AMOUNT of METRIC is of the CALLth call; false if that is more than it lasted. */
static bool claim(struct answers *answers, uint32_t metric, const struct batch *batch,
                  uint32_t call, uint64_t amount, struct error *error)
{
    uint64_t *claimed = &answers->claimed[call * answers->metric_count + metric];
    const uint64_t ns = batch->calls[call].ns;
    if (__builtin_add_overflow(*claimed, amount, claimed) ||
        (is_time(&answers->metrics[metric]) && *claimed > ns))
        return error_set(error,
                         "it publishes %" PRIu64 " of %s for a call that takes %" PRIu64 " ns",
                         amount, answers->metrics[metric].name, ns);
    return true;
}

/* One severity. */
static bool take(struct answers *answers, struct decoder *in, const struct batch *batch,
                 struct error *error)
{
    const uint32_t metric = decode_u32(in), call = decode_u32(in);
    uint32_t path = decode_u32(in);
    const uint64_t amount = decode_u64(in);
    if (in->failed)
        return error_set(error, "it publishes something that is cut off");
    if (metric >= answers->metric_count)
        return error_set(error, "it publishes metric %" PRIu32 ", and has %zu", metric,
                         answers->metric_count);
    if (call != TSPROF_NONE) {
        if (call >= batch->call_count)
            return error_set(error, "it publishes %s for a call that it is not being told of",
                             answers->metrics[metric].name);
        if (!claim(answers, metric, batch, call, amount, error))
            return false;
        path = batch->calls[call].path;
    }
    uint64_t *sum = amount > 0 ? sum_of(answers, metric, path) : NULL;
    if (sum && (__builtin_add_overflow(*sum, amount, sum) || *sum > INT64_MAX))
        return error_set(error, "it publishes more of %s than there are numbers",
                         answers->metrics[metric].name);
    return true;
}

bool answers_found(struct answers *answers, struct decoder *in, const struct batch *batch,
                   struct error *error)
{
    while (in->at < in->size)
        if (!take(answers, in, batch, error))
            return false;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct replay_found *one = a, *other = b;
    if (one->metric != other->metric)
        return one->metric < other->metric ? -1 : 1;
    return one->path < other->path ? -1 : one->path > other->path;
}

static bool explain(enum replay_adopted result, const struct replay_adoption *adoption,
                    struct error *error)
{
    const struct tsprof_metric *metric = &adoption->metrics[adoption->metric];
    switch (result) {
    case REPLAY_ADOPTED:
        return true;
    case REPLAY_OUT_OF_MEMORY:
        out_of_memory();
    case REPLAY_NAME_TAKEN:
        return error_set(error, "there is a metric %s already", metric->name);
    case REPLAY_NO_PARENT:
        return error_set(error, "its metric %s is a part of %s, which there is not",
                         metric->name, metric->parent);
    case REPLAY_NO_UNIT:
        return error_set(error,
                         "the unit of its metric %s is \"%s\", and can be s, bytes or occ",
                         metric->name, metric->unit);
    case REPLAY_OTHER_UNIT:
        return error_set(error, "its metric %s is in %s, unlike %s, which it is a part of",
                         metric->name, metric->unit, metric->parent);
    case REPLAY_PARENT_IS_SUM:
        return error_set(error,
                         "its metric %s is a part of %s, which is only the sum of its parts; "
                         "it can be a part of one of those",
                         metric->name, metric->parent);
    case REPLAY_NO_PATH:
        return error_set(error, "it publishes %s for a call path that there is not",
                         metric->name);
    case REPLAY_TOO_MUCH:
        return error_set(
            error, "it publishes %" PRIu64 " of %s on a call path that has %" PRIu64 " of %s",
            adoption->amount, metric->name, adoption->most,
            metric->parent ? metric->parent : "it at most");
    }
    return false;
}

bool answers_adopt(struct answers *answers, struct replay *replay, struct error *error)
{
    if (answers->found_count > 0)
        qsort(answers->found, answers->found_count, sizeof *answers->found, compare);
    struct replay_adoption adoption = {.metrics = answers->metrics,
                                       .metric_count = answers->metric_count,
                                       .found = answers->found,
                                       .found_count = answers->found_count};
    return explain(replay_adopt(replay, &adoption), &adoption, error);
}
