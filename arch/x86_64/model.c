/* See model.h. */
#include "arch/x86_64/model.h"

#include <stdio.h>
#include <string.h>

void arch_model(const char *cpuinfo, char *text, size_t size)
{
    const char *found = strstr(cpuinfo, "model name");
    found = found ? strstr(found, ": ") : NULL;
    snprintf(text, size, "%.*s", found ? (int)strcspn(found + 2, "\n") : 0,
             found ? found + 2 : "");
}
