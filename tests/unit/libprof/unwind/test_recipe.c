/* Recipes for stepping out of frames, learnt from this program's own unwind tables. */
#include "unwind/recipe.h"

#include "tap.h"

#include "host/host.h"

#include <alloca.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

/* Each function takes the recipe for the place where it calls this. */
static struct recipe taken;

__attribute__((noipa)) static void take(void)
{
    struct recipe scratch;
    taken =
        *recipe_find_async((uintptr_t)__builtin_return_address(0) - 1, RECIPE_CALLER, &scratch);
}

__attribute__((noipa, optimize("omit-frame-pointer"))) static int plain(int x)
{
    take();
    return x + 1;
}

__attribute__((noipa, optimize("no-omit-frame-pointer"))) static int framed(int x)
{
    take();
    return x + 1;
}

__attribute__((noipa)) static int with_alloca(int x)
{
    volatile char *memory = alloca((size_t)x);
    memory[0] = 1;
    take();
    return memory[0];
}

__attribute__((noipa)) static int realigned(int x)
{
    _Alignas(64) volatile char aligned[64];
    volatile char array[x];
    aligned[0] = array[0] = 1;
    take();
    return aligned[0] + array[0];
}

__attribute__((noipa)) static void handler(int number)
{
    (void)number;
    take();
    __asm__ volatile("");
}

static struct recipe from_handler;

__attribute__((noipa)) static void on_signal(int number)
{
    struct recipe scratch;
    handler(number);
    from_handler =
        *recipe_find_async((uintptr_t)__builtin_return_address(0) - 1, RECIPE_CALLER, &scratch);
}

/*
 * From what frames with a frame pointer are found, and those that are realigned: where the
 * frame pointer is saved at the lower end of a frame, its size does without it, and a realigned
 * one is found from there.
 */
#if defined(__aarch64__)
static const enum recipe_kind framed_kind = RECIPE_SP, realigned_kind = RECIPE_FP;
#else
static const enum recipe_kind framed_kind = RECIPE_FP, realigned_kind = RECIPE_MEMORY;
#endif

static void test_frames_of_the_compiler(void)
{
    plain(1);
    EQ_INT(taken.kind, RECIPE_SP, "an ordinary frame is found from the stack pointer");
    EQ_INT(code_address(taken.function), (uintptr_t)plain, "its function is known");
    OK(taken.cfa_offset >= 16 && taken.cfa_offset % 16 == 0, "its size is %d",
       taken.cfa_offset);
    framed(1);
    EQ_INT(taken.kind, framed_kind,
           "one with a frame pointer from that, if not from the stack's");
    OK(taken.cfa_offset == 16 || framed_kind == RECIPE_SP, "at its usual place");
    OK(taken.fp == FP_AT_CFA && taken.fp_offset == -taken.cfa_offset,
       "with the caller's beside it");
    with_alloca(100);
    EQ_INT(taken.kind, RECIPE_FP, "one of unknown size too");
    realigned(100);
    EQ_INT(taken.kind, realigned_kind, "a realigned one from where its caller's was saved");
    OK(realigned_kind == RECIPE_MEMORY
           ? taken.fp == FP_AT_FP && taken.fp_offset == 0
           : taken.fp == FP_AT_CFA && taken.fp_offset == -taken.cfa_offset,
       "and so is the frame pointer");
}

static void test_frames_of_the_system(void)
{
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    /* Nothing says what code it is where a process must not look at its own (emulators). */
    if (peek_async((uintptr_t)&from_handler, &(char){0}, 1))
        EQ_INT(from_handler.kind, RECIPE_SIGNAL, "what a handler returns to");
    EQ_INT(code_address(taken.function), (uintptr_t)handler, "a handler itself is a function");
}

extern char _start[];

static void test_the_outermost_frame_ends_the_walk(void)
{
    struct recipe scratch;
    EQ_INT(recipe_find_async((uintptr_t)_start + 8, RECIPE_CALLER, &scratch)->kind, RECIPE_END,
           "_start");
}

static void test_code_without_tables_has_no_recipe(void)
{
    struct recipe scratch;
    char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EQ_INT(recipe_find_async((uintptr_t)memory + 16, RECIPE_CALLER, &scratch)->kind,
           RECIPE_FAIL, "memory that the program filled itself");
    EQ_INT(recipe_find_async(16, RECIPE_CALLER, &scratch)->kind, RECIPE_FAIL,
           "no memory at all");
    EQ_INT(recipe_find_async(UINTPTR_MAX - 1, RECIPE_CALLER, &scratch)->kind, RECIPE_FAIL,
           "nor at the end");
    EQ_INT(recipe_find_async((uintptr_t)&taken, RECIPE_CALLER, &scratch)->kind, RECIPE_FAIL,
           "data");
    munmap(memory, 4096);
}

static void test_recipes_are_remembered(void)
{
    struct recipe first, second;
    const struct recipe *one = recipe_find_async((uintptr_t)plain + 1, RECIPE_CALLER, &first);
    const struct recipe *two = recipe_find_async((uintptr_t)plain + 1, RECIPE_CALLER, &second);
    OK(two != &second, "the second time it comes from the table");
    EQ_INT(one->kind, two->kind, "and is the same");
    EQ_INT(one->cfa_offset, two->cfa_offset, "in all");
}

int main(void)
{
    recipe_start();
    test_frames_of_the_compiler();
    test_frames_of_the_system();
    test_the_outermost_frame_ends_the_walk();
    test_code_without_tables_has_no_recipe();
    test_recipes_are_remembered();
    return tap_done();
}
