/* What a module refers to, read from its file: whole, cut off, and damaged. */
#include "library/undefined.h"

#include "tap.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What was found in one file. */
struct found {
    unsigned count;
    bool refers; /* to the function that this program calls */
};

static void visit(void *context, const char *name)
{
    struct found *found = context;
    found->count++;
    found->refers |= strcmp(name, "tzset") == 0;
}

static bool look(const char *path, struct found *found)
{
    *found = (struct found){0};
    return undefined_each(path, visit, found);
}

static void test_who_refers(void)
{
    struct found found;
    Dl_info library;
    tzset();
    OK(look("/proc/self/exe", &found) && found.refers,
       "this program refers to a function of the C library that it calls");
    NEED(dladdr(dlsym(RTLD_DEFAULT, "tzset"), &library));
    OK(look(library.dli_fname, &found) && found.count > 0 && !found.refers,
       "the C library refers to others, but not to that one");
}

static void test_no_modules(void)
{
    struct found found;
    OK(!look("/nowhere/at/all", &found) && found.count == 0,
       "nothing in a file that is not there");
    OK(!look("/", &found) && found.count == 0, "nor in a directory");
    OK(!look("/dev/null", &found) && found.count == 0, "nor where there is nothing to read");
    OK(!look("/proc/self/status", &found) && found.count == 0, "nor in a text");
}

/* A copy of this program: its file, open for writing and removed when COPY ends. */
struct copy {
    char path[64];
    int file;
    char *bytes;
    size_t size;
};

static void make(struct copy *copy)
{
    struct stat status;
    FILE *program = fopen("/proc/self/exe", "rb");
    NEED(program && fstat(fileno(program), &status) == 0);
    copy->size = (size_t)status.st_size;
    copy->bytes = malloc(copy->size);
    NEED(copy->bytes && fread(copy->bytes, 1, copy->size, program) == copy->size);
    fclose(program);
    strcpy(copy->path, "/tmp/test_undefined.XXXXXX");
    copy->file = mkstemp(copy->path);
    NEED(copy->file >= 0 &&
         pwrite(copy->file, copy->bytes, copy->size, 0) == (ssize_t)copy->size);
}

static void end(struct copy *copy)
{
    close(copy->file);
    unlink(copy->path);
    free(copy->bytes);
}

/* The table of sections is at the end, so that nothing is known without it. */
static void test_cut_off(struct copy *copy)
{
    struct found found;
    unsigned told = 0;
    const size_t step = copy->size / 64 * tap_stride();
    for (size_t size = 0; size < copy->size; size += step) {
        NEED(ftruncate(copy->file, (off_t)size) == 0);
        told += look(copy->path, &found) || found.count > 0;
    }
    EQ_INT(told, 0, "nothing in one that is cut off");
    NEED(pwrite(copy->file, copy->bytes, copy->size, 0) == (ssize_t)copy->size);
    OK(look(copy->path, &found) && found.refers, "all in the whole one");
}

/* Inverts each byte from OFFSET on; how many such files still name the function. */
static unsigned damage(struct copy *copy, size_t offset, size_t size, unsigned *tried)
{
    unsigned whole = 0;
    struct found found;
    for (size_t at = offset; at < offset + size && at < copy->size; at += tap_stride()) {
        const char other = (char)~copy->bytes[at];
        NEED(pwrite(copy->file, &other, 1, (off_t)at) == 1);
        look(copy->path, &found);
        whole += found.refers;
        NEED(pwrite(copy->file, &copy->bytes[at], 1, (off_t)at) == 1);
        (*tried)++;
    }
    return whole;
}

/* Whatever the header and the table of sections say, this program lives. */
static void test_damaged(struct copy *copy)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)copy->bytes;
    unsigned tried = 0;
    const unsigned whole =
        damage(copy, 0, sizeof *header, &tried) +
        damage(copy, header->e_shoff, header->e_shnum * sizeof(ElfW(Shdr)), &tried);
    OK(whole > 0 && whole < tried, "%u of %u damaged ones tell what they did", whole, tried);
}

int main(void)
{
    struct copy copy;
    test_who_refers();
    test_no_modules();
    make(&copy);
    test_cut_off(&copy);
    test_damaged(&copy);
    end(&copy);
    return tap_done();
}
