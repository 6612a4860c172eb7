/* See papi.h. */
#include "counters/papi.h"

#include "counters/event_names.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Values from PAPI's header. */
enum {
    PAPI_OK = 0,
    PAPI_ENOEVNT = -7, /* no such event */
    PAPI_ECNFLCT = -8, /* it cannot be counted together with the others */
    PAPI_EPERM = -15,  /* denied */
    PAPI_ECOUNT = -23, /* too many */
    PAPI_NULL = -1,    /* a set that does not exist yet */
    PAPI_NATIVE = 0x40000000,
    PAPI_PRESET = INT32_MIN,
    PAPI_ENUM_EVENTS = 0, /* the next one */
    PAPI_ENUM_FIRST = 1
};

/* Names under which the loader may know the library; the one without a version comes first. */
static const char *const usual_files[] = {"libpapi.so",     "libpapi.so.7.0", "libpapi.so.7.1",
                                          "libpapi.so.7.2", "libpapi.so.7",   "libpapi.so.6.0",
                                          "libpapi.so.6",   "libpapi.so.5"};

#define FUNCTIONS(FUNCTION)                                                                    \
    FUNCTION(int, library_init, (int version))                                                 \
    FUNCTION(int, thread_init, (unsigned long (*identity)(void)))                              \
    FUNCTION(int, unregister_thread, (void))                                                   \
    FUNCTION(char *, strerror, (int error))                                                    \
    FUNCTION(int, event_name_to_code, (const char *name, int *event))                          \
    FUNCTION(int, get_component_index, (const char *name))                                     \
    FUNCTION(int, get_event_component, (int event))                                            \
    FUNCTION(int, enum_cmp_event, (int *event, int which, int component))                      \
    FUNCTION(int, event_code_to_name, (int event, char *name))                                 \
    FUNCTION(int, create_eventset, (int *set))                                                 \
    FUNCTION(int, add_event, (int set, int event))                                             \
    FUNCTION(int, start, (int set))                                                            \
    FUNCTION(int, read, (int set, long long *values))                                          \
    FUNCTION(int, stop, (int set, long long *values))                                          \
    FUNCTION(int, cleanup_eventset, (int set))                                                 \
    FUNCTION(int, destroy_eventset, (int *set))

static struct {
#define FUNCTION(type, name, parameters) type(*name) parameters;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
} papi;

static int version;
static int component; /* PAPI's number for the counters of threads */

/*
 * Keeps the calling thread from being cancelled: PAPI's reads, opens and closes of files are
 * cancellation points, and a thread is to end in the program's own code only.
 */
