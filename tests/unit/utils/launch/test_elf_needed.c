/* What an ELF file needs: its libraries and its loader; nothing of files that are none or
 * broken. */
#include "launch/elf_needed.h"
#include "tap.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/tsprof-elf-XXXXXX";
static char path[64];

struct seen {
    const char *wanted;
    unsigned names, found, most; /* stop after so many */
};

static bool see(void *context, const char *name)
{
    struct seen *seen = context;
    seen->names++;
    seen->found += strncmp(name, seen->wanted, strlen(seen->wanted)) == 0;
    return seen->names < seen->most;
}

static struct seen names_of(const char *file, const char *wanted, unsigned most)
{
    struct seen seen = {.wanted = wanted, .most = most};
    elf_needed(file, see, &seen);
    return seen;
}

static bool write_file(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    bool written = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

static void test_this_program(void)
{
    char loader[PATH_MAX], tiny[4];
    struct seen all = names_of("/proc/self/exe", "libc.so", UINT_MAX);
    OK(all.names > 1 && all.found == 1, "libc is among the libraries of a program");
    EQ_INT(names_of("/proc/self/exe", "libc.so", 1).names, 1, "the visitor ends the list");
    OK(elf_loader("/proc/self/exe", loader, sizeof loader) && access(loader, X_OK) == 0,
       "its loader is a program");
    OK(!elf_loader("/proc/self/exe", tiny, sizeof tiny), "a path that has no room is refused");
}

static void test_what_is_no_program(void)
{
    char loader[PATH_MAX];
    const char *const files[] = {"/", "/nonexistent", "/dev/null", "/proc/self/cmdline", path};
    unsigned found = 0;
    write_file((const unsigned char *)"#!/bin/sh\n", 10);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        found += elf_loader(files[i], loader, sizeof loader) ||
                 names_of(files[i], "", UINT_MAX).names > 0;
    EQ_INT(found, 0, "what is no ELF file has neither libraries nor a loader");
}

static unsigned char *read_self(size_t *size)
{
    struct stat status;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0)
        return NULL;
    *size = (size_t)status.st_size;
    unsigned char *bytes = malloc(*size);
    if (bytes && read(file, bytes, *size) != status.st_size) {
        free(bytes);
        bytes = NULL;
    }
    close(file);
    return bytes;
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return *state >> 33;
}

/* Programs with some bytes changed, most of them among the headers, or cut off. */
static void test_broken_programs(void)
{
    enum { ROUNDS = 300, HEADERS = 1024 };
    size_t size = 0;
    uint64_t state = 1;
    unsigned char *whole = read_self(&size), *bytes = whole ? malloc(size) : NULL;
    bool all = whole && bytes;
    for (unsigned i = 0; all && i < ROUNDS; i++) {
        char loader[PATH_MAX];
        memcpy(bytes, whole, size);
        for (uint64_t n = draw(&state) % 4; n < 5; n++) {
            size_t most = draw(&state) % 4 ? HEADERS : size;
            bytes[draw(&state) % most] = (unsigned char)draw(&state);
        }
        all = write_file(bytes, draw(&state) % 4 ? size : draw(&state) % size);
        names_of(path, "", 1000);
        elf_loader(path, loader, sizeof loader);
    }
    OK(all, "%d broken programs do no harm", ROUNDS);
    free(whole);
    free(bytes);
}

int main(void)
{
    if (!mkdtemp(directory))
        return 1;
    snprintf(path, sizeof path, "%s/program", directory);
    test_this_program();
    test_what_is_no_program();
    test_broken_programs();
    unlink(path);
    rmdir(directory);
    return tap_done();
}
