/*
 * Reading summaries that are damaged or lie: no file does more than fail with a message.
 */
#include "accuracy/checks.h"
#include "accuracy/quality.h"
#include "query/iterations.h"
#include "query/paths.h"
#include "query/sums.h"
#include "report/report.h"
#include "tap.h"
#include "tests/unit/utils/summary_reading.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void report_everything(const struct summary *summary, const struct selection *all,
                              const struct path_tree *tree)
{
    struct options options = everything();
    struct error error;
    struct report report = {.summary = summary,
                            .selection = all,
                            .tree = tree,
                            .metric = summary_metric(summary, "time"),
                            .palette = palette_for("never"),
                            .is_time = true,
                            .columns = 80};
    if (report.metric == SUMMARY_NONE || !scope_make(&report.scope, all, &options, &error))
        return;
    report_measure(&report);
    report_findings(&report);
    report_metrics(&report);
    report_iterations(&report);
    report_more_findings(&report);
    report_paths(&report);
    report_samples(&report);
    report_trust(&report);
    text_free(&report.text);
}

/* Does with a summary what the commands do, for the sanitizers to watch. */
static void exercise(const struct summary *summary)
{
    struct options options = everything();
    struct selection all = select_with(summary, &options);
    struct check accounting = check_accounting(summary), totals = check_totals(summary);
    struct path_tree *tree = path_tree_build(summary);
    struct path_values *values = path_values_create(tree);
    free(metrics_in_use(summary));
    for (uint32_t p = 0; p < summary->phase_count; p++)
        for (size_t r = 0; r < all.rank_count; r++)
            for (uint64_t i = 0; i < 8; i++)
                iteration_paths(&all.ranks[r], p, i, METRICS_INCLUSIVE, values);
    if (summary->metric_count > 0 && summary->phase_count > 1)
        iteration_view_free(iteration_view_create(&all, 1, 0));
    if (summary->metric_count > 0)
        report_everything(summary, &all, tree);
    for (uint32_t p = 0; p < summary->phase_count; p++) {
        struct quality *quality = quality_create(&all, p);
        quality_verdict(quality);
        free(quality_doubtful(quality).ranges);
        quality_free(quality);
    }
    path_values_free(values);
    path_tree_free(tree);
    text_free(&accounting.first);
    text_free(&totals.first);
    selection_free(&all);
}

/* True if BYTES were read, or refused with a message that names the file. */
static bool survives(const void *bytes, size_t size)
{
    struct error error;
    struct summary *summary = read_bytes(bytes, size, &error);
    if (summary)
        exercise(summary);
    summary_free(summary);
    return summary || (strncmp(error.text, reading_path, strlen(reading_path)) == 0 &&
                       strlen(error.text) > strlen(reading_path) + 2);
}

/* True if the file of MAKER, which is freed, is refused with a message that has WORDS. */
static bool is_refused(struct maker *maker, const char *words)
{
    struct error error;
    struct summary *summary = read_maker(maker, &error);
    bool refused = !summary && strstr(error.text, words);
    if (!refused)
        printf("# %s\n", summary ? "it was read" : error.text);
    summary_free(summary);
    maker_free(maker);
    return refused;
}

/* The section of KIND, empty but for a count. */
static struct encoder *replace_section(struct maker *maker, enum format_section kind,
                                       unsigned count)
{
    struct encoder *section = &maker->sections[kind];
    encoder_free(section);
    encode_varint(section, count);
    return section;
}

static void test_more_than_any_file_has_is_refused(void)
{
    static const struct {
        enum format_section kind;
        unsigned most, item_bytes;
    } limits[] = {{SECTION_METRICS, FORMAT_METRICS_MOST, 6},
                  {SECTION_RUN, FORMAT_FACTS_MOST, 2},
                  {SECTION_PHASES, FORMAT_PHASES_MOST, 3}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct maker maker;
        maker_example(&maker);
        struct encoder *section = replace_section(&maker, limits[i].kind, limits[i].most + 1);
        for (unsigned k = 0; k < (limits[i].most + 1) * limits[i].item_bytes; k++)
            encode_varint(section, 0);
        OK(is_refused(&maker, "is one too many"), "%u of kind %d", limits[i].most + 1,
           (int)limits[i].kind);
    }
}

