/*
 * A small summary cut after every byte, with every bit flipped, and with more behind it: each
 * command says so in one line and ends with status 1.
 */
#include "common/codec.h"
#include "file/zstd_codec.h"
#include "image.h"
#include "tap.h"
#include "tests/unit/utils/summary_maker.h"
#include "whole_command.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 8 };

static const char input[] = "INPUT", absent[] = "ABSENT";

static const char *const commands[][ARGUMENTS] = {
    {"info", input},
    {"report", input},
    {"export", input, "--what", "regions"},
    {"compare", input, input},
    {"compress", input, "--clusters", "2", "-o", absent},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static struct run_seen run(size_t command, const char *path)
{
    const char *arguments[ARGUMENTS + 1] = {0};
    for (size_t i = 0; i < ARGUMENTS && commands[command][i]; i++) {
        const char *argument = commands[command][i];
        arguments[i] = argument == input ? path : argument == absent ? absent_file() : argument;
    }
    return run_command(arguments, RUN_TEXT);
}

/* How many commands do not refuse a file as they should. */
static size_t count_faults(const unsigned char *bytes, size_t size, const char *what,
                           size_t where)
{
    const char *path = memory_file(0, bytes, size);
    size_t faults = 0;
    for (size_t i = 0; i < COMMANDS; i++) {
        struct run_seen seen = run(i, path);
        bool good = seen.status == 1 && seen.errors.lines == 1 && !seen.errors.fault &&
                    seen.out.bytes == 0 && strstr(seen.message, path);
        if (!good && faults == 0)
            printf("# %s %zu: %s: status %d, %s\n", what, where, commands[i][0], seen.status,
                   seen.message);
        faults += !good;
    }
    return faults;
}

static void test_the_file_is_good(const struct encoder *file)
{
    const char *path = memory_file(0, file->bytes, file->size);
    for (size_t i = 0; i < COMMANDS; i++) {
        struct run_seen seen = run(i, path);
        EQ_INT(seen.status, 0, "%s: %s", commands[i][0], seen.message);
        OK(seen.errors.bytes == 0 && !seen.out.fault, "nothing is wrong with it");
    }
    absent_file();
}

static void test_every_length(const struct encoder *file)
{
    size_t faults = 0;
    for (size_t size = 0; size < file->size; size++)
        faults += count_faults(file->bytes, size, "bytes", size);
    EQ_INT(faults, 0, "the first 0 to %zu bytes are refused", file->size - 1);
}

static void test_every_bit(const struct encoder *file)
{
    size_t faults = 0;
    for (size_t bit = 0; bit < 8 * file->size; bit++) {
        file->bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        faults += count_faults(file->bytes, file->size, "bit", bit);
        file->bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    EQ_INT(faults, 0, "each of %zu bits flipped is found", 8 * file->size);
}

static void test_more_than_the_file(struct encoder *file)
{
    size_t faults = 0, size = file->size;
    for (size_t more = 0; more < 64; more++) {
        encode_bytes(file, "", 1);
        faults += count_faults(file->bytes, file->size, "more", file->size - size);
    }
    EQ_INT(faults, 0, "1 to 64 bytes too many are refused");
}

int main(void)
{
    static uint8_t bytes[1 << 16];
    struct image image;
    struct maker maker;
    struct encoder file = {0};
    maker_kept(&maker);
    image_parse(&image, bytes, image_of_maker(&maker, bytes, sizeof bytes));
    image_build(&image, zstd_codec_pack, &file);
    test_the_file_is_good(&file);
    test_every_length(&file);
    test_every_bit(&file);
    test_more_than_the_file(&file);
    encoder_free(&file);
    maker_free(&maker);
    return tap_done();
}
