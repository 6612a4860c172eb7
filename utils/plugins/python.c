/* See python.h. */
#include "plugins/python.h"

#include "plugins/host.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* It is part of the command, so that both always speak the same version. */
#ifdef TSPROF_PATTERN_MODULE
__asm__(".pushsection .rodata\n"
        ".globl tsprof_pattern_module\n"
        "tsprof_pattern_module: .incbin \"" TSPROF_PATTERN_MODULE "\"\n"
        ".byte 0\n"
        ".popsection\n");
#else
const char tsprof_pattern_module[] = "";
#endif

void python_run(const char *path, const char *class)
{
    execlp("python3", "python3", "-B", "-c", tsprof_pattern_module, path, class, (char *)0);
    host_fail("python3: %s", strerror(errno));
}
