/*
 * A library for test_unwind_steps.c: bound lazily, with a linker's code that nothing describes.
 */
#include <stdlib.h>
#include <string.h>

static char *text;

__attribute__((constructor)) static void begin(void)
{
    text = strdup("a text of some length");
}

__attribute__((destructor)) static void end(void)
{
    free(text);
}

void library_run(void (*call)(void));
void library_run(void (*call)(void))
{
    char *copy = malloc(100);
    call();
    if (copy)
        strcpy(copy, text);
    free(copy);
    call();
}
