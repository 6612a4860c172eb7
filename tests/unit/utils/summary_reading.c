/* See summary_reading.h. */
#include "tests/unit/utils/summary_reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

char reading_directory[] = "/tmp/tsprof-test-XXXXXX";
char reading_path[64];

static int memory;

bool reading_start(void)
{
    /* In memory: there are tens of thousands of them. */
    memory = memfd_create("example", 0);
    if (memory < 0 || !mkdtemp(reading_directory))
        return false;
    snprintf(reading_path, sizeof reading_path, "/proc/self/fd/%d", memory);
    return true;
}

void reading_stop(void)
{
    close(memory);
    rmdir(reading_directory);
}

struct summary *read_bytes(const void *bytes, size_t size, struct error *error)
{
    error->text[0] = '\0';
    if (!maker_save(reading_path, bytes, size))
        return NULL;
    return summary_read(reading_path, error);
}

struct summary *read_maker(const struct maker *maker, struct error *error)
{
    struct encoder file = {0};
    maker_write(maker, &file);
    struct summary *summary = read_bytes(file.bytes, file.size, error);
    encoder_free(&file);
    return summary;
}

struct summary *read_made(void (*make)(struct maker *maker))
{
    struct maker maker;
    struct error error;
    make(&maker);
    struct summary *summary = read_maker(&maker, &error);
    if (!summary)
        printf("# %s\n", error.text);
    maker_free(&maker);
    return summary;
}

struct summary *read_example(void)
{
    return read_made(maker_example);
}

struct selection select_with(const struct summary *summary, const struct options *options)
{
    struct selection selection;
    struct error error;
    if (!selection_make(&selection, summary, options, &error))
        printf("# %s\n", error.text);
    return selection;
}

struct options everything(void)
{
    return (struct options){
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
}