static void test_more_series_than_any_location_has_are_refused(void)
{
    enum { BEFORE_SERIES = 10, SERIES_BYTES = 10 };
    struct maker maker;
    maker_example(&maker);
    struct encoder *location = &maker.locations[0];
    encoder_free(location);
    for (unsigned i = 0; i < BEFORE_SERIES; i++)
        encode_varint(location, 0);
    encode_varint(location, FORMAT_SERIES_MOST + 1);
    for (unsigned i = 0; i < (FORMAT_SERIES_MOST + 1) * SERIES_BYTES; i++)
        encode_varint(location, 0);
    OK(is_refused(&maker, "is one too many"), "%u series", FORMAT_SERIES_MOST + 1);
}

/* One function that calls itself DEPTH times; a path of so many names is DEPTH times as long.
 */
static void make_deep(struct maker *maker, unsigned depth, size_t name_bytes)
{
    char *name = allocate(name_bytes + 1, 1);
    memset(name, 'f', name_bytes);
    maker_example(maker);
    struct encoder *regions = &maker->sections[SECTION_REGIONS];
    encoder_free(regions);
    encode_varint(regions, 30);
    for (unsigned i = 0; i < 30; i++) {
        encode_string(regions, i ? name : "program");
        encode_bytes(regions, "\0\0\0\0\0\0", 6);
    }
    struct encoder *tree = replace_section(maker, SECTION_CALLTREE, depth);
    for (unsigned i = 0; i < depth; i++) {
        encode_varint(tree, i);
        encode_varint(tree, i > 0);
        encode_varint(tree, 0);
    }
    free(name);
}

static void test_call_paths_have_bounded_names(void)
{
    struct maker maker;
    struct error error;
    make_deep(&maker, 1025, (1 << 16) - 1);
    OK(is_refused(&maker, "too long names"), "64 MiB and some bytes are refused");
    make_deep(&maker, 1024, (1 << 16) - 1);
    struct summary *summary = read_maker(&maker, &error);
    OK(summary, "64 MiB are not%s%s", summary ? "" : ": ", summary ? "" : error.text);
    summary_free(summary);
    maker_free(&maker);
}

static void test_a_file_cut_anywhere_is_refused(void)
{
    struct maker maker;
    struct encoder file = {0};
    struct error error;
    unsigned read = 0, silent = 0;
    maker_example(&maker);
    maker_write(&maker, &file);
    for (size_t size = 0; size < file.size; size += tap_stride()) {
        struct summary *summary = read_bytes(file.bytes, size, &error);
        read += summary != NULL;
        silent += !summary && !error.text[0];
        summary_free(summary);
    }
    EQ_INT(read, 0, "none of %zu beginnings is taken for a summary", file.size);
    EQ_INT(silent, 0, "each gives a message");
    encoder_free(&file);
    maker_free(&maker);
}

static void test_a_changed_byte_anywhere_is_found(void)
{
    struct maker maker;
    struct encoder file = {0};
    struct error error;
    unsigned read = 0;
    maker_example(&maker);
    maker_write(&maker, &file);
    for (size_t i = 0; i < file.size; i += tap_stride()) {
        file.bytes[i] ^= 0xff;
        struct summary *summary = read_bytes(file.bytes, file.size, &error);
        read += summary != NULL;
        summary_free(summary);
        file.bytes[i] ^= 0xff;
    }
    EQ_INT(read, 0, "none of %zu changed files is read", file.size);
    encoder_free(&file);
    maker_free(&maker);
}

/* Changes each byte of CONTENT in turn; how many of the files were not survived. */
static unsigned change_bytes(const struct maker *maker, struct encoder *content,
                             unsigned char mask)
{
    unsigned lost = 0;
    for (size_t i = 0; i < content->size; i += tap_stride()) {
        struct encoder file = {0};
        content->bytes[i] ^= mask;
        maker_write(maker, &file);
        lost += !survives(file.bytes, file.size);
        content->bytes[i] ^= mask;
        encoder_free(&file);
    }
    return lost;
}

static void test_wrong_content_with_right_checksums_is_survived(void)
{
    static const unsigned char masks[] = {0xff, 0x01};
    struct maker maker;
    maker_example(&maker);
    for (size_t m = 0; m < sizeof masks; m++) {
        unsigned lost = 0;
        for (size_t kind = SECTION_RUN; kind < SECTION_LOCATION; kind++)
            lost += change_bytes(&maker, &maker.sections[kind], masks[m]);
        for (uint32_t i = 0; i < maker.location_count; i++)
            lost += change_bytes(&maker, &maker.locations[i], masks[m]);
        EQ_INT(lost, 0, "every byte of content changed by 0x%02x", masks[m]);
    }
    maker_free(&maker);
}

