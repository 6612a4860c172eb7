/* alive.h: of which processes it can be told whether they are alive. */
#include "parts/alive.h"

#include "common/host_identity.h"

#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char own_name[256];

/* When this process was started, as /proc has it. */
static uint64_t own_start(void)
{
    char line[1024] = "";
    unsigned long long started = 0;
    FILE *file = fopen("/proc/self/stat", "re");
    const bool known = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    const char *after = known ? strrchr(line, ')') : NULL;
    if (after)
        sscanf(after + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
               "%llu",
               &started);
    return started;
}

static enum life own_life(const char *host, uint64_t identity, uint64_t started)
{
    return process_life(host, identity, (uint64_t)getpid(), started);
}

static void test_processes_of_this_host(void)
{
    const uint64_t start = own_start(), here = host_identity();
    EQ_INT(own_life(own_name, here, start), LIFE_RUNNING, "this process runs");
    EQ_INT(own_life(own_name, here, start + 1), LIFE_ENDED, "one before it with its number");
    EQ_INT(own_life(own_name, 0, start), LIFE_RUNNING, "a host that nobody has identified");
}

static void test_processes_of_others(void)
{
    const uint64_t start = own_start(), here = host_identity();
    EQ_INT(own_life("elsewhere", here, start), LIFE_UNKNOWN, "another host");
    EQ_INT(own_life(own_name, here + 2, start), LIFE_UNKNOWN,
           "another host, or a container, of the same name");
}

static void test_identities(void)
{
    OK(host_identity() != 0 && host_identity() == host_identity(), "an identity stays");
    OK(host_identity_of_clock() != 0 && host_identity_of_boot() != 0,
       "those of clocks are known");
}

int main(void)
{
    gethostname(own_name, sizeof own_name - 1);
    test_processes_of_this_host();
    test_processes_of_others();
    test_identities();
    return tap_done();
}
