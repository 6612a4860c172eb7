/* What the processor is called. */
#ifndef TSPROF_ARCH_MODEL_H
#define TSPROF_ARCH_MODEL_H

#include <stddef.h>

/*
 * Writes the name of the processor that CPUINFO, the text of /proc/cpuinfo, describes first to
 * TEXT, with room for SIZE bytes; nothing but the final 0 if there is none.
 */
void arch_model(const char *cpuinfo, char *text, size_t size);

#endif
