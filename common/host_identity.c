/* See host_identity.h. */
#include "common/host_identity.h"

#include "common/index.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Mixes the name of the host's boot into HASH; false, and nothing is, if it has none. */
static bool add_boot(uint64_t *hash)
{
    char boot[64];
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    const bool known = file && fgets(boot, sizeof boot, file);
    if (file)
        fclose(file);
    *hash = index_hash_text(*hash, known ? boot : "");
    return known;
}

/* Mixes in the namespace that LINK stands for.  Kernels without such have only one of them. */
static void add_namespace(uint64_t *hash, const char *link)
{
    char name[64];
    ssize_t length = readlink(link, name, sizeof name - 1);
    name[length < 0 ? 0 : length] = '\0';
    *hash = index_hash_text(*hash, name);
}

uint64_t host_identity(void)
{
    uint64_t hash = INDEX_HASH;
    if (!add_boot(&hash))
        return 0;
    add_namespace(&hash, "/proc/self/ns/pid");
    add_namespace(&hash, "/proc/self/ns/time");
    return hash | 1;
}

uint64_t host_identity_of_clock(void)
{
    uint64_t hash = INDEX_HASH;
    add_boot(&hash);
    add_namespace(&hash, "/proc/self/ns/time");
    return hash | 1;
}

uint64_t host_identity_of_boot(void)
{
    uint64_t hash = INDEX_HASH;
    add_boot(&hash);
    return hash | 1;
}
