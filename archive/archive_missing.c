/* Instead of archive.c and what it uses, where tsprof was built without OTF2's headers. */
#include "archive/collectives.h"
#include "archive/writing.h"

struct archive *archive_open(const char *library, const char *directory, uint32_t rank,
                             uint32_t ranks, const char **why)
{
    (void)library, (void)directory, (void)rank, (void)ranks;
    *why = "tsprof was built without OTF2";
    return NULL;
}

struct written archive_write_thread(struct archive *archive, uint32_t rank, uint32_t thread,
                                    const struct recording *recording, uint32_t owner,
                                    const struct event_maps *maps,
                                    const struct recorded_iteration *const *chosen,
                                    size_t chosen_count)
{
    (void)archive, (void)rank, (void)thread, (void)recording, (void)owner, (void)maps;
    (void)chosen, (void)chosen_count;
    return (struct written){.first = UINT64_MAX, .failed = true};
}

bool archive_close(struct archive *archive, const struct archive_contents *contents)
{
    (void)archive, (void)contents;
    return false;
}

const char *archive_error(void)
{
    return "";
}

int collective_of(const char *name, size_t length)
{
    (void)name, (void)length;
    return -1;
}

bool is_neighborhood(const char *name, size_t length)
{
    (void)name, (void)length;
    return false;
}

bool is_collective_io(const char *name, size_t length)
{
    (void)name, (void)length;
    return false;
}

enum one_sided one_sided_of(const char *name, size_t length)
{
    (void)name, (void)length;
    return ONE_SIDED_NONE;
}
