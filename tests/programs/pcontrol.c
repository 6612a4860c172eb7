/*
 * pcontrol.c: a program that marks its steps with MPI_Pcontrol, in the ways of several tools.
 *
 *     pcontrol levels   6 steps of level 7, in the last 4 of level 9; and other levels
 *     pcontrol names    5 steps named "solve", as IPM has it
 *     pcontrol bare     levels 1 and -1 with nothing after them, and with what is no name
 *
 * What it prints does not depend on what the calls do.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATH_FUNCTION __attribute__((noinline))

static int calls;

PATH_FUNCTION static void communicate(void)
{
    int value = calls, sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    calls++;
}

PATH_FUNCTION static void step(int last)
{
    MPI_Pcontrol(7);
    communicate();
    for (int i = 0; last && i < 4; i++) {
        MPI_Pcontrol(9); /* ends the one before */
        communicate();
        communicate();
    }
    if (last)
        MPI_Pcontrol(-9);
    MPI_Pcontrol(-7);
}

PATH_FUNCTION static void levels(void)
{
    const int others[] = {0, 1, 2, 3, 4, -1, -2, -3, -4, 0, 1};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        MPI_Pcontrol(others[i]);
    for (int i = 0; i < 6; i++)
        step(i == 5);
}

PATH_FUNCTION static void names(void)
{
    char name[] = "solve";
    for (int i = 0; i < 5; i++) {
        MPI_Pcontrol(1, name);
        communicate();
        MPI_Pcontrol(-1, "solve");
        MPI_Pcontrol(0, "events");
    }
}

/* Text at the end of a page that nothing follows, not terminated. */
static char *unterminated(size_t length)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = (char *)mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == (char *)MAP_FAILED)
        return NULL;
    munmap(pages + page, page);
    memset(pages + page - length, 'x', length);
    return pages + page - length;
}

PATH_FUNCTION static void bare(void)
{
    static char long_name[1000];
    memset(long_name, 'n', sizeof long_name - 1);
    MPI_Pcontrol(1, NULL);
    MPI_Pcontrol(1, (char *)8);
    MPI_Pcontrol(1, (char *)UINTPTR_MAX - 3);
    MPI_Pcontrol(1, unterminated(5));
    MPI_Pcontrol(1, "");
    MPI_Pcontrol(1, "\001\002 no name");
    MPI_Pcontrol(1, long_name);
    for (int i = 0; i < 100; i++) {
        MPI_Pcontrol(1);
        communicate();
        MPI_Pcontrol(-1);
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    if (!strcmp(way, "levels"))
        levels();
    else if (!strcmp(way, "names"))
        names();
    else
        bare();
    MPI_Finalize();
    printf("%d calls\n", calls);
    return 0;
}
