/*
 * Programs that confine themselves by seccomp.  From then on a system call that they do not
 * make themselves may fail, or end the process, also if tsprof makes it.  So the functions of
 * the C library by which a program does so are interposed; before they take effect tsprof finds
 * out what will be denied (seccomp_filter.h), and ends whatever needs that.
 *
 * What is not seen here: filters that were there at the start, and those that are installed by
 * the kernel's own interface.
 */
#include "host/host.h"
#include "life/lifecycle.h"
#include "sample/sample.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT        __attribute__((visibility("default")))
#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

struct needed {
    int number;
    const char *name;
};

#define NEEDED(name)                                                                           \
    {                                                                                          \
        SYS_##name, #name                                                                      \
    }

static const struct needed for_samples[] = {NEEDED(timer_settime), NEEDED(timer_delete),
                                            NEEDED(rt_sigreturn)};

/* For changing over to performance events. */
static const struct needed for_change[] = {NEEDED(perf_event_open), NEEDED(ioctl)};

/* For knowing where threads may run. */
static const struct needed for_binding[] = {NEEDED(sched_getaffinity)};

/* For walks over some stacks, for saving, and for writing the summary. */
static const struct needed for_files[] = {ARCH_FILE_CALLS(NEEDED),
                                          NEEDED(brk),
                                          NEEDED(clock_gettime),
                                          NEEDED(close),
                                          NEEDED(fallocate),
                                          NEEDED(fcntl),
                                          NEEDED(fstat),
                                          NEEDED(fstatfs),
                                          NEEDED(futex),
                                          NEEDED(getpid),
                                          NEEDED(getrusage),
                                          NEEDED(gettid),
                                          NEEDED(lseek),
                                          NEEDED(madvise),
                                          NEEDED(membarrier),
                                          NEEDED(mmap),
                                          NEEDED(mprotect),
                                          NEEDED(mremap),
                                          NEEDED(munmap),
                                          NEEDED(newfstatat),
                                          NEEDED(openat),
                                          NEEDED(pread64),
                                          NEEDED(prlimit64),
                                          NEEDED(process_vm_readv),
                                          NEEDED(pwrite64),
                                          NEEDED(read),
                                          NEEDED(rt_sigaction),
                                          NEEDED(rt_sigpending),
                                          NEEDED(rt_sigprocmask),
                                          NEEDED(rt_sigtimedwait),
                                          NEEDED(write)};

/* A filter as the kernel takes it; NULL: nothing but four system calls is allowed. */
struct filter {
    const struct sock_filter *code;
    size_t count;
};

/* The first call that is denied; NULL if none is. */
static const char *denied(const struct filter *filter, const struct needed *needed,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!filter->code ||
            !seccomp_filter_allows(filter->code, filter->count, needed[i].number))
            return needed[i].name;
    return NULL;
}

static void look_at(const struct filter *filter)
{
    const char *sampling = denied(filter, for_samples, LENGTH(for_samples));
    const char *files = denied(filter, for_files, LENGTH(for_files));
    if (denied(filter, for_change, LENGTH(for_change)))
        sampler_stay_async();
    if (denied(filter, for_binding, LENGTH(for_binding)))
        processor_ask_no_more_async();
    if (files) {
        message(1,
                "the measurement ends here: the program confines itself by seccomp, which "
                "denies %s to tsprof, too",
                files);
        lifecycle_confine();
    } else if (sampling) {
        message(1,
                "sampling ends here: the program confines itself by seccomp, which denies "
                "%s to tsprof, too",
                sampling);
        sampler_give_up_async();
    }
}

/* The program installs the filter at ADDRESS, or strict mode if FILTERS is false. */
static void confine(bool filters, uintptr_t address)
{
    static struct sock_filter code[BPF_MAXINSNS];
    struct sock_fprog program = {0};
    int saved = errno;
    if (lifecycle_measures()) {
        bool read = !filters ||
                    (peek_async(address, &program, sizeof program) && program.len > 0 &&
                     program.len <= BPF_MAXINSNS &&
                     peek_async((uintptr_t)program.filter, code, program.len * sizeof *code));
        /* The kernel will refuse what cannot be read. */
        if (read)
            look_at(&(struct filter){filters ? code : NULL, program.len});
    }
    errno = saved;
}

__attribute__((used, visibility("hidden"))) void *seccomp_real_syscall;
static int (*real_prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);

/* Before main, since programs make system calls where dlsym must not be called. */
static void __attribute__((constructor)) find_real(void)
{
    void *found = dlsym(RTLD_NEXT, "prctl");
    memcpy(&real_prctl, &found, sizeof found);
    seccomp_real_syscall = dlsym(RTLD_NEXT, "syscall");
}

static void before_prctl(int option, unsigned long mode, unsigned long address)
{
    if (option == PR_SET_SECCOMP &&
        (mode == SECCOMP_MODE_STRICT || mode == SECCOMP_MODE_FILTER))
        confine(mode == SECCOMP_MODE_FILTER, address);
}

/* Called by the code of ARCH_SYSCALL_ENTRY, with what syscall() was called with. */
__attribute__((used, visibility("hidden"))) void
seccomp_before(long number, unsigned long a, unsigned long b, unsigned long c);

void seccomp_before(long number, unsigned long a, unsigned long b, unsigned long c)
{
    if (!seccomp_real_syscall)
        find_real();
    if (number == SYS_prctl)
        before_prctl((int)a, b, c);
    else if (number == SYS_seccomp &&
             (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER))
        confine(a == SECCOMP_SET_MODE_FILTER, c);
}

ARCH_SYSCALL_ENTRY(seccomp_before, seccomp_real_syscall);

EXPORT int prctl(int option, ...)
{
    unsigned long more[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        more[i] = va_arg(list, unsigned long);
    va_end(list);
    if (!real_prctl)
        find_real();
    before_prctl(option, more[0], more[1]);
    return real_prctl(option, more[0], more[1], more[2], more[3]);
}
