/*
 * other_hosts.c: each rank on a host of its own, whose clock is wrong.  To be preloaded before
 * the runtime.  Rank R's clock is by OTHER_HOSTS_SHIFT_US * R late and loses
 * OTHER_HOSTS_DRIFT_PPM * R microseconds a second; OTHER_HOSTS_PER ranks share a host (1).
 *
 * The launcher's word that all ranks are on one host is taken back, unless OTHER_HOSTS_ARE_NEAR
 * is set: then the runtime believes that there is nothing to measure.
 *
 * Linux is said not to trust the processor's counter, so that the runtime takes the system's
 * clock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static int host = -1;
static long long shift_ns, drift_ppm;

static long long number(const char *name, long long otherwise)
{
    const char *value = getenv(name);
    return value ? atoll(value) : otherwise;
}

/* Before the launcher's word is known nothing is changed, as in the launcher itself. */
static void __attribute__((constructor)) begin(void)
{
    const char *rank = getenv("PMI_RANK");
    rank = rank ? rank : getenv("OMPI_COMM_WORLD_RANK");
    if (!rank || !getenv("OTHER_HOSTS_SHIFT_US"))
        return;
    host = atoi(rank) / (int)number("OTHER_HOSTS_PER", 1);
    shift_ns = 1000 * number("OTHER_HOSTS_SHIFT_US", 0) * host;
    drift_ppm = number("OTHER_HOSTS_DRIFT_PPM", 0) * host;
    if (getenv("OTHER_HOSTS_ARE_NEAR"))
        return;
    unsetenv("MPI_LOCALNRANKS");
    unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
}

/* The program goes by the true time: only the runtime has a clock that is wrong. */
static int is_runtime(const void *caller)
{
    static struct {
        size_t page;
        int is;
    } known[64];
    const size_t page = (size_t)caller >> 12, at = page % 64;
    Dl_info place;
    if (known[at].page != page) {
        known[at].is = dladdr(caller, &place) && strstr(place.dli_fname, "tsprof") &&
                       strstr(place.dli_fname, ".so");
        known[at].page = page;
    }
    return known[at].is;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, time);
    if (host <= 0 || status != 0 || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) ||
        !is_runtime(__builtin_return_address(0)))
        return status;
    struct timespec up;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &up);
    const long long passed_us = up.tv_sec * 1000000ll + up.tv_nsec / 1000;
    const long long ns =
        time->tv_sec * 1000000000ll + time->tv_nsec - shift_ns - passed_us * drift_ppm / 1000;
    time->tv_sec = ns / 1000000000;
    time->tv_nsec = ns % 1000000000;
    return 0;
}

int uname(struct utsname *name)
{
    const int status = (int)syscall(SYS_uname, name);
    if (host >= 0)
        snprintf(name->nodename, sizeof name->nodename, "host%d", host);
    return status;
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*const real)(const char *path, const char *mode) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    char text[64] = "";
    if (host >= 0 && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
        snprintf(text, sizeof text, "boot%d\n", host);
    else if (host >= 0 && strstr(path, "/available_clocksource"))
        snprintf(text, sizeof text, "hpet acpi_pm\n");
    if (!*text)
        return real(path, mode);
    FILE *file = tmpfile();
    if (file) {
        fputs(text, file);
        rewind(file);
    }
    return file;
}