static void test_content_cut_anywhere_with_right_checksums_is_refused(void)
{
    struct maker maker;
    struct error error;
    unsigned read = 0;
    maker_example(&maker);
    for (size_t kind = SECTION_RUN; kind < SECTION_LOCATION + maker.location_count; kind++) {
        struct encoder *content = kind < SECTION_LOCATION
                                      ? &maker.sections[kind]
                                      : &maker.locations[kind - SECTION_LOCATION];
        size_t whole = content->size;
        for (content->size = 0; content->size < whole; content->size += tap_stride()) {
            struct summary *summary = read_maker(&maker, &error);
            read += summary != NULL;
            summary_free(summary);
        }
        content->size = whole;
    }
    EQ_INT(read, 0, "no section may end early");
    maker_free(&maker);
}

/* Replaces CONTENT by varints and reads; true if that is refused with a message with WORDS. */
static bool refuses(struct maker *maker, struct encoder *content, const uint64_t *numbers,
                    size_t count, const char *words)
{
    struct error error;
    encoder_free(content);
    for (size_t i = 0; i < count; i++)
        encode_varint(content, numbers[i]);
    struct summary *summary = read_maker(maker, &error);
    if (summary || !strstr(error.text, words))
        printf("# %s\n", summary ? "was read" : error.text);
    bool refused = !summary && strstr(error.text, words);
    summary_free(summary);
    return refused;
}

#define REFUSES(section, words, what, ...)                                                     \
    do {                                                                                       \
        struct maker maker;                                                                    \
        const uint64_t numbers[] = {__VA_ARGS__};                                              \
        maker_example(&maker);                                                                 \
        OK(refuses(&maker, &maker.section, numbers, sizeof numbers / sizeof numbers[0],        \
                   words),                                                                     \
           what);                                                                              \
        maker_free(&maker);                                                                    \
    } while (0)

/* Rank 0, thread 0, on no host, process 5, which has ended normally. */
#define PLACE 0, 0, 0, 5, 0

/* A location without any numbers. */
#define NOTHING 1, 1, 0, 0, 0, 0, 0

/* A location with one series, up to the clusters that were asked for. */
#define SERIES(asked) PLACE, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 's', asked

#define NO_SQUARES 0, 0, 0, 0, 0, 0, 0, 0
/* Doubles whose last two bytes are those of one varint. */
#define A_HALF          0, 0, 0, 0, 0, 0, 8160
#define NOT_A_NUMBER    0, 0, 0, 0, 0, 0, 16376
#define INFINITE        0, 0, 0, 0, 0, 0, 16368
#define MINUS_ONE_AND_1 0, 0, 0, 0, 0, 0, 24560  /* followed by a 1 */
#define MINUS_0_AND_1   0, 0, 0, 0, 0, 0, 0, 128 /* likewise */

