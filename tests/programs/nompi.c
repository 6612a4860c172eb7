/*
 * nompi.c: a program without MPI, with markers; `nompi maps` prints what is mapped into it at
 * its end.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tsprof.h>

static void print_maps(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps)
        return;
    while (fgets(line, sizeof line, maps))
        fputs(line, stdout);
    fclose(maps);
}

int main(int argc, char **argv)
{
    double sum = 0;
    for (int i = 0; i < 20; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        for (int j = 1; j < 20000; j++)
            sum += sqrt((double)i / j);
        TSPROF_ITERATION_END("timestep");
    }
    if (argc == 2 && !strcmp(argv[1], "maps"))
        print_maps();
    else
        printf("sum: %.10g\n", sum);
    return 0;
}
