/*
 * Stands in for the libraries of Caliper, Score-P and LIKWID: the functions that mark regions,
 * as their documentation declares them.  Each counts its calls and answers in its own way.
 */
#include <stdint.h>
#include <string.h>

unsigned fake_calls(void);

static unsigned calls;

unsigned fake_calls(void)
{
    return calls;
}

#define ANSWERS(name, answer)                                                                  \
    int name(const char *region);                                                              \
    int name(const char *region)                                                               \
    {                                                                                          \
        calls++;                                                                               \
        return answer + (int)strlen(region);                                                   \
    }

ANSWERS(cali_begin_region, 100)
ANSWERS(cali_end_region, 200)
ANSWERS(likwid_markerStartRegion, 300)
ANSWERS(likwid_markerStopRegion, 400)

uint64_t cali_make_loop_iteration_attribute(const char *name);
int cali_begin_int(uint64_t attribute, int value);
int cali_begin_string(uint64_t attribute, const char *value);
int cali_end(uint64_t attribute);

uint64_t cali_make_loop_iteration_attribute(const char *name)
{
    calls++;
    return UINT64_C(0x1000000000000) + strlen(name);
}

int cali_begin_int(uint64_t attribute, int value)
{
    calls++;
    return (int)(attribute & 0xff) + value;
}

int cali_begin_string(uint64_t attribute, const char *value)
{
    calls++;
    return (int)(attribute & 0xff) + (int)strlen(value);
}

int cali_end(uint64_t attribute)
{
    calls++;
    return (int)(attribute & 0xff);
}

/* cali::Loop and its iterations, which hold a pointer to the same thing. */
void loop_made(void **self, const char *name) __asm__("_ZN4cali4LoopC1EPKc");
void *loop_iteration(void **result, void *const *self,
                     int number) __asm__("_ZNK4cali4Loop9iterationEi");
void iteration_gone(void **self) __asm__("_ZN4cali4Loop9IterationD1Ev");

void loop_made(void **self, const char *name)
{
    static char things[8];
    calls++;
    *self = &things[strlen(name) % sizeof things];
}

void *loop_iteration(void **result, void *const *self, int number)
{
    calls += number >= 0;
    *result = *self;
    return result;
}

void iteration_gone(void **self)
{
    calls += *self != NULL;
}

void SCOREP_User_RegionInit(void **handle, const char **last_name, void **last_file,
                            const char *name, uint32_t type, const char *file, uint32_t line);
void SCOREP_User_RegionBegin(void **handle, const char **last_name, void **last_file,
                             const char *name, uint32_t type, const char *file, uint32_t line);
void SCOREP_User_RegionEnter(void *handle);
void SCOREP_User_RegionEnd(void *handle);
void SCOREP_User_RegionByNameBegin(const char *name, uint32_t type, const char *file,
                                   uint32_t line);
void SCOREP_User_RegionByNameEnd(const char *name);

void SCOREP_User_RegionInit(void **handle, const char **last_name, void **last_file,
                            const char *name, uint32_t type, const char *file, uint32_t line)
{
    static char regions[64];
    calls += type;
    *last_name = file;
    *last_file = &regions[line % sizeof regions];
    *handle = &regions[strlen(name) % sizeof regions];
}

void SCOREP_User_RegionBegin(void **handle, const char **last_name, void **last_file,
                             const char *name, uint32_t type, const char *file, uint32_t line)
{
    SCOREP_User_RegionInit(handle, last_name, last_file, name, type, file, line);
}

void SCOREP_User_RegionEnter(void *handle)
{
    calls += handle != NULL;
}

void SCOREP_User_RegionEnd(void *handle)
{
    calls += handle != NULL;
}

void SCOREP_User_RegionByNameBegin(const char *name, uint32_t type, const char *file,
                                   uint32_t line)
{
    calls += *name && type && *file && line;
}

void SCOREP_User_RegionByNameEnd(const char *name)
{
    calls += *name != '\0';
}
