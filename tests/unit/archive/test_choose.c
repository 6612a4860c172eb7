/* Which iterations processes agree on, and what is said of those that are missing. */
#include "archive/shortage.h"

#include "tests/unit/tap.h"

#include <string.h>

enum { SAID_BYTES = 1000 };

static char said[SAID_BYTES];

static void say(const char *text)
{
    const size_t at = strlen(said);
    snprintf(said + at, sizeof said - at, "%s|", text);
}

static struct trace_spec read_spec(const char *text)
{
    struct trace_spec spec;
    NEED(trace_spec_read(text, &spec));
    return spec;
}

static void there(struct supply *supply, uint32_t phase, uint64_t number, uint64_t score)
{
    offers_add(&supply->there, &(struct offer){phase, number, score});
    offers_sort(&supply->there);
}

static void gone(struct supply *supply, uint32_t phase, uint64_t number, uint64_t score)
{
    offers_add(&supply->gone, &(struct offer){phase, number, score});
    offers_sort(&supply->gone);
}

/* Whether OFFERS are those numbers of PHASE, up to a 0 behind the first. */
static bool are(const struct offers *offers, uint32_t phase, const uint64_t *numbers)
{
    size_t count = 0, same = 0;
    for (size_t i = 0; i < offers->count; i++)
        count += offers->list[i].phase == phase;
    for (; numbers[same]; same++)
        if (!offers_have(offers, phase, numbers[same]))
            return false;
    return same == count;
}

static void test_join(void)
{
    const struct trace_spec spec = read_spec("slowest:2");
    struct supply a = {.there.list = NULL}, b = {.there.list = NULL};
    for (uint64_t i = 1; i <= 5; i++)
        there(&a, 0, i, 10 * i);
    for (uint64_t i = 3; i <= 8; i++)
        there(&b, 0, i, 100 - i);
    there(&a, 1, 7, 70);
    there(&b, 2, 8, 80);
    there(&a, 3, 9, 90);
    gone(&b, 3, 4, 40);
    supply_join(&a, &b, &spec);
    OK(are(&a.there, 0, (uint64_t[]){3, 4, 5, 0}), "what both have");
    EQ_INT(a.there.list[0].score, 97, "with the higher score");
    OK(are(&a.there, 1, (uint64_t[]){7, 0}) && are(&a.there, 2, (uint64_t[]){8, 0}),
       "and all of phases that only one takes part in");
    OK(are(&a.there, 3, (uint64_t[]){0}), "but none of one that the other let go as a whole");
    OK(are(&a.gone, 0, (uint64_t[]){6, 7, 0}), "of the others the most important are known");
    OK(are(&a.gone, 3, (uint64_t[]){4, 9, 0}), "of each phase");
    offers_best(&a.there, spec.most);
    OK(are(&a.there, 0, (uint64_t[]){3, 4, 0}), "the best are taken");
    supply_free(&a);
    supply_free(&b);
}

static bool are_same(const struct offers *a, const struct offers *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->list[i].phase == b->list[i].phase && a->list[i].number == b->list[i].number &&
               a->list[i].score == b->list[i].score;
    return same;
}

/* Joined the other way round, or in another order, it comes to the same. */
static void test_order(void)
{
    const struct trace_spec spec = read_spec("slowest:3");
    struct supply one = {.there.list = NULL}, other = {.there.list = NULL};
    for (int way = 0; way < 2; way++)
        for (uint64_t i = 0; i < 4; i++) {
            struct supply of_rank = {.there.list = NULL};
            const uint64_t rank = way ? 3 - i : i;
            for (uint64_t n = 1; n <= 30; n++)
                if (n % (rank + 2) != 0)
                    there(&of_rank, 0, n, (n * 37 + rank * 11) % 101);
            struct supply *all = way ? &other : &one;
            supply_join(all, &of_rank, &spec);
            supply_free(&of_rank);
        }
    OK(one.there.count > 0 && are_same(&one.there, &other.there), "the same are there");
    OK(one.gone.count == 3 && are_same(&one.gone, &other.gone),
       "and the same is known of the others");
    supply_free(&one);
    supply_free(&other);
}

static void test_missing_of_the_best(void)
{
    const struct trace_spec spec = read_spec("slowest:3");
    struct supply supply = {.there.list = NULL};
    for (uint64_t i = 1; i <= 3; i++)
        there(&supply, 0, i, 10 * i);
    gone(&supply, 0, 4, 10);
    EQ_INT(supply_missing(&supply, &spec), 0, "one that is as slow is not missing");
    gone(&supply, 0, 5, 11);
    gone(&supply, 0, 6, 50);
    EQ_INT(supply_missing(&supply, &spec), 1, "of those that are slower, one of the three");
    gone(&supply, 0, 7, 25);
    EQ_INT(supply_missing(&supply, &spec), 2, "and with another one, two");
    supply.there.count = 0;
    EQ_INT(supply_missing(&supply, &spec), 3, "if there are too few, the best that are gone");
    supply_free(&supply);
}

