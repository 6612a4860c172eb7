/*
 * musl.c: what a program does that tsprof interposes, without MPI, for C libraries other than
 * glibc.  Prints what came of it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf plain;
static sigjmp_buf from_signal;
static int arrived;

static void on_signal(int number)
{
    arrived += number;
    siglongjmp(from_signal, 1);
}

static void *run(void *argument)
{
    return argument;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal}, old;
    sigset_t set;
    pthread_t thread;
    void *result;
    int status;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &old);
    signal(SIGBUS, on_signal);
    if (sigsetjmp(from_signal, 1) == 0)
        raise(SIGUSR1);
    if (sigsetjmp(from_signal, 1) == 0)
        raise(SIGBUS);
    if (setjmp(plain) == 0)
        longjmp(plain, 1);
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, run, &arrived);
    pthread_join(thread, &result);
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    void *library = dlopen("libc.so", RTLD_NOW);
    if (library)
        dlclose(library);
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    waitpid(child, &status, 0);
    printf("signals %d, same %d, thread %d, child %d\n", arrived, old.sa_handler == on_signal,
           result == &arrived, WEXITSTATUS(status));
    return 7;
}
