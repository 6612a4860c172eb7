/*
 * Runs a fuzz target without libFuzzer: on inputs made from its seeds, or random ones, by
 * mutation, not guided by coverage.
 *
 *   PROGRAM [-i INPUTS] [-s SECONDS] [-r SEED]   mutate; by default the inputs of `make check`
 *   PROGRAM -w DIRECTORY                         write the seeds there for other fuzzers
 *   PROGRAM FILE...                              try these inputs
 *
 * FUZZ_FOUND in the environment names a directory, whose subdirectory with the target's name
 * holds inputs that once ended it: these are tried first.  An input that ends the program is
 * left in fuzz.crash.  The output is that of a test of TAP.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SEEDS = 64,
    SEED_BYTES = 400,
    MOST_RANDOM = 4096, /* what grows from random bytes */
    MOST_BYTES = 1 << 16,
    DEFAULT_INPUTS = 6000,
    SEEDED_INPUTS = 1500 /* each does more */
};

struct input {
    size_t size;
    uint8_t data[MOST_BYTES];
};

static struct input seeds[SEEDS];
static size_t seed_count;
static size_t most_bytes;
static struct input current;
static uint64_t random_state;

static uint64_t next_random(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(size_t limit)
{
    return limit ? (size_t)(next_random() % limit) : 0;
}

/* Keeps the input that ends the program; in a signal handler. */
static void leave_input(int signal_number)
{
    int file = open("fuzz.crash", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && write(file, current.data, current.size) == (ssize_t)current.size)
        close(file);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Random bytes, of which most are small: they mean more. */
static void make_random_seeds(void)
{
    most_bytes = MOST_RANDOM;
    seed_count = SEEDS;
    for (size_t s = 0; s < SEEDS; s++) {
        seeds[s].size = 8 + below(SEED_BYTES);
        for (size_t i = 0; i < seeds[s].size; i++)
            seeds[s].data[i] = (uint8_t)(next_random() >> (next_random() % 3 ? 60 : 56));
        for (size_t i = 0; i < 8; i++)
            seeds[s].data[i] = (uint8_t)next_random();
    }
}

static void make_seeds(void)
{
    if (!fuzz_seed) {
        make_random_seeds();
        return;
    }
    most_bytes = MOST_BYTES;
    while (seed_count < SEEDS && (seeds[seed_count].size = fuzz_seed(
                                      seed_count, seeds[seed_count].data, MOST_BYTES)) > 0)
        seed_count++;
}

static void change_byte(struct input *input)
{
    if (input->size > 0)
        input->data[below(input->size)] = (uint8_t)next_random();
}

static void remove_some(struct input *input)
{
    size_t from = below(input->size), count = below(input->size - from);
    memmove(input->data + from, input->data + from + count, input->size - from - count);
    input->size -= count;
}

static void insert(struct input *input, const uint8_t *data, size_t size)
{
    size_t at = below(input->size + 1);
    if (size > most_bytes - input->size)
        size = most_bytes - input->size;
    memmove(input->data + at + size, input->data + at, input->size - at);
    memcpy(input->data + at, data, size);
    input->size += size;
}

static void repeat_some(struct input *input)
{
    static struct input copy;
    copy = *input;
    size_t from = below(copy.size);
    insert(input, copy.data + from, below(copy.size - from + 1));
}

static void insert_of_another(struct input *input)
{
    const struct input *other = &seeds[below(seed_count)];
    size_t from = below(other->size);
    insert(input, other->data + from, below(other->size - from + 1));
}

static void (*const mutations[])(struct input *) = {change_byte, change_byte, remove_some,
                                                    repeat_some, insert_of_another};

static void try_one(void)
{
    LLVMFuzzerTestOneInput(current.data, current.size);
}

static void mutate_once(struct input *input)
{
    if (LLVMFuzzerCustomMutator)
        input->size = LLVMFuzzerCustomMutator(input->data, input->size, most_bytes,
                                              (unsigned)next_random());
    else
        mutations[below(sizeof(mutations) / sizeof(mutations[0]))](input);
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    static struct input input;
    size_t saved = most_bytes;
    most_bytes = most < MOST_BYTES ? most : MOST_BYTES;
    input.size = size < most_bytes ? size : most_bytes;
    memcpy(input.data, data, input.size);
    mutations[below(sizeof(mutations) / sizeof(mutations[0]))](&input);
    memcpy(data, input.data, input.size);
    most_bytes = saved;
    return input.size;
}

static void try_mutation(void)
{
    struct input *seed = &seeds[below(seed_count)];
    current = *seed;
    for (size_t left = 1 + below(4); left > 0; left--)
        mutate_once(&current);
    try_one();
    /* What grows from given seeds must not go too far from them. */
    if (!fuzz_seed && below(8) == 0)
        *seed = current;
}

static int read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    current.size = fread(current.data, 1, MOST_BYTES, file);
    fclose(file);
    return 0;
}

static int write_seeds(const char *directory)
{
    for (size_t s = 0; s < seed_count; s++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/seed%02zu", directory, s);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(seeds[s].data, 1, seeds[s].size, file) != seeds[s].size ||
            fclose(file) != 0) {
            perror(path);
            return 1;
        }
    }
    return 0;
}