static void test_missing_of_a_list(void)
{
    const struct trace_spec spec = read_spec("5-20,10-30,40,50-60");
    struct supply supply = {.there.list = NULL};
    for (uint64_t i = 5; i < 15; i++)
        there(&supply, 0, i, 1);
    EQ_INT(supply_missing(&supply, &spec), 0, "none");
    gone(&supply, 0, 15, 1);
    gone(&supply, 0, 52, 1);
    there(&supply, 0, 17, 1);
    there(&supply, 1, 18, 1);
    EQ_INT(supply_missing(&supply, &spec), 16 - 1 + 1 + 3, "numbers count once");
    gone(&supply, 1, 17, 1);
    gone(&supply, 1, 18, 1);
    supply.there.count--;
    EQ_INT(supply_missing(&supply, &spec), 19 + 2, "of each phase");
    supply_free(&supply);
}

static void test_encoding(void)
{
    struct supply supply = {.there.list = NULL}, copy = {.there.list = NULL};
    struct shortage shortage = {2, 17, 1500000000}, other = {1, 20, 0};
    struct encoder out = {0};
    there(&supply, 1, 2, 3);
    gone(&supply, 4, 5, 6);
    supply_encode(&supply, &out);
    shortage_encode(&shortage, &out);
    struct decoder in = {out.bytes, out.size, 0, false};
    OK(supply_decode(&copy, &in) && offers_have(&copy.there, 1, 2) &&
           offers_have(&copy.gone, 4, 5) && copy.gone.list[0].score == 6,
       "what is read is what was written");
    shortage = (struct shortage){0};
    shortage_decode(&shortage, &in);
    shortage_add(&shortage, &other);
    OK(shortage.processes == 3 && shortage.given_up == 20 && shortage.ended_ns == 1500000000 &&
           !in.failed && in.at == in.size,
       "and so is how much memory was missing");
    encoder_free(&out);
    supply_free(&supply);
    supply_free(&copy);
}

static void told(const struct shortage *shortage, const struct supply *supply,
                 const char *choice, size_t ranks, const char *wanted)
{
    const struct trace_spec spec = read_spec(choice);
    said[0] = '\0';
    shortage_tell(shortage, supply, &spec, ranks, say);
    if (!OK(strcmp(said, wanted) == 0, "%s", *wanted ? wanted : "nothing"))
        printf("# said: %s\n", said);
}

static void test_words(void)
{
    const struct shortage none = {0}, ended = {3, 0, 1250000000}, few = {2, 17, 0};
    struct supply supply = {.there.list = NULL};
    there(&supply, 0, 5, 50);
    there(&supply, 0, 6, 60);
    told(&none, &supply, "slowest:2", 4, "");
    told(&none, &supply, "all", 4, "");
    told(&ended, &supply, "all", 4,
         "TSPROF_TRACE_MEMORY was too little on 3 of 4 processes: recording ended after "
         "1.25 s or later|");
    told(&few, &supply, "slowest:2", 2,
         "TSPROF_TRACE_MEMORY was too little on 2 of 2 processes: 17 iterations were given up "
         "on each at most|");
    gone(&supply, 0, 7, 70);
    told(&none, &supply, "slowest:2", 2,
         "at least 1 of the 2 slowest iterations is missing, as not all processes have kept "
         "it|");
    gone(&supply, 0, 8, 70);
    told(&none, &supply, "new:2", 2,
         "at least 2 of the 2 iterations that differ most are missing, as not all processes "
         "have kept them|");
    told(&none, &supply, "slowest:3", 1,
         "at least 2 of the 3 slowest iterations are missing, as there was no room for them|");
    told(&none, &supply, "slowest:3", 2,
         "at least 2 of the 3 slowest iterations are missing, as not all processes have kept "
         "them|");
    told(&(struct shortage){1, 2, 0}, &supply, "5-20", 1,
         "TSPROF_TRACE_MEMORY was too little: the events of 2 iterations are missing|");
    told(&none, &supply, "5,6", 2, "");
    told(&none, &supply, "5,7", 2,
         "the events of 1 iteration that TSPROF_TRACE lists are missing, as not all processes "
         "have it|");
    supply_free(&supply);
}

int main(void)
{
    test_join();
    test_order();
    test_missing_of_the_best();
    test_missing_of_a_list();
    test_encoding();
    test_words();
    return tap_done();
}
