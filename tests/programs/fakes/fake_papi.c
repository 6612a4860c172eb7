/*
 * fake_papi.c: a PAPI library whose counters the program sets itself, so that every value is
 * known.  The program exports counters_of_thread, where the calling thread's are.
 *
 * FAKE_PAPI is a list of what is to happen: deny (nobody may count), limit=N (the hardware has
 * N counters), cost=N (each reading adds N to every counter, as tsprof's own work would),
 * starts=N (no set can be started after the Nth), break=N (from the Nth reading on they fail),
 * unknown (it has no events at all, as on a processor that it does not know).
 * At the end what became of the sets is written to the file FAKE_PAPI_LOG.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 7 << 24 | 1 << 16,
    EVENTS = 20,
    FIRST_EVENT = 0x40000000,
    SETS = 4096,
    COMPONENT = 3, /* of the counters of threads */
    ENOEVNT = -7,
    ECNFLCT = -8,
    ENOEVST = -11,
    EPERM_ = -15,
    EINVAL_ = -1,
    EISRUN = -10
};

struct set {
    int made, running, count;
    int events[EVENTS];
    pthread_t owner;
};

static struct set sets[SETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int alive, most_alive, made, threads_forgotten, misused, readings, starts;
static long long *(*counters_of_thread)(void);

static const char *option(const char *name)
{
    const char *list = getenv("FAKE_PAPI");
    const char *found = list ? strstr(list, name) : NULL;
    return found ? found + strlen(name) : NULL;
}

static int number(const char *name, int standard)
{
    const char *found = option(name);
    return found ? atoi(found) : standard;
}

static void __attribute__((destructor)) tell(void)
{
    const char *path = getenv("FAKE_PAPI_LOG");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "made %d\nalive %d\nmost %d\nforgotten %d\nmisused %d\n", made, alive,
            most_alive, threads_forgotten, misused);
    fclose(file);
}

int PAPI_library_init(int version);
int PAPI_library_init(int version)
{
    void *found = dlsym(RTLD_DEFAULT, "counters_of_thread");
    if (version != VERSION)
        return EINVAL_;
    memcpy(&counters_of_thread, &found, sizeof found);
    return found ? VERSION : EINVAL_;
}

int PAPI_thread_init(unsigned long (*identity)(void));
int PAPI_thread_init(unsigned long (*identity)(void))
{
    return identity() == (unsigned long)pthread_self() ? 0 : EINVAL_;
}

int PAPI_unregister_thread(void);
int PAPI_unregister_thread(void)
{
    pthread_mutex_lock(&lock);
    threads_forgotten++;
    pthread_mutex_unlock(&lock);
    return 0;
}

char *PAPI_strerror(int error);
char *PAPI_strerror(int error)
{
    static char text[] = "some error";
    (void)error;
    return text;
}

/* FAKE_0 to FAKE_19 are threads', FAKE_SYSTEM is not. */
int PAPI_event_name_to_code(const char *name, int *event);
int PAPI_event_name_to_code(const char *name, int *event)
{
    int which = EVENTS;
    if (option("unknown"))
        return ENOEVNT;
    if (strcmp(name, "FAKE_SYSTEM") != 0 &&
        (sscanf(name, "FAKE_%d", &which) != 1 || which < 0 || which >= EVENTS))
        return ENOEVNT;
    *event = FIRST_EVENT + which;
    return 0;
}

/* The next native event after *EVENT, or the first one. */
int PAPI_enum_cmp_event(int *event, int which, int component);
int PAPI_enum_cmp_event(int *event, int which, int component)
{
    int next = which == 1 ? FIRST_EVENT : *event + 1;
    if (option("unknown") || *event < 0 || component != COMPONENT ||
        next >= FIRST_EVENT + EVENTS)
        return ENOEVNT;
    *event = next;
    return 0;
}

int PAPI_event_code_to_name(int event, char *name);
int PAPI_event_code_to_name(int event, char *name)
{
    sprintf(name, "FAKE_%d", event - FIRST_EVENT);
    return 0;
}

int PAPI_get_component_index(const char *name);
int PAPI_get_component_index(const char *name)
{
    return strcmp(name, "perf_event") == 0 ? COMPONENT : ENOEVNT;
}

int PAPI_get_event_component(int event);
int PAPI_get_event_component(int event)
{
    return event == FIRST_EVENT + EVENTS ? COMPONENT + 1 : COMPONENT;
}

/* The set, which must be the calling thread's. */
static struct set *own(int number)
{
    struct set *set = number >= 0 && number < SETS && sets[number].made ? &sets[number] : NULL;
    if (!set || !pthread_equal(set->owner, pthread_self())) {
        misused++;
        return NULL;
    }
    return set;
}

int PAPI_create_eventset(int *number_out);
int PAPI_create_eventset(int *number_out)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < SETS && sets[i].made)
        i++;
    if (i < SETS) {
        sets[i] = (struct set){.made = 1, .owner = pthread_self()};
        made++;
        most_alive = ++alive > most_alive ? alive : most_alive;
    }
    pthread_mutex_unlock(&lock);
    *number_out = i;
    return i < SETS ? 0 : EINVAL_;
}

int PAPI_add_event(int number_of_set, int event);
int PAPI_add_event(int number_of_set, int event)
{
    struct set *set = own(number_of_set);
    if (!set)
        return ENOEVST;
    if (option("deny"))
        return EPERM_;
    if (set->count >= number("limit=", EVENTS))
        return ECNFLCT;
    set->events[set->count++] = event - FIRST_EVENT;
    return 0;
}

int PAPI_start(int number_of_set);
int PAPI_start(int number_of_set)
{
    struct set *set = own(number_of_set);
    if (!set)
        return ENOEVST;
    const char *most = option("starts=");
    if (most && __atomic_add_fetch(&starts, 1, __ATOMIC_RELAXED) > atoi(most))
        return EPERM_;
    set->running = 1;
    return 0;
}

int PAPI_read(int number_of_set, long long *values);
int PAPI_read(int number_of_set, long long *values)
{
    struct set *set = own(number_of_set);
    const char *breaks = option("break=");
    int cost = number("cost=", 0);
    /* What read(2) does, which the real library calls: a thread that was cancelled ends. */
    pthread_testcancel();
    errno = EPROTO;
    if (!set || !set->running)
        return ENOEVST;
    if (breaks && __atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED) >= atoi(breaks))
        return EINVAL_;
    for (int i = 0; i < set->count; i++)
        values[i] = counters_of_thread()[set->events[i]] += cost;
    return 0;
}

int PAPI_stop(int number_of_set, long long *values);
int PAPI_stop(int number_of_set, long long *values)
{
    struct set *set = own(number_of_set);
    (void)values;
    if (set)
        set->running = 0;
    return set ? 0 : ENOEVST;
}

int PAPI_cleanup_eventset(int number_of_set);
int PAPI_cleanup_eventset(int number_of_set)
{
    struct set *set = own(number_of_set);
    if (!set || set->running)
        return EISRUN;
    set->count = 0;
    return 0;
}

int PAPI_destroy_eventset(int *number_of_set);
int PAPI_destroy_eventset(int *number_of_set)
{
    struct set *set = own(*number_of_set);
    if (!set || set->running || set->count)
        return EISRUN;
    pthread_mutex_lock(&lock);
    set->made = 0;
    alive--;
    pthread_mutex_unlock(&lock);
    *number_of_set = -1;
    return 0;
}