static void test_impossible_errors_are_named(void)
{
    REFUSES(locations[0], "unnamed", "a method without a name", PLACE, 1, 1, 0, 0, 0, 1, 1, 0,
            1, 1, 0, 2, 0, 0, 0, 0, 0, 0);
    REFUSES(locations[0], "maxima", "a maximum of no metric", SERIES(2), 1, 99, 1, 0, 0, 0);
    REFUSES(locations[0], "maxima", "two maxima of one metric", SERIES(2), 2, 3, 1, 0, 1, 0, 0,
            0);
    REFUSES(locations[0], "maxima is 0", "a maximum of 0", SERIES(2), 1, 3, 0, 0, 0, 0);
    REFUSES(locations[0], "ends before", "more maxima than bytes", SERIES(2), UINT64_MAX, 1, 1,
            1);
    REFUSES(locations[0], "spreads", "a spread that is no number", SERIES(2), 1, 3, 7, 0, 0, 1,
            2, 0, 0, 0, NOT_A_NUMBER, 1, 2, 1, 0);
    REFUSES(locations[0], "spreads", "an infinite spread", SERIES(2), 1, 3, 7, 0, 0, 1, 2, 0, 0,
            0, INFINITE, 1, 2, 1, 0);
    REFUSES(locations[0], "spreads", "a negative spread", SERIES(2), 1, 3, 7, 0, 0, 1, 2, 0, 0,
            0, MINUS_ONE_AND_1, 2, 1, 0);
    REFUSES(locations[0], "spreads", "a negative zero", SERIES(2), 1, 3, 7, 0, 0, 1, 2, 0, 0, 0,
            MINUS_0_AND_1, 2, 1, 0);
    REFUSES(locations[0], "another size", "but half a nanosecond squared is fine", SERIES(2), 1,
            3, 7, 0, 0, 1, 2, 0, 0, 0, A_HALF, 0, 0, 1, 3, 1, 0);
    REFUSES(locations[0], "ends before", "a cluster without its spreads", SERIES(2), 1, 3, 7, 0,
            0, 1, 2, 0, 0, 0, 1, 2, 1, 0);
    REFUSES(locations[0], "keeps every iteration", "neither all iterations nor clusters",
            SERIES(2), 0, 2, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "ends before", "more largest values than bytes", SERIES(2), 0, 0,
            1 << 30, 1, 1, 1, 0);
    REFUSES(locations[0], "largest values", "a largest value of no call path", SERIES(2), 0, 0,
            1, 99, 3, 7, 0, NO_SQUARES, 1, 1, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "largest values", "a largest value of no metric", SERIES(2), 0, 0, 1,
            1, 99, 7, 0, NO_SQUARES, 1, 1, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "largest values", "a largest value of 0", SERIES(2), 0, 0, 1, 1, 3, 0,
            0, NO_SQUARES, 1, 1, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "largest values", "a largest value below 0", SERIES(2), 0, 0, 1, 1, 3,
            UINT64_MAX, 0, NO_SQUARES, 1, 1, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "largest values", "a largest value of no iteration", SERIES(2), 0, 0,
            1, 1, 3, 7, 1, NO_SQUARES, 1, 1, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "another size", "but one of an iteration is fine", SERIES(2), 0, 0, 1,
            1, 3, 7, 0, NO_SQUARES, 1, 1, 0, 0, 0, 1, 2, 1, 0);
    REFUSES(locations[0], "squares", "squares that are no number", SERIES(2), 0, 0, 1, 1, 3, 7,
            0, NOT_A_NUMBER, 1, 1, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "squares", "negative squares", SERIES(2), 0, 0, 1, 1, 3, 7, 0,
            MINUS_ONE_AND_1, 1, 0, 0, 0, 1, 1, 1, 0);
}

static void test_impossible_presence_is_named(void)
{
    REFUSES(locations[0], "ends before", "more presences than bytes", SERIES(2), 0, 0, 0, 1, 2,
            0, 0, 0, UINT64_MAX, 1, 2, 1, 0);
    REFUSES(locations[0], "not there", "presence of no call path", SERIES(2), 0, 0, 0, 1, 2, 0,
            0, 0, 2, 99, 1, 0, 0, 1, 2, 1, 0);
    REFUSES(locations[0], "out of order", "presence twice", SERIES(2), 0, 0, 0, 1, 2, 0, 0, 0,
            3, 1, 1, 0, 0, 1, 0, 0, 1, 2, 1, 0);
    REFUSES(locations[0], "presences is impossible", "presence in no iteration", SERIES(2), 0,
            0, 0, 1, 2, 0, 0, 0, 2, 1, 0, 1, 0, 1, 2, 1, 0);
    REFUSES(locations[0], "presences is impossible", "presence in more than there are",
            SERIES(2), 0, 0, 0, 1, 2, 0, 0, 0, 2, 1, 1, 2, 0, 1, 2, 1, 0);
    REFUSES(locations[0], "presences is impossible", "presence in very many", SERIES(2), 0, 0,
            0, 1, 2, 0, 0, 0, 2, 1, 1, UINT64_MAX, 0, 1, 2, 1, 0);
    REFUSES(locations[0], "another size", "but one that may be is fine", SERIES(2), 0, 0, 0, 1,
            2, 0, 0, 0, 2, 1, 1, 1, 0, 1, 3, 1, 0);
}

