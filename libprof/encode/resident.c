/* See resident.h. */
#include "encode/resident.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KIB = 1024 };

uint64_t resident_most_bytes_async(void)
{
    const int saved = errno;
    struct rusage usage;
    const long status = syscall(SYS_getrusage, RUSAGE_SELF, &usage);
    errno = saved;
    return status == 0 && usage.ru_maxrss > 0 ? (uint64_t)usage.ru_maxrss * KIB : 0;
}
