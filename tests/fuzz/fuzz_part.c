/*
 * Fuzz target: the reader of parts, and merging what it lets pass.
 *
 * The input is a list of changes to a part of two threads with an open iteration, five bytes
 * each (piece, offset of 16 bits, what to do, value); then all checksums are made right, so
 * that every lie is met by the code that has to notice it.  What is merged must be a summary
 * that can be read, unless the message says otherwise.
 */
#include "parts/subject.h"

#include "fuzz.h"
#include "tests/unit/utils/parts/part_maker.h"
#include "tests/unit/utils/summary_maker.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHANGE_BYTES = 5, PIECES = 7, ACTIONS = 5, PIECE_MOST = 1 << 16 };

/* The pieces of a part that have bytes to change. */
static struct encoder *piece_of(struct part_maker *maker, unsigned number)
{
    struct encoder *const pieces[PIECES] = {
        &maker->facts,
        &maker->threads[0].log,
        &maker->threads[0].snapshots[0],
        &maker->threads[0].snapshots[1],
        &maker->threads[0].snapshots[1],
        &maker->threads[1].log,
        &maker->threads[1].snapshots[0],
    };
    return pieces[number % PIECES];
}

/* Replaces COUNT bytes at AT of PIECE by SIZE others. */
static void replace(struct encoder *piece, size_t at, size_t count, const unsigned char *bytes,
                    size_t size)
{
    struct encoder changed = {0};
    if (piece->size - count + size > PIECE_MOST)
        return;
    encode_bytes(&changed, piece->bytes, at);
    encode_bytes(&changed, bytes, size);
    encode_bytes(&changed, piece->bytes + at + count, piece->size - at - count);
    encoder_free(piece);
    *piece = changed;
}

static void change_piece(struct encoder *piece, size_t at, unsigned action, unsigned char value)
{
    static const unsigned char huge[10] = {0xff, 0xff, 0xff, 0xff, 0xff,
                                           0xff, 0xff, 0xff, 0xff, 0x01};
    unsigned char copy[256];
    if (piece->size == 0)
        return;
    at %= piece->size;
    size_t count = piece->size - at < value ? piece->size - at : value;
    switch (action % ACTIONS) {
    case 0:
        piece->bytes[at] = value;
        break;
    case 1:
        replace(piece, at, 1, huge + value % 10, 10 - value % 10);
        break;
    case 2:
        replace(piece, at, count, NULL, 0);
        break;
    case 3:
        memcpy(copy, piece->bytes + at, count);
        replace(piece, at, 0, copy, count);
        break;
    default:
        piece->bytes[at] = (unsigned char)(piece->bytes[at] + value % 5 - 2);
    }
}

/* What a thread tells of where it is, and what the header says. */
static void change_numbers(struct part_maker *maker, unsigned which, uint32_t value)
{
    struct thread_maker *thread = &maker->threads[0];
    uint32_t *const numbers[] = {&thread->call,         &thread->node,          &thread->seen,
                                 &thread->sequences[0], &maker->ranks,          &maker->ending,
                                 &maker->lost_threads,  &maker->threads[1].node};
    *numbers[which % (sizeof numbers / sizeof numbers[0])] = value;
    thread->caller = UINT64_C(0x400000) + value;
}

static void change(struct part_maker *maker, const uint8_t *data)
{
    unsigned at = data[1] | (unsigned)data[2] << 8;
    if (data[0] % (PIECES + 1) == PIECES)
        change_numbers(maker, data[3], at);
    else
        change_piece(piece_of(maker, data[0] % (PIECES + 1)), at, data[3], data[4]);
}

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_part: %s\n", what);
    abort();
}

/* Complaints about what is left out are many. */
static void be_silent(void)
{
    static bool silent;
    if (!silent && !getenv("FUZZ_VERBOSE") && !freopen("/dev/null", "w", stderr))
        abort();
    silent = true;
}

static void merge(const char *path)
{
    struct subject subject;
    struct error error = {""};
    if (subject_open(&subject, path, &error)) {
        struct text text = {0};
        if (!subject.summary)
            fail("no summary");
        live_add_text(&subject.merged.live, subject.summary, 80, &text);
        text_free(&text);
        subject_close(&subject);
    } else if (!error.text[0]) {
        fail("no message");
    } else if (strstr(error.text, "/proc/self/fd")) {
        /* The reader of summaries refuses what was made of the part. */
        fail(error.text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    struct part_maker maker;
    struct encoder file = {0};
    be_silent();
    snprintf(path, sizeof path, "/tmp/tsprof-fuzz-%d.part", (int)getpid());
    part_maker_example(&maker, 1, "K");
    part_maker_open_iteration(&maker);
    for (; size >= CHANGE_BYTES; size -= CHANGE_BYTES, data += CHANGE_BYTES)
        change(&maker, data);
    part_maker_write(&maker, &file);
    part_maker_free(&maker);
    if (maker_save(path, file.bytes, file.size))
        merge(path);
    unlink(path);
    encoder_free(&file);
    return 0;
}
