/*
 * Libraries that come and go under walks: several threads load, use and unload libraries whose
 * code lies at the same addresses in turn, all the time interrupted by samples, and every call
 * path must name the library and the functions that were there.
 *
 * TEST_UNLOAD_ROUNDS in the environment says how often each thread does so.
 */
#include "host/arena.h"
#include "life/unload.h"
#include "tap.h"
#include "tree/cct.h"
#include "unload_plugin.h"
#include "unwind/known_modules.h"
#include "unwind/recipe.h"
#include "unwind/walker.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

static int rounds = 1200;

enum { THREADS = 3, FILES = 4, NODES = 1 << 14 };

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct worker {
    pthread_t thread;
    unsigned number;
    struct arena arena;
    struct cct tree;
    struct walker *walker;
    struct walk_scratch *scratch;
    struct stack_bounds bounds;
    atomic_bool walking; /* the handler leaves the walker alone */
    const char *file;    /* of the library that is loaded */
    void *inner, *outer;
    bool in_inner;
    unsigned long looks, wrong, samples, failed;
};

static __thread struct worker *self;
static char directory[4096];
static const struct anchor no_anchor = {.cfa = UINTPTR_MAX, .caller_cfa = UINTPTR_MAX};

static bool is_function(const struct worker *worker, uint32_t node, const void *function)
{
    uint64_t key = worker->tree.nodes[node].key;
    const struct known_module *module = known_module_get_async(code_module(key));
    return worker->tree.nodes[node].kind == NODE_FUNCTION &&
           code_address(key) == (uintptr_t)function && module &&
           strcmp(module->path, worker->file) == 0;
}

__attribute__((noipa, optimize("no-omit-frame-pointer"))) static void look(void *argument)
{
    const uintptr_t *frame = ARCH_FRAME();
    struct worker *worker = argument;
    struct registers start = arch_caller(frame, arch_return_address(frame));
    worker->walking = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct walk_result walk =
        unwind_async(worker->walker, worker->scratch, &worker->bounds, &start, &worker->tree);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    worker->walking = false;
    uint32_t outer = worker->in_inner ? worker->tree.nodes[walk.node].parent : walk.node;
    bool right = !walk.failed &&
                 (!worker->in_inner || is_function(worker, walk.node, worker->inner)) &&
                 is_function(worker, outer, worker->outer);
    worker->looks++;
    worker->wrong += !right;
    worker->in_inner = !worker->in_inner;
}

static void on_sample(int number, siginfo_t *info, void *context)
{
    const struct registers start = arch_interrupted(context);
    struct worker *worker = self;
    (void)number;
    (void)info;
    if (!worker || worker->walking)
        return;
    struct walk_result walk =
        unwind_sample_async(worker->walker, worker->scratch, &worker->bounds, &start,
                            arch_interrupted_aux(context), &worker->tree);
    worker->samples++;
    worker->failed += walk.failed;
}

static void use_library(struct worker *worker, unsigned which)
{
    static const char *const names[FILES] = {"a", "b", "c", "d"};
    char file[sizeof directory + 32];
    snprintf(file, sizeof file, "%s/unload_plugin_%s.so", directory, names[which]);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        worker->wrong++;
        return;
    }
    worker->file = file;
    worker->inner = dlsym(library, "plugin_inner");
    worker->outer = dlsym(library, "plugin_outer");
    int (*outer)(void (*)(void *), void *);
    memcpy(&outer, &worker->outer, sizeof outer);
    worker->in_inner = false;
    outer(look, worker);
    dlclose(library);
}

static void find_bounds(struct stack_bounds *bounds)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    *bounds = (struct stack_bounds){(uintptr_t)low, (uintptr_t)low + size};
}

static bool furnish(struct worker *worker)
{
    if (arena_create_async(&worker->arena, (size_t)1 << 26) != 0)
        return false;
    worker->walker = arena_take_async(&worker->arena, sizeof *worker->walker);
    worker->scratch = arena_take_async(&worker->arena, sizeof *worker->scratch);
    if (!worker->walker || !worker->scratch ||
        !cct_create(&worker->tree, &worker->arena, NODES))
        return false;
    walker_reset_async(worker->walker, CCT_ROOT, &no_anchor);
    find_bounds(&worker->bounds);
    return true;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    const struct itimerspec interval = {{0, 300000}, {0, 300000}};
    unsigned state = worker->number;
    timer_t timer;
    if (!furnish(worker)) {
        worker->wrong++;
        return NULL;
    }
    self = worker;
    event.sigev_notify_thread_id = gettid();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &interval, NULL);
    for (int i = 0; i < rounds; i++) {
        state = state * 1103515245 + 12345;
        use_library(worker, (state >> 16) % FILES);
    }
    timer_delete(timer);
    self = NULL;
    return NULL;
}

int main(int count, char **arguments)
{
    static struct worker workers[THREADS];
    struct sigaction action = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART};
    const char *wanted = getenv("TEST_UNLOAD_ROUNDS");
    (void)count;
    if (wanted)
        rounds = atoi(wanted);
    char *here = realpath("/proc/self/exe", NULL);
    snprintf(directory, sizeof directory, "%s", here ? here : arguments[0]);
    free(here);
    *strrchr(directory, '/') = '\0';
    recipe_start();
    unload_watch();
    sigaction(SIGUSR1, &action, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].number = i + 1;
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    unsigned long looks = 0, wrong = 0, samples = 0, failed = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        looks += workers[i].looks;
        wrong += workers[i].wrong;
        samples += workers[i].samples;
        failed += workers[i].failed;
        arena_destroy_async(&workers[i].arena);
    }
    EQ_INT(looks, 2 * THREADS * rounds, "walks from %d libraries in turn", THREADS * rounds);
    EQ_INT(wrong, 0, "every call path names the library that was there");
    OK(samples > 0, "%lu samples fell in between", samples);
    printf("# %lu of them did not reach the root\n", failed);
    EQ_INT(recipe_epoch % RECIPE_EPOCH, 0, "in the end nobody is unloading");
    return tap_done();
}
