/*
 * Writes the summary of a run that never was, of any size and always the same, for tests and
 * benchmarks of what reads summaries.
 *
 *     make_summary [OPTIONS] FILE
 *
 *     --iterations N    of the main loop [100]; 0: it is not there
 *     --ranks N         [16, or what --grid takes]
 *     --grid AxB[xC]    the ranks are in a Cartesian topology
 *     --paths N         nodes of the call tree [40]
 *     --clusters N      most on a rank [16]
 *     --phase NAME      of the main loop [timestep]
 *     --region NAME     of the function that computes most [update_pressure]
 *     --seed N          of what is left to chance [1]
 *
 * load.h says what there is to see in it.  One rank after the other is made, so that only what
 * is written takes memory.
 */
#include "assemble/sections.h"
#include "file/encode_definitions.h"
#include "file/zstd_codec.h"
#include "load.h"
#include "rank_numbers.h"
#include "tree.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MOST = 10000000 };

static const struct option options[] = {{"iterations", required_argument, NULL, 'i'},
                                        {"ranks", required_argument, NULL, 'r'},
                                        {"grid", required_argument, NULL, 'g'},
                                        {"paths", required_argument, NULL, 'p'},
                                        {"clusters", required_argument, NULL, 'c'},
                                        {"phase", required_argument, NULL, 'P'},
                                        {"region", required_argument, NULL, 'R'},
                                        {"seed", required_argument, NULL, 's'},
                                        {NULL, 0, NULL, 0}};

static _Noreturn void fail(const char *what, const char *of)
{
    fprintf(stderr, "make_summary: %s: %s\n", of, what);
    exit(2);
}

/* A whole number at *TEXT, which is moved behind it. */
static unsigned number(const char **text)
{
    char *end;
    unsigned long value = strtoul(*text, &end, 10);
    if (end == *text || **text == '-' || value > NUMBER_MOST)
        fail("is not a number that can be", *text);
    *text = end;
    return (unsigned)value;
}

static unsigned whole_number(const char *text)
{
    const char *at = text;
    unsigned value = number(&at);
    if (*at)
        fail("is not a number", text);
    return value;
}

static void read_grid(struct synthetic *synthetic, const char *text)
{
    const char *at = text;
    synthetic->dimensions = 0;
    synthetic->ranks = 1;
    do {
        if (synthetic->dimensions == DIMENSIONS_MOST)
            fail("has too many dimensions", text);
        unsigned size = number(&at);
        synthetic->sizes[synthetic->dimensions++] = size;
        synthetic->ranks *= size;
    } while (*at++ == 'x');
    synthetic->grid = true;
    if (at[-1])
        fail("is not like 8x4", text);
}

static void read_option(struct synthetic *synthetic, int option)
{
    switch (option) {
    case 'i':
        synthetic->iterations = whole_number(optarg);
        break;
    case 'r':
        synthetic->ranks = whole_number(optarg);
        break;
    case 'g':
        read_grid(synthetic, optarg);
        break;
    case 'p':
        synthetic->paths = whole_number(optarg);
        break;
    case 'c':
        synthetic->clusters = whole_number(optarg);
        break;
    case 'P':
        synthetic->phase = optarg;
        break;
    case 'R':
        synthetic->region = optarg;
        break;
    case 's':
        synthetic->seed = whole_number(optarg);
        break;
    default:
        exit(2);
    }
}

static struct synthetic read_options(int argc, char **argv)
{
    struct synthetic synthetic = {.iterations = 100,
                                  .ranks = 16,
                                  .paths = 40,
                                  .clusters = 16,
                                  .seed = 1,
                                  .phase = "timestep",
                                  .region = "update_pressure"};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        read_option(&synthetic, option);
    if (optind != argc - 1)
        fail("one file to write must be given", "FILE");
    if (!synthetic.grid) {
        synthetic.dimensions = 1;
        synthetic.sizes[0] = synthetic.ranks;
    }
    if (synthetic.ranks == 0)
        fail("there must be some", "--ranks");
    if (synthetic.paths < PATHS_LEAST || synthetic.clusters < CLUSTERS_LEAST)
        fail("is too small a number", synthetic.paths < PATHS_LEAST ? "--paths" : "--clusters");
    return synthetic;
}

static void add_run(const struct summary *summary, struct sections *sections)
{
    struct encoder content = {0};
    encode_varint(&content, summary->fact_count);
    for (size_t i = 0; i < summary->fact_count; i++) {
        encode_string(&content, summary->facts[i].key);
        encode_string(&content, summary->facts[i].value);
    }
    sections_add(sections, SECTION_RUN, FORMAT_NO_LOCATION, &content);
}

static void add_sections(const struct synthetic *synthetic, struct sections *sections)
{
    struct summary summary = {0};
    const struct work *work = tree_make(synthetic, &summary);
    add_run(&summary, sections);
    for (enum format_section kind = SECTION_METRICS; kind < SECTION_END; kind++) {
        struct encoder content = {0};
        if (kind == SECTION_LOCATION)
            continue;
        encode_definitions(&summary, kind, &content);
        sections_add(sections, kind, FORMAT_NO_LOCATION, &content);
    }
    for (unsigned rank = 0; rank < synthetic->ranks; rank++) {
        struct encoder content = {0};
        rank_numbers_encode(synthetic, &summary, work, rank, &content);
        sections_add(sections, SECTION_LOCATION, rank, &content);
    }
    memory_pool_free(&summary.pool);
}

static bool write_file(const struct sections *sections, const char *path)
{
    const uint64_t front = FORMAT_HEADER_BYTES + sections->count * FORMAT_SECTION_BYTES;
    const struct summary_header header = {.state = FORMAT_COMPLETE,
                                          .size = front + sections->stored.size,
                                          .entries = (uint32_t)sections->count};
    struct encoder out = {0};
    summary_header_encode(&header, &out);
    sections_encode_map(sections, front, 0, &out);
    FILE *file = sections->failed || out.failed ? NULL : fopen(path, "wb");
    bool good =
        file && fwrite(out.bytes, 1, out.size, file) == out.size &&
        fwrite(sections->stored.bytes, 1, sections->stored.size, file) == sections->stored.size;
    encoder_free(&out);
    return file && fclose(file) == 0 && good;
}

int main(int argc, char **argv)
{
    const struct synthetic synthetic = read_options(argc, argv);
    struct sections sections = {.pack = zstd_codec_pack};
    add_sections(&synthetic, &sections);
    bool good = write_file(&sections, argv[argc - 1]);
    sections_free(&sections);
    if (!good)
        perror(argv[argc - 1]);
    return good ? 0 : 1;
}
