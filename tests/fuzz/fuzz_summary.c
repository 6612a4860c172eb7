/*
 * Fuzz target: every command that reads summaries, on one whose content is the input (image.h).
 *
 * Whatever it holds, each must end with status 0, 1 or 2; say in one line what is wrong with
 * it, or nothing; write nothing that a terminal would obey, and tables that are tables.  What
 * `compress` writes can be read.
 */
#include "file/read_summary.h"
#include "fuzz.h"
#include "image.h"
#include "tests/unit/utils/summary_maker.h"
#include "whole_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In place of arguments: the summary, a good one, and a file that is not there. */
static const char input[] = "INPUT", good[] = "GOOD", absent[] = "ABSENT";

enum { ARGUMENTS = 10 };

static const struct line {
    enum run_output output;
    const char *arguments[ARGUMENTS];
} lines[] = {
    {RUN_TEXT, {"info", input}},
    {RUN_TEXT, {"info", input, "--format", "json"}},
    {RUN_TABLE, {"list", input, "--format", "csv"}},
    {RUN_TEXT, {"report", input, "--metric", "omp_runtime"}},
    {RUN_TEXT, {"info", input, "--rank", "0", "--top", "100"}},
    {RUN_TEXT, {"report", input}},
    {RUN_TEXT, {"report", input, "--format", "json"}},
    {RUN_TEXT, {"report", input, "--metric", "visits", "--thread", "0", "--top", "2"}},
    {RUN_TABLE, {"export", input, "--what", "iterations", "--iteration", "0-9"}},
    {RUN_TABLE, {"export", input, "--what", "callpaths", "--iteration", "0-2"}},
    {RUN_TABLE, {"export", input, "--what", "callpaths", "--total"}},
    {RUN_TABLE, {"export", input, "--what", "callpaths", "--total", "--paths", "numbered"}},
    {RUN_TABLE, {"export", input, "--what", "paths"}},
    {RUN_TABLE, {"export", input, "--what", "clusters", "--iteration", "0-20"}},
    {RUN_TABLE, {"export", input, "--what", "functions"}},
    {RUN_TABLE, {"export", input, "--what", "functions", "--iteration", "0-2"}},
    {RUN_TABLE, {"export", input, "--what", "callers"}},
    {RUN_TABLE, {"export", input, "--what", "largest"}},
    {RUN_TABLE, {"export", input, "--what", "regions"}},
    {RUN_TABLE, {"export", input, "--what", "topologies"}},
    {RUN_TABLE, {"export", input, "--what", "waits"}},
    {RUN_TABLE, {"export", input, "--what", "causes"}},
    {RUN_TABLE, {"export", input, "--what", "instances"}},
    {RUN_TEXT, {"export", input, "--what", "iterations", "--format", "json"}},
    {RUN_TEXT, {"export", input, "--what", "callpaths", "--total", "--format", "json"}},
    {RUN_TEXT, {"export", input, "--format", "folded"}},
    {RUN_TEXT, {"export", input, "--format", "speedscope", "--metric", "visits"}},
    {RUN_TEXT, {"export", input, "--format", "cubex", "-o", absent}},
    {RUN_TEXT, {"plot", input, "--kind", "graph", "--statistic", "median"}},
    {RUN_TEXT, {"plot", input, "--kind", "map", "--color", "equalized", "--size", "400x300"}},
    {RUN_TEXT, {"plot", input, "--kind", "breakdown", "--scale", "share"}},
    {RUN_TEXT, {"plot", input, "--kind", "ranks", "--total", "--scale", "range"}},
    {RUN_TEXT, {"plot", input, "--kind", "topology", "--metric", "visits"}},
    {RUN_TEXT, {"suggest", input}},
    {RUN_TEXT, {"suggest", input, "--format", "json", "--top", "2", "--thread", "0"}},
    {RUN_TEXT, {"score", input, "--top", "100"}},
    {RUN_TABLE, {"score", input, "--format", "csv", "--share", "0.1%", "--cost", "50"}},
    {RUN_TEXT, {"score", input, "--format", "json", "-o", absent}},
    {RUN_TEXT, {"compare", input, good}},
    {RUN_TABLE, {"compare", good, input, "--format", "csv"}},
    {RUN_TEXT, {"compare", input, input}},
    {RUN_TEXT, {"diff", input, good}},
    {RUN_TEXT, {"diff", good, input, "-o", absent}},
    {RUN_TEXT, {"mean", input, "--iteration", "0-9"}},
    {RUN_TEXT, {"mean", input, good, "-o", absent}},
    {RUN_TEXT, {"join", good, input, "-o", absent}},
    {RUN_TEXT, {"compress", input, "--clusters", "2", "-o", absent}},
    {RUN_TEXT,
     {"compress", input, "--clusters", "auto", "--clustering", "szebenyi", "-o", absent}},
};