/* What once ended the target called NAME; returns how many such inputs there are, -1 on
 * failure. */
static long try_found(const char *name)
{
    const char *directory = getenv("FUZZ_FOUND");
    char pattern[PATH_MAX];
    glob_t found;
    long tried = 0;
    if (!directory)
        return 0;
    name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    snprintf(pattern, sizeof pattern, "%s/%s/*", directory, name);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (; tried < (long)found.gl_pathc; tried++) {
        if (read_file(found.gl_pathv[tried]) < 0)
            return -1;
        try_one();
    }
    globfree(&found);
    return tried;
}

static long mutate(long inputs, long seconds)
{
    time_t end = time(NULL) + seconds;
    long tried = 0;
    for (; tried < (long)seed_count && tried < inputs; tried++) {
        current = seeds[tried];
        try_one();
    }
    for (; seconds > 0 ? time(NULL) < end : tried < inputs; tried++)
        try_mutation();
    return tried;
}

/* TAP_STRIDE=N: one in N of what `make check` tries. */
static long inputs_to_try(void)
{
    const char *text = getenv("TAP_STRIDE");
    const long stride = text ? atol(text) : 1;
    return (fuzz_seed ? SEEDED_INPUTS : DEFAULT_INPUTS) / (stride > 0 ? stride : 1);
}

/* CASES_FIRST=N: other changes for each N; without it they are always the same. */
static void choose_changes(void)
{
    const char *text = getenv("CASES_FIRST");
    if (text)
        random_state += (uint64_t)strtoull(text, NULL, 10) << 32;
}

int main(int argc, char **argv)
{
    long inputs = inputs_to_try(), seconds = 0, tried;
    const char *directory = NULL;
    choose_changes();
    for (int option; (option = getopt(argc, argv, "i:s:r:w:")) != -1;)
        switch (option) {
        case 'i':
            inputs = atol(optarg);
            break;
        case 's':
            seconds = atol(optarg);
            break;
        case 'r':
            random_state = strtoull(optarg, NULL, 10);
            break;
        case 'w':
            directory = optarg;
            break;
        default:
            return 2;
        }
    make_seeds();
    if (directory)
        return write_seeds(directory);
    signal(SIGABRT, leave_input);
    signal(SIGSEGV, leave_input);
    for (tried = 0; optind + tried < argc; tried++) {
        if (read_file(argv[optind + tried]) < 0)
            return 2;
        try_one();
    }
    if (tried == 0) {
        long found = try_found(argv[0]);
        if (found < 0)
            return 2;
        tried = found + mutate(inputs, seconds);
    }
    printf("ok 1 - no fault in %ld inputs\n1..1\n", tried);
    return 0;
}