static int stay_alive(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static void live_as(int before)
{
    pthread_setcancelstate(before, NULL);
}

/* Writes the reason to WHY; returns false for callers to return. */
static bool __attribute__((format(printf, 2, 3)))
refuse(struct papi_refusal *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

int papi_version(void)
{
    return version;
}

/* Whether some part of the program has loaded PAPI, under FILE or one of its usual names. */
static bool is_there(const char *file)
{
    bool found = dlsym(RTLD_DEFAULT, "PAPI_library_init");
    for (size_t i = 0; !found && i < sizeof usual_files / sizeof usual_files[0]; i++)
        found = dlopen(usual_files[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    return found || (*file && dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD));
}

static void *open_library(const char *file, struct papi_refusal *why)
{
    void *library = *file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (*file) {
        const char *text = library ? NULL : dlerror();
        if (!library)
            refuse(why, "%s", text ? text : "it cannot be opened");
        return library;
    }
    for (size_t i = 0; !library && i < sizeof usual_files / sizeof usual_files[0]; i++)
        library = dlopen(usual_files[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        refuse(why, "there is no PAPI library where the loader looks (TSPROF_PAPI names one)");
    return library;
}

static bool find_functions(void *library, struct papi_refusal *why)
{
    void *found;
#define FUNCTION(type, name, parameters)                                                       \
    found = dlsym(library, "PAPI_" #name);                                                     \
    if (!found)                                                                                \
        return refuse(why, "the PAPI library has no function PAPI_" #name);                    \
    memcpy(&papi.name, &found, sizeof found);
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    return true;
}

static unsigned long identity(void)
{
    return (unsigned long)pthread_self();
}

/*
 * The library accepts no version but its own, and does not tell which that is before it is
 * initialised: so try them all.
 */
static bool initialise(struct papi_refusal *why)
{
    static const int majors[] = {7, 6, 5, 8, 9};
    int answer = 0;
    for (size_t i = 0; i < sizeof majors / sizeof majors[0] && version == 0; i++)
        for (int minor = 0; minor < 10 && version == 0; minor++) {
            const int wanted = majors[i] << 24 | minor << 16;
            answer = papi.library_init(wanted);
            if (answer == wanted)
                version = wanted;
        }
    if (version == 0)
        return refuse(why, "PAPI cannot be initialised: %s", papi.strerror(answer));
    answer = papi.thread_init(identity);
    if (answer != PAPI_OK)
        return refuse(why, "PAPI cannot count threads: %s", papi.strerror(answer));
    component = papi.get_component_index("perf_event");
    return true;
}

/*
 * PAPI keeps its sets in an array that moves when it grows, and readers take no lock.  So make
 * the array grow large enough before there are readers.
 */
static void make_room(void)
{
    enum { SETS = 1024 };
    static int sets[SETS];
    int count = 0;
    for (sets[0] = PAPI_NULL; count < SETS && papi.create_eventset(&sets[count]) == PAPI_OK;) {
        count++;
        if (count < SETS)
            sets[count] = PAPI_NULL;
    }
    while (count-- > 0)
        papi.destroy_eventset(&sets[count]);
}

bool papi_open(const char *file, struct papi_refusal *why)
{
    bool there = is_there(file);
    void *library = there ? NULL : open_library(file, why);
    /* Leave no error of ours for the program to find with dlerror. */
    dlerror();
    if (there)
        return refuse(why, "the program uses PAPI itself, and a thread can count for one only");
    if (!library || !find_functions(library, why) || !initialise(why))
        return false;
    make_room();
    return true;
}

static int close_file(int file)
{
    return (int)syscall(SYS_close, file);
}

/*
 * Whether the system refuses even an event that needs no hardware and reveals nothing about
 * others.
 */
static bool is_denied(void)
{
    struct perf_event_attr event = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof event,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    int file = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file >= 0)
        close_file(file);
    return file < 0;
}

/* The value of kernel.perf_event_paranoid, or "unknown". */
static const char *paranoia(char *text, size_t size)
{
    int file = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, size - 1);
    if (file >= 0)
        close_file(file);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return *text ? text : "unknown";
}

/* Turns PAPI's ERROR into words that say what to do. */
static void explain(int error, struct papi_refusal *why)
{
    char level[16];
    if (error == PAPI_EPERM || is_denied())
        refuse(why, "the system denies performance events (kernel.perf_event_paranoid is %s)",
               paranoia(level, sizeof level));
    else if (error == PAPI_ECNFLCT || error == PAPI_ECOUNT)
        refuse(why, "the hardware cannot count it together with those before it");
    else if (error == PAPI_ENOEVNT)
        refuse(why,
               "PAPI knows no such event here (papi_avail and papi_native_avail list them)");
    else
        refuse(why, "%s", papi.strerror(error));
}

/*
 * Whether the event happens in the kernel only, where PAPI counts nothing unless it is told to.
 */
static bool is_of_the_kernel(const char *name)
{
    static const char *const events[] = {"CONTEXT-SWITCHES",
                                         "CS",
                                         "CPU-MIGRATIONS",
                                         "MIGRATIONS",
                                         "CGROUP-SWITCHES",
                                         "PERF_COUNT_SW_CONTEXT_SWITCHES",
                                         "PERF_COUNT_SW_CPU_MIGRATIONS",
                                         "PERF_COUNT_SW_CGROUP_SWITCHES"};
    const char *prefix = strstr(name, "::"), *event = prefix ? prefix + 2 : name;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (strcasecmp(event, events[i]) == 0)
            return true;
    return false;
}

static int find(const char *name, int *event)
{
    char asked[256];
    snprintf(asked, sizeof asked, "%s:k=1", name);
    if (is_of_the_kernel(name) && papi.event_name_to_code(asked, event) == PAPI_OK)
        return PAPI_OK;
    return papi.event_name_to_code(name, event);
}

/* The known event whose name is nearest to the one that was asked for. */
struct nearest {
    char name[256];
    size_t distance;
};

/* Looks for it among events of a KIND, PAPI_NATIVE or PAPI_PRESET. */
static void look_for(const char *name, int kind, struct nearest *nearest)
{
    int event = kind;
    int more = papi.enum_cmp_event(&event, PAPI_ENUM_FIRST, component);
    for (; more == PAPI_OK; more = papi.enum_cmp_event(&event, PAPI_ENUM_EVENTS, component)) {
        /* PAPI is not told how much room there is; its longest names have 1024 bytes. */
        char known[4096];
        if (papi.event_code_to_name(event, known) != PAPI_OK)
            continue;
        size_t distance = event_names_distance(name, known);
        if (distance < nearest->distance) {
            nearest->distance = distance;
            snprintf(nearest->name, sizeof nearest->name, "%.255s", known);
        }
    }
}

static bool refuse_unknown(const char *name, struct papi_refusal *why)
{
    struct nearest nearest = {.distance = SIZE_MAX};
    look_for(name, PAPI_PRESET, &nearest);
    look_for(name, PAPI_NATIVE, &nearest);
    if (event_names_plausible(name, nearest.distance))
        return refuse(why, "PAPI knows no such event here, did you mean %.128s?", nearest.name);
    if (nearest.distance == SIZE_MAX)
        return refuse(why,
                      "PAPI counts nothing on this processor (papi_component_avail says why)");
    return refuse(why, "PAPI knows no such event here (papi_avail and papi_native_avail list "
                       "them)");
}

bool papi_find(const char *name, int *event, struct papi_refusal *why)
{
    if (find(name, event) != PAPI_OK) {
        if (!is_denied())
            return refuse_unknown(name, why);
        explain(PAPI_EPERM, why);
        return false;
    }
    /* Negative numbers are preset events, which stand for some of the processor's own. */
    if (*event >= 0 && papi.get_event_component(*event) != component)
        return refuse(why, "it does not count what a thread does");
    return true;
}

/*
 * Has exec close PAPI's descriptors of performance events, which other programs would inherit:
 * they are the ones that got the free numbers from FIRST on.
 */
static void close_on_exec(int first)
{
    char link[32], target[32];
    for (int file = first; file >= 0; file++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t length = readlink(link, target, sizeof target - 1);
        if (length < 0)
            return;
        target[length] = '\0';
        if (strstr(target, "[perf_event]"))
            fcntl(file, F_SETFD, FD_CLOEXEC);
    }
}

/* The number that the next file to be opened will have. */
static int next_file(void)
{
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file >= 0)
        close_file(file);
    return file;
}

static int start(const int *events, unsigned count, unsigned *refused, struct papi_refusal *why)
{
    int set = PAPI_NULL, first = next_file(), error = papi.create_eventset(&set);
    *refused = count;
    if (error != PAPI_OK) {
        refuse(why, "%s", papi.strerror(error));
        return PAPI_NO_SET;
    }
    for (unsigned i = 0; i < count && error == PAPI_OK; i++) {
        error = papi.add_event(set, events[i]);
        if (error != PAPI_OK)
            *refused = i;
    }
    if (error == PAPI_OK)
        error = papi.start(set);
    if (error != PAPI_OK) {
        explain(error, why);
        papi.cleanup_eventset(set);
        papi.destroy_eventset(&set);
        papi.unregister_thread();
        return PAPI_NO_SET;
    }
    close_on_exec(first);
    return set;
}

int papi_start(const int *events, unsigned count, unsigned *refused, struct papi_refusal *why)
{
    int before = stay_alive();
    int set = start(events, count, refused, why);
    live_as(before);
    return set;
}

bool papi_read_async(int set, int64_t *values)
{
    _Static_assert(sizeof(long long) == sizeof(int64_t), "PAPI's values are as wide");
    int saved = errno, before = stay_alive();
    bool good = papi.read(set, (long long *)values) == PAPI_OK;
    live_as(before);
    errno = saved;
    return good;
}

void papi_stop(int set)
{
    int before = stay_alive();
    papi.stop(set, NULL);
    papi.cleanup_eventset(set);
    papi.destroy_eventset(&set);
    papi.unregister_thread();
    live_as(before);
}