static void test_what_is_out_of_range_is_named(void)
{
    REFUSES(sections[SECTION_CALLTREE], "CALLTREE", "a tree without a root", 0);
    REFUSES(sections[SECTION_CALLTREE], "parent", "a node that is its own parent", 1, 1, 0, 0);
    REFUSES(sections[SECTION_CALLTREE], "second root", "two roots", 2, 0, 0, 0, 0, 0, 0);
    REFUSES(sections[SECTION_CALLTREE], "region", "a node of no region", 1, 0, 99, 0);
    REFUSES(sections[SECTION_CALLTREE], "ends before", "more nodes than bytes", UINT64_MAX, 0);
    REFUSES(sections[SECTION_CALLTREE], "belong to nothing", "bytes left over", 1, 0, 0, 0, 7);
    REFUSES(sections[SECTION_SYSTEM], "ends before", "a host of more facts than bytes", 1, 1,
            'h', 99, 0, 0);
    REFUSES(sections[SECTION_SYSTEM], "belong to nothing", "a host too many", 0, 1, 'h', 0);
    REFUSES(locations[0], "host", "a host that is not there", 0, 0, 5, 5, 0, NOTHING);
    REFUSES(locations[0], "rank", "a rank of no number", UINT64_MAX, 0, 0, 5, 0, NOTHING);
    REFUSES(locations[0], "ends before", "an ending that does not end", 0, 0, 0, 5, 99,
            NOTHING);
    REFUSES(locations[1], "out of order", "a rank and thread twice", PLACE, NOTHING);
    REFUSES(locations[0], "out of order", "a rank after a higher one", 7, 0, 0, 5, 0, NOTHING);
    REFUSES(locations[0], "call path", "a cell of no node", PLACE, 1, 1, 0, 1, 99, 0, 2);
    REFUSES(locations[0], "metric", "a cell of no metric", PLACE, 1, 1, 0, 1, 0, 99, 2);
    REFUSES(locations[0], "out of order", "the same cell twice", PLACE, 1, 1, 0, 2, 0, 2, 2, 0,
            2, 2, 0);
    REFUSES(locations[0], "without iterations", "an empty cluster", SERIES(2), 0, 0, 0, 1, 0, 0,
            0, 0);
    REFUSES(locations[0], "another size", "a cluster larger than the map", SERIES(2), 0, 0, 0,
            1, 9, 0, 0, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "length", "a map longer than any run", SERIES(2), 0, 0, 0, 1, 9, 0, 0,
            0, 0, 0, 1, UINT64_MAX, 1, 0);
    REFUSES(locations[0], "cluster", "a map into no cluster", SERIES(2), 0, 0, 0, 1, 9, 0, 0, 0,
            0, 0, 1, 9, 3, 0);
    REFUSES(locations[0], "another size",
            "an iteration of a cluster that is nowhere in the map", SERIES(2), 0, 0, 0, 1, 9, 0,
            0, 0, 0, 0, 2, 1, 1, 7, 2, 0);
    REFUSES(locations[0], "equivalence", "an unknown equivalence", PLACE, 1, 1, 0, 0, 0, 1, 1,
            0, 9, 1, 1, 's', 2, 0, 0, 0, 0, 0);
    REFUSES(locations[0], "duration", "a wall time of centuries", PLACE, UINT64_MAX, 1);
}

/* A pair of location 0, metric 1, node 5, for location 1: once, for 7 ns; without reasons. */
#define PAIR 0, 1, 5, 2, 1, 7, 7, 0

static void test_impossible_waits_are_named(void)
{
    REFUSES(waits, "location that is not there", "a location", 1, 9, 1, 5, 2, 1, 7, 7, 0, 0);
    REFUSES(waits, "metric that is not there", "a metric", 1, 0, 9999, 5, 2, 1, 7, 7, 0, 0);
    REFUSES(waits, "call path that is not there", "a node", 1, 0, 1, 999, 2, 1, 7, 7, 0, 0);
    REFUSES(waits, "waits for a location", "a cause", 1, 0, 1, 5, 9, 1, 7, 7, 0, 0);
    REFUSES(waits, "do not add up", "no wait", 1, 0, 1, 5, 2, 0, 7, 7, 0, 0);
    REFUSES(waits, "do not add up", "a longer one than all", 1, 0, 1, 5, 2, 2, 7, 8, 0, 0);
    REFUSES(waits, "do not add up", "too short ones", 1, 0, 1, 5, 2, 2, 7, 3, 0, 0);
    REFUSES(waits, "out of order", "a pair twice", 2, PAIR, PAIR, 0);
    REFUSES(waits, "reasons", "too many reasons", 1, 0, 1, 5, 2, 1, 7, 7, 2, 4, 0, 4, 5, 0, 4,
            0);
    REFUSES(waits, "reasons", "an empty reason", 1, 0, 1, 5, 2, 1, 7, 7, 1, 4, 0, 0, 0);
    REFUSES(waits, "neither direct", "a reason of another kind", 1, 0, 1, 5, 2, 1, 7, 7, 1, 4,
            2, 4, 0);
    REFUSES(waits, "ends before", "more pairs than bytes", UINT64_MAX, PAIR, 0);
    REFUSES(waits, "phase that is not there", "a phase", 1, PAIR, 1, 0, 1, 5, 9, 0, 0, 7, 2, 5,
            0);
    REFUSES(waits, "no length", "a wait of no time", 1, PAIR, 1, 0, 1, 5, 0, 0, 0, 0, 2, 5, 0);
}