static _Noreturn void fail(const struct line *line, const char *what,
                           const struct run_seen *seen)
{
    fprintf(stderr, "fuzz_summary: tsprof");
    for (size_t i = 0; i < ARGUMENTS && line->arguments[i]; i++)
        fprintf(stderr, " %s", line->arguments[i]);
    fprintf(stderr, ": %s; status %d, %s\n", what, seen->status, seen->message);
    abort();
}

/* Whether a file that LINE makes is for other tools, not a summary. */
static bool makes_export(const struct line *line)
{
    return strcmp(line->arguments[0], "export") == 0;
}

static void check_output(const struct line *line, const struct run_seen *seen)
{
    if (seen->status < 0 || seen->status > 2)
        fail(line, "an odd status", seen);
    if (seen->out.fault || seen->errors.fault)
        fail(line, seen->out.fault ? seen->out.fault : seen->errors.fault, seen);
    /* Of a CUBE file it is said what it does not hold. */
    if (seen->errors.lines > 1 ||
        (seen->status == 0 && seen->errors.lines > 0 && !makes_export(line)))
        fail(line, "too much was said", seen);
    if (seen->status > 0 && seen->errors.lines + seen->out.lines == 0)
        fail(line, "nothing was said", seen);
}

/* A file is there if and only if the command says so; a summary can be read. */
static void check_file(const struct line *line, const struct run_seen *seen, const char *path)
{
    struct stat status;
    struct error error = {""};
    bool there = lstat(path, &status) == 0;
    if (there != (seen->status == 0))
        fail(line, there ? "a file in spite of failure" : "no file", seen);
    if (!there)
        return;
    struct summary *summary = makes_export(line) ? NULL : summary_read(path, &error);
    if (!summary && !makes_export(line)) {
        fprintf(stderr, "fuzz_summary: %s\n", error.text);
        fail(line, "what was written cannot be read", seen);
    }
    summary_free(summary);
    unlink(path);
}

static void run_line(const struct line *line, const char *input_path, const char *good_path)
{
    const char *arguments[ARGUMENTS + 1] = {0}, *made = NULL;
    for (size_t i = 0; i < ARGUMENTS && line->arguments[i]; i++) {
        const char *argument = line->arguments[i];
        if (argument == absent)
            made = argument = absent_file();
        arguments[i] = argument == input ? input_path : argument == good ? good_path : argument;
    }
    struct run_seen seen = run_command(arguments, line->output);
    check_output(line, &seen);
    if (made)
        check_file(line, &seen, made);
}

/* The path of the good one. */
static const char *good_file(void)
{
    static const char *path;
    if (!path) {
        struct maker maker;
        struct encoder file = {0};
        maker_example(&maker);
        maker_write(&maker, &file);
        path = memory_file(1, file.bytes, file.size);
        encoder_free(&file);
        maker_free(&maker);
    }
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct image image;
    struct encoder file = {0};
    image_parse(&image, data, size);
    image_build(&image, NULL, &file);
    const char *path = memory_file(0, file.bytes, file.size), *other = good_file();
    encoder_free(&file);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        run_line(&lines[i], path, other);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return image_mutate(data, size, most, seed, LLVMFuzzerMutate);
}

size_t fuzz_seed(size_t number, uint8_t *data, size_t most)
{
    static void (*const make[])(struct maker * maker) = {maker_example, maker_threads,
                                                         maker_kept, maker_waits, maker_openmp};
    struct maker maker;
    if (number >= sizeof make / sizeof make[0])
        return 0;
    make[number](&maker);
    size_t size = image_of_maker(&maker, data, most);
    maker_free(&maker);
    return size;
}
