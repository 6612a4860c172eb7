/* Asking which functions are left out: on small stacks, and while modules may be unloaded. */
#include "regions/filtered.h"

#include "host/host.h"
#include "regions/regions.h"
#include "tests/unit/libprof/timed_thread.h"

#include "tap.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL_STACK = 16384, ROOM_LEFT = 7000 };

__attribute__((noipa)) static int kept(int number)
{
    return number + 1;
}

__attribute__((noipa)) static int left_out(int number)
{
    return number + 2;
}

__attribute__((noipa)) static int nameless(int number)
{
    return kept(number) * left_out(number) + number;
}

static char name[] = "/tmp/tsprof-filter-XXXXXX";

static void write_rules(void)
{
    static const char rules[] =
        "SCOREP_REGION_NAMES_BEGIN EXCLUDE left_out SCOREP_REGION_NAMES_END\n";
    const int file = mkstemp(name);
    NEED(file >= 0 && write(file, rules, sizeof rules - 1) == (ssize_t)sizeof rules - 1);
    close(file);
    setenv("TSPROF_FILTER", name, 1);
}

static void test_decisions(void)
{
    NEED(filtered_decisions);
    OK(filtered_is_out((uintptr_t)left_out), "what the file excludes is left out");
    OK(filtered_is_surely_out((uintptr_t)left_out), "at first glance from then on");
    OK(!filtered_is_out((uintptr_t)kept), "what it does not is kept");
}

/* With ROOM_LEFT bytes of the stack, which ends at LOW. */
static __attribute__((noipa)) void ask_deep(uintptr_t low)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    volatile char *taken = __builtin_alloca(here - low - ROOM_LEFT);
    taken[0] = 0;
    OK(!filtered_is_out((uintptr_t)nameless + 1), "a function without a name is kept");
    OK(decisions_find_async(filtered_decisions, (uintptr_t)nameless + 1) == DECISION_KEPT,
       "and decided, with little stack");
}

static void *ask_on_a_small_stack(void *context)
{
    struct thread *thread = context;
    pthread_attr_t attributes;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    thread->stack = (struct stack_bounds){(uintptr_t)low, (uintptr_t)low + size};
    thread_self = thread;
    ask_deep((uintptr_t)low);
    thread_self = NULL;
    return NULL;
}

static void test_small_stacks(void)
{
    static struct thread small;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SMALL_STACK);
    NEED(pthread_create(&thread, &attributes, ask_on_a_small_stack, &small) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static pthread_barrier_t both;

/* Has look-ups for longer than anybody waits for them. */
static void *hold_look_ups(void *unused)
{
    (void)unused;
    source_place_claim();
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    source_place_release();
    return NULL;
}

static void test_unloading(void)
{
    pthread_t holder;
    pthread_barrier_init(&both, NULL, 2);
    regions_filter_unloading();
    OK(!filtered_is_surely_out((uintptr_t)left_out), "while modules may go nothing is sure");
    OK(filtered_is_out((uintptr_t)left_out), "but what is there can be asked for");
    regions_filter_unloaded();
    OK(filtered_is_surely_out((uintptr_t)left_out), "afterwards it is sure again");
    pthread_create(&holder, NULL, hold_look_ups, NULL);
    pthread_barrier_wait(&both);
    regions_filter_unloading();
    regions_filter_unloaded();
    OK(!filtered_is_surely_out((uintptr_t)left_out),
       "but not where nobody could see what is gone");
    pthread_barrier_wait(&both);
    pthread_join(holder, NULL);
    OK(filtered_is_out((uintptr_t)left_out) && filtered_is_surely_out((uintptr_t)left_out),
       "until somebody can");
    pthread_barrier_destroy(&both);
}

static sigjmp_buf back;
static bool jumps;

/* In place of the C library's, which look-ups call: as if a signal came here. */
int _dl_find_object(void *address, struct dl_find_object *found)
{
    static int (*real)(void *, struct dl_find_object *);
    void *symbol = real ? NULL : dlsym(RTLD_NEXT, "_dl_find_object");
    if (!real)
        memcpy(&real, &symbol, sizeof real);
    if (jumps) {
        jumps = false;
        siglongjmp(back, 1);
    }
    return real(address, found);
}

static void *claim(void *claimed)
{
    *(bool *)claimed = source_place_claim();
    if (*(bool *)claimed)
        source_place_release();
    return NULL;
}

static void test_jumps(void)
{
    pthread_t other;
    bool claimed = false;
    int before, after;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    jumps = true;
    if (sigsetjmp(back, 1) == 0)
        filtered_is_out((uintptr_t)nameless + 2);
    OK(!jumps, "a handler has left a look-up by a jump");
    OK(!filtered_is_out((uintptr_t)nameless + 2) &&
           decisions_find_async(filtered_decisions, (uintptr_t)nameless + 2) == DECISION_KEPT,
       "the next one is made");
    pthread_create(&other, NULL, claim, &claimed);
    pthread_join(other, NULL);
    OK(claimed, "and others can look up, too");
    pthread_setcancelstate(before, &after);
    EQ_INT(after, PTHREAD_CANCEL_ENABLE, "the thread can be cancelled again");
}

int main(void)
{
    write_rules();
    timed_start();
    source_place_start();
    regions_filter_start(timed_attach());
    unlink(name);
    test_decisions();
    test_small_stacks();
    test_unloading();
    test_jumps();
    return tap_done();
}