static void test_other_files_are_told_apart(void)
{
    struct maker maker;
    struct error error;
    maker_example(&maker);
    maker.version = 3;
    OK(!read_maker(&maker, &error) && strstr(error.text, "version 3") &&
           strstr(error.text, "later one"),
       "a later version");
    maker.version = 1;
    OK(!read_maker(&maker, &error) && strstr(error.text, "version 1") &&
           strstr(error.text, "wrote it"),
       "an earlier version");
    maker.version = FORMAT_VERSION;
    maker.version_more = 2;
    OK(!read_maker(&maker, &error) && strstr(error.text, "version 3"), "a later section");
    maker.version_more = 0;
    maker.encoding = 2;
    OK(!read_maker(&maker, &error) && strstr(error.text, "encoding 2"), "another encoding");
    maker.encoding = 1;
    OK(!read_maker(&maker, &error) && strstr(error.text, "decompressed"), "what is no frame");
    maker.encoding = 0;
    maker.state = 0;
    OK(!read_maker(&maker, &error) && strstr(error.text, "never finished"),
       "an unfinished one");
    maker.state = 7;
    OK(!read_maker(&maker, &error) && strstr(error.text, "state 7"), "an unknown state");
    maker_free(&maker);
    OK(!read_bytes("", 0, &error) && strstr(error.text, "empty"), "an empty file");
    OK(!read_bytes("\x7f"
                   "ELF",
                   4, &error) &&
           strstr(error.text, "not a tsprof"),
       "another kind");
    OK(!read_bytes("TSPROF\n", 7, &error) && strstr(error.text, "text"),
       "a text-mode transfer");
    OK(!summary_read(reading_directory, &error) && strstr(error.text, "regular"),
       "a directory");
    OK(!summary_read("/no/such/file", &error) && strstr(error.text, "No such"), "no file");
    char fifo[80];
    snprintf(fifo, sizeof fifo, "%s/fifo", reading_directory);
    OK(mkfifo(fifo, 0600) == 0 && !summary_read(fifo, &error) && strstr(error.text, "regular"),
       "a pipe, without waiting for a writer");
    unlink(fifo);
}

static void test_a_partial_file_is_read(void)
{
    struct maker maker;
    struct error error;
    maker_example(&maker);
    maker.state = FORMAT_PARTIAL;
    struct summary *summary = read_maker(&maker, &error);
    OK(summary && summary->state == FORMAT_PARTIAL, "and known to be partial");
    summary_free(summary);
    maker_free(&maker);
}

static void test_a_huge_sparse_file_is_refused_at_once(void)
{
    struct error error;
    maker_save(reading_path, FORMAT_MAGIC, FORMAT_MAGIC_BYTES);
    if (truncate(reading_path, (off_t)1 << 40) != 0) {
        OK(true, "# SKIP no files of 1 TiB here");
        return;
    }
    OK(!summary_read(reading_path, &error), "1 TiB of nothing: %s", error.text);
}

int main(void)
{
    if (!reading_start())
        return 1;
    test_more_than_any_file_has_is_refused();
    test_more_series_than_any_location_has_are_refused();
    test_call_paths_have_bounded_names();
    test_a_file_cut_anywhere_is_refused();
    test_a_changed_byte_anywhere_is_found();
    test_wrong_content_with_right_checksums_is_survived();
    test_content_cut_anywhere_with_right_checksums_is_refused();
    test_what_is_out_of_range_is_named();
    test_impossible_errors_are_named();
    test_impossible_presence_is_named();
    test_impossible_waits_are_named();
    test_other_files_are_told_apart();
    test_a_partial_file_is_read();
    test_a_huge_sparse_file_is_refused_at_once();
    reading_stop();
    return tap_done();
}
