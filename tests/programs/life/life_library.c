/*
 * life_library.c: somebody truncates the file of a library that is loaded.
 *
 *     life_library LIBRARY WHEN SIZE
 *
 * WHEN is "used", after a part of the calls; "done", after all of them; or "mapped", once
 * elfutils has mapped it.  SIZE is "loaded", what the loader has mapped of it, or "nothing".
 * The library is life_library_part.c; what it has computed is printed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS = 60 };

static struct {
    const char *path, *when;
    struct stat file;
    off_t size; /* to be left of it */
} library;

static void truncate_library(const char *now)
{
    if (strcmp(now, library.when) == 0 && truncate(library.path, library.size) != 0)
        perror(library.path);
}

/*
 * What elfutils calls instead of libelf's own, since the program comes first: that maps files.
 */
void *elf_begin(int file, int command, void *of);
void *elf_begin(int file, int command, void *of)
{
    void *(*real)(int, int, void *);
    void *found = dlsym(dlopen("libelf.so.1", RTLD_NOW | RTLD_LOCAL), "elf_begin");
    struct stat status;
    memcpy(&real, &found, sizeof real);
    void *opened = real(file, command, of);
    if (fstat(file, &status) == 0 && status.st_dev == library.file.st_dev &&
        status.st_ino == library.file.st_ino)
        truncate_library("mapped");
    return opened;
}

/* The end of the last loaded segment in the file. */
static off_t loaded_size(const char *path)
{
    Elf64_Ehdr elf;
    Elf64_Phdr header;
    off_t end = 0;
    int file = open(path, O_RDONLY);
    if (pread(file, &elf, sizeof elf, 0) != sizeof elf)
        return 0;
    for (unsigned i = 0; i < elf.e_phnum; i++)
        if (pread(file, &header, sizeof header, (off_t)(elf.e_phoff + i * sizeof header)) ==
                sizeof header &&
            header.p_type == PT_LOAD && (off_t)(header.p_offset + header.p_filesz) > end)
            end = (off_t)(header.p_offset + header.p_filesz);
    close(file);
    return end;
}

typedef double step(double value);

static step *find(void *loaded, const char *name)
{
    step *function;
    void *found = dlsym(loaded, name);
    memcpy(&function, &found, sizeof function);
    return function;
}

__attribute__((noipa)) static double run(step *function, double value)
{
    for (int i = 0; i < STEPS; i++)
        value = function(value);
    return value;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    void *loaded = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!loaded) {
        fprintf(stderr, "usage: life_library LIBRARY used|done|mapped loaded|nothing\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    step *early = find(loaded, "step_early"), *late = find(loaded, "step_late");
    const bool all = strcmp(argv[3], "nothing") == 0;
    stat(argv[1], &library.file);
    library.when = argv[2];
    library.size = all ? 0 : loaded_size(argv[1]);
    library.path = argv[1];
    double value = run(early, 1);
    truncate_library("used");
    value = run(late, value);
    printf("%g\n", value);
    fflush(stdout);
    truncate_library("done");
    MPI_Finalize();
    /* What the loader calls at the end is gone, too. */
    if (all)
        _exit(7);
    return 7;
}
