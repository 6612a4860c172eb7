/* See output.h. */
#include "write/output.h"

#include "assemble/sections.h"
#include "common/codec.h"
#include "common/format.h"
#include "encode/encode.h"
#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPIES_MOST = 10000, PLACES = 4 };

/* The directory of a place; NULL: TSPROF_OUTPUT says it; empty: there is no such place. */
static const char *directory_of(int place)
{
    const char *directory = secure_getenv("TMPDIR");
    switch (place) {
    case 0:
        return NULL;
    case 1:
        return config.text[SETTING_TMPDIR];
    case 2:
        return directory ? directory : "";
    default:
        return "/tmp";
    }
}

static int create(struct output *output, const char *directory, int ranks, const char *suffix)
{
    for (int copy = 0; copy < COPIES_MOST; copy++) {
        char name[4000];
        output_name_find(ranks, suffix, copy, name, sizeof name);
        const char *slash = strrchr(name, '/');
        if (directory)
            snprintf(output->name, sizeof output->name, "%s/%s", directory,
                     slash ? slash + 1 : name);
        else
            snprintf(output->name, sizeof output->name, "%s", name);
        int file = open(output->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static void give_up(struct output *output)
{
    message(output->level, "cannot write %s: %s", output->name, strerror(errno));
    output->failed = true;
}

/* A mark that no other run is likely to draw. */
static uint64_t new_mark(void)
{
    return (uint64_t)measurement_clock.epoch_ns * UINT64_C(0x9E3779B97F4A7C15) ^
           (uint64_t)clock_monotonic_ns_async() << 20 ^ (uint64_t)getpid();
}

/*
 * Whether the file system has room for the whole file, as far as it can tell; so that a file
 * that cannot fit is given up before anything is written.
 */
static bool has_room(const struct output *output, uint64_t size)
{
    struct quiet quiet;
    quiet_begin(&quiet);
    bool full = fallocate(output->file, 0, 0, (off_t)size) != 0 &&
                (errno == ENOSPC || errno == EDQUOT || errno == EFBIG);
    quiet_end(&quiet);
    return !full;
}

static void write_mark(struct output *output)
{
    const struct summary_header header = {.state = FORMAT_UNFINISHED, .mark = output->mark};
    struct encoder bytes = {0};
    summary_header_encode(&header, &bytes);
    output_write(output, 0, bytes.bytes, bytes.size);
    output->failed = output->failed || bytes.failed;
    encoder_free(&bytes);
}

int output_create(struct output *output, int place, int ranks, const char *suffix,
                  uint64_t size)
{
    for (; place < PLACES; place++) {
        const char *directory = directory_of(place);
        if (directory && !*directory)
            continue;
        *output = (struct output){.mark = new_mark(), .level = 1};
        output->file = create(output, directory, ranks, suffix);
        if (output->file < 0) {
            message(1, "cannot create %s: %s", output->name, strerror(errno));
            continue;
        }
        if (!has_room(output, size))
            give_up(output);
        write_mark(output);
        if (!output->failed)
            return place;
        output_discard(output);
    }
    return -1;
}

bool output_join(struct output *output, const char *name, uint64_t mark)
{
    unsigned char header[FORMAT_HEADER_BYTES];
    struct stat status;
    *output = (struct output){.mark = mark, .level = 2};
    snprintf(output->name, sizeof output->name, "%s", name);
    output->file = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct decoder in = {header, sizeof header, FORMAT_MARK_OFFSET, false};
    if (output->file >= 0 && fstat(output->file, &status) == 0 && S_ISREG(status.st_mode) &&
        pread(output->file, header, sizeof header, 0) == (ssize_t)sizeof header &&
        decode_u64(&in) == mark)
        return true;
    output_close(output);
    return false;
}

void output_write(struct output *output, uint64_t offset, const void *bytes, size_t size)
{
    const char *at = bytes;
    struct quiet quiet;
    quiet_begin(&quiet);
    while (!output->failed && size > 0) {
        ssize_t written = pwrite(output->file, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            give_up(output);
            break;
        }
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    quiet_end(&quiet);
}

bool output_close(struct output *output)
{
    if (output->file >= 0 && close(output->file) != 0 && !output->failed)
        give_up(output);
    output->file = -1;
    return !output->failed;
}

void output_discard(struct output *output)
{
    if (output->file >= 0)
        close(output->file);
    output->file = -1;
    unlink(output->name);
}
