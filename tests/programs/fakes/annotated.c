/*
 * annotated.c: a program that marks its steps for another tool.
 *
 *     annotated region    Caliper's regions, one inside the other
 *     annotated loop      Caliper's loop in C
 *     annotated class     Caliper's loop in C++
 *     annotated handle    Score-P's regions by handles, one inside the other
 *     annotated name      Score-P's regions by names
 *     annotated likwid    LIKWID's regions
 *     annotated nvtx      NVTX's ranges, pushed and popped as its header does
 *     annotated domain    those of a domain, with registered text
 *
 * Step i of 10 has 1 + i % 4 barriers.  Prints what the tool's functions answered.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_FUNCTION __attribute__((noinline, noclone))

enum { STEPS = 10 };

unsigned fake_calls(void);
int cali_begin_region(const char *name);
int cali_end_region(const char *name);
uint64_t cali_make_loop_iteration_attribute(const char *name);
int cali_begin_int(uint64_t attribute, int value);
int cali_begin_string(uint64_t attribute, const char *value);
int cali_end(uint64_t attribute);
void loop_made(void **self, const char *name) __asm__("_ZN4cali4LoopC1EPKc");
void *loop_iteration(void **result, void *const *self,
                     int number) __asm__("_ZNK4cali4Loop9iterationEi");
void iteration_gone(void **self) __asm__("_ZN4cali4Loop9IterationD1Ev");
void SCOREP_User_RegionInit(void **handle, const char **last_name, void **last_file,
                            const char *name, uint32_t type, const char *file, uint32_t line);
void SCOREP_User_RegionBegin(void **handle, const char **last_name, void **last_file,
                             const char *name, uint32_t type, const char *file, uint32_t line);
void SCOREP_User_RegionEnter(void *handle);
void SCOREP_User_RegionEnd(void *handle);
void SCOREP_User_RegionByNameBegin(const char *name, uint32_t type, const char *file,
                                   uint32_t line);
void SCOREP_User_RegionByNameEnd(const char *name);
int likwid_markerStartRegion(const char *name);
int likwid_markerStopRegion(const char *name);

static unsigned long answers;

static void answer(unsigned long value)
{
    answers = answers * 31 + value;
}

PATH_FUNCTION static void work(int i)
{
    for (int k = 0; k <= i % 4; k++)
        MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}

PATH_FUNCTION static void region(int i)
{
    answer((unsigned)cali_begin_region("step"));
    answer((unsigned)cali_begin_region("inside"));
    work(i);
    answer((unsigned)cali_end_region("inside"));
    answer((unsigned)cali_end_region("step"));
}

static uint64_t loop_attribute;

PATH_FUNCTION static void loop(int i)
{
    if (i == 0)
        loop_attribute = cali_make_loop_iteration_attribute("step");
    answer((unsigned)cali_begin_int(loop_attribute, i));
    answer((unsigned)cali_begin_string(3, "inside"));
    work(i);
    answer((unsigned)cali_end(3));
    answer((unsigned)cali_end(loop_attribute));
}

PATH_FUNCTION static void class(int i)
{
    static void *made;
    void *iteration;
    if (i == 0)
        loop_made(&made, "step");
    answer(loop_iteration(&iteration, &made, i) == &iteration);
    work(i);
    iteration_gone(&iteration);
}

PATH_FUNCTION static void handle(int i)
{
    static const char *name;
    static void *file, *outer, *inner;
    SCOREP_User_RegionBegin(&outer, &name, &file, "step", 1, __FILE__, 7);
    if (i == 0)
        SCOREP_User_RegionInit(&inner, &name, &file, "inside it", 1, __FILE__, 9);
    SCOREP_User_RegionEnter(inner);
    work(i);
    SCOREP_User_RegionEnd(inner);
    SCOREP_User_RegionEnd(outer);
}

PATH_FUNCTION static void name(int i)
{
    SCOREP_User_RegionByNameBegin("step", 1, __FILE__, 7);
    work(i);
    SCOREP_User_RegionByNameEnd("step");
}

PATH_FUNCTION static void likwid(int i)
{
    answer((unsigned)likwid_markerStartRegion("step"));
    work(i);
    answer((unsigned)likwid_markerStopRegion("step"));
}

/* What NVTX's header has in a program: pointers that an injected library fills in. */
typedef void (*function)(void);

enum { CORE = 1, CORE2 = 5, NO_TRACKING = -2 };

static function core[16], core2[16];
static function *core_table[16], *core2_table[16];

static int get_functions(int module, function ***table, unsigned *count)
{
    *table = module == CORE ? core_table : module == CORE2 ? core2_table : NULL;
    *count = *table ? 16 : 0;
    return *table != NULL;
}

static const void *get_table(uint32_t number)
{
    static const struct {
        size_t size;
        int (*get)(int module, function ***table, unsigned *count);
    } callbacks = {sizeof callbacks, get_functions};
    return number == 1 ? &callbacks : NULL;
}

static void find_injection(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    int (*inject)(const void *(*table)(uint32_t number)) = NULL;
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    void *found = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
    for (int i = 1; i < 16; i++) {
        core_table[i] = &core[i];
        core2_table[i] = &core2[i];
    }
    memcpy(&inject, &found, sizeof found);
    if (inject && inject(get_table) != 1) {
        memset(core, 0, sizeof core);
        memset(core2, 0, sizeof core2);
    }
}

#define CALL(place, type, other, ...) (place ? ((type)place)(__VA_ARGS__) : other)

PATH_FUNCTION static void nvtx(int i)
{
    if (i == 0)
        find_injection();
    answer((unsigned)CALL(core[9], int (*)(const char *), NO_TRACKING, "step"));
    answer((unsigned)CALL(core[8], int (*)(const void *), NO_TRACKING, NULL));
    work(i);
    answer((unsigned)CALL(core[11], int (*)(void), NO_TRACKING));
    answer((unsigned)CALL(core[11], int (*)(void), NO_TRACKING));
}

PATH_FUNCTION static void domain(int i)
{
    static char here;
    static struct {
        uint16_t version, size;
        uint32_t category, colour_type, colour, payload_type, reserved;
        uint64_t payload;
        int32_t message_type;
        const void *message;
    } attributes = {.version = 2, .size = sizeof attributes, .message_type = 3};
    if (i == 0) {
        find_injection();
        attributes.message =
            CALL(core2[10], const void *(*)(const void *, const char *), NULL, &here, "step");
    }
    answer((unsigned)CALL(core2[4], int (*)(const void *, const void *), NO_TRACKING, &here,
                          &attributes));
    work(i);
    answer((unsigned)CALL(core2[5], int (*)(const void *), NO_TRACKING, &here));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *mode;
        void (*step)(int i);
    } modes[] = {{"region", region}, {"loop", loop},     {"class", class}, {"handle", handle},
                 {"name", name},     {"likwid", likwid}, {"nvtx", nvtx},   {"domain", domain}};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++)
        for (int i = 0; argc > 1 && strcmp(argv[1], modes[m].mode) == 0 && i < STEPS; i++)
            modes[m].step(i);
    if (rank == 0)
        printf("%u calls, answers %lx\n", fake_calls(), answers);
    MPI_Finalize();
    return 0;
}
