/* See writing.h. */
#include "archive/writing.h"

#include "archive/chunks.h"
#include "archive/definitions.h"
#include "archive/events.h"
#include "archive/otf2.h"
#include "archive/safe_writes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct archive {
    const struct otf2 *otf2;
    OTF2_Archive *handle;
    uint32_t rank, ranks;
    uint64_t *locations; /* that this process has written */
    size_t location_count;
    bool failed;
};

static OTF2_FlushType allow_flush(void *user_data, OTF2_FileType type,
                                  OTF2_LocationRef location, void *caller_data, bool final)
{
    (void)user_data, (void)type, (void)location, (void)caller_data, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushing = {.otf2_pre_flush = allow_flush};

/*
 * What the library has processes agree on are errors and sizes.  Each answers for itself
 * instead: what they have to agree on they do where the archive is used, and no error of one
 * process can make others wait.
 */
static OTF2_CallbackCode tell_size(void *user_data, OTF2_CollectiveContext *context,
                                   uint32_t *size)
{
    const struct archive *archive = user_data;
    (void)context;
    *size = archive->ranks;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode tell_rank(void *user_data, OTF2_CollectiveContext *context,
                                   uint32_t *rank)
{
    const struct archive *archive = user_data;
    (void)context;
    *rank = archive->rank;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode no_barrier(void *user_data, OTF2_CollectiveContext *context)
{
    (void)user_data, (void)context;
    return OTF2_CALLBACK_SUCCESS;
}

/* What process 0 says is always that all went well, which is 0. */
static OTF2_CallbackCode no_broadcast(void *user_data, OTF2_CollectiveContext *context,
                                      void *data, uint32_t count, OTF2_Type type, uint32_t root)
{
    const struct archive *archive = user_data;
    (void)context;
    if (archive->rank != root)
        memset(data, 0,
               count * (type == OTF2_TYPE_UINT64   ? 8
                        : type == OTF2_TYPE_UINT32 ? 4
                                                   : 1));
    return OTF2_CALLBACK_SUCCESS;
}

/* The rest is for archives of another kind, but has to be there. */
static OTF2_CallbackCode refuse_gather(void *user_data, OTF2_CollectiveContext *context,
                                       const void *in, void *out, uint32_t count,
                                       OTF2_Type type, uint32_t root)
{
    (void)user_data, (void)context, (void)in, (void)out, (void)count, (void)type, (void)root;
    return OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode refuse_gatherv(void *user_data, OTF2_CollectiveContext *context,
                                        const void *in, uint32_t count, void *out,
                                        const uint32_t *counts, OTF2_Type type, uint32_t root)
{
    (void)user_data, (void)context, (void)in, (void)count, (void)out, (void)counts;
    (void)type, (void)root;
    return OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode refuse_scatterv(void *user_data, OTF2_CollectiveContext *context,
                                         const void *in, const uint32_t *counts, void *out,
                                         uint32_t count, OTF2_Type type, uint32_t root)
{
    (void)user_data, (void)context, (void)in, (void)counts, (void)out, (void)count;
    (void)type, (void)root;
    return OTF2_CALLBACK_ERROR;
}

static const OTF2_CollectiveCallbacks collectives = {
    .otf2_get_size = tell_size,
    .otf2_get_rank = tell_rank,
    .otf2_barrier = no_barrier,
    .otf2_bcast = no_broadcast,
    .otf2_gather = refuse_gather,
    .otf2_gatherv = refuse_gatherv,
    .otf2_scatter = refuse_gather,
    .otf2_scatterv = refuse_scatterv,
};

/* The errno of a write that failed; 0: none did. */
static int lost;

const char *archive_error(void)
{
    const char *said = otf2_error();
    return lost ? strerror(lost) : said;
}

static bool set_up(struct archive *archive)
{
    const struct otf2 *otf2 = archive->otf2;
    return otf2->Archive_SetFlushCallbacks(archive->handle, &flushing, NULL) == OTF2_SUCCESS &&
           otf2->Archive_SetMemoryCallbacks(archive->handle, &chunks_memory, NULL) ==
               OTF2_SUCCESS &&
           otf2->Archive_SetCollectiveCallbacks(archive->handle, &collectives, archive, NULL,
                                                NULL) == OTF2_SUCCESS &&
           otf2->Archive_SetCreator(archive->handle, "tsprof " PACKAGE_VERSION) ==
               OTF2_SUCCESS &&
           otf2->Archive_OpenEvtFiles(archive->handle) == OTF2_SUCCESS;
}

struct archive *archive_open(const char *library, const char *directory, uint32_t rank,
                             uint32_t ranks, const char **why)
{
    const struct otf2 *otf2 = otf2_load(library, why);
    if (!otf2)
        return NULL;
    if (rank == 0 && mkdir(directory, 0777) != 0) {
        *why = strerror(errno);
        return NULL;
    }
    struct archive *archive = calloc(1, sizeof *archive);
    *why = "out of memory";
    if (!archive)
        return NULL;
    *archive = (struct archive){.otf2 = otf2, .rank = rank, .ranks = ranks};
    lost = 0;
    safe_writes_begin();
    archive->handle = otf2->Archive_Open(
        directory, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive->handle && set_up(archive))
        return archive;
    /* The handle is not closed: where that is not possible the library ends the process. */
    lost = safe_writes_end();
    *why = archive_error();
    free(archive);
    if (rank == 0)
        archive_remove(directory);
    return NULL;
}

static bool note_location(struct archive *archive, uint64_t location)
{
    void *longer =
        realloc(archive->locations, (archive->location_count + 1) * sizeof *archive->locations);
    if (!longer)
        return false;
    archive->locations = longer;
    archive->locations[archive->location_count++] = location;
    return true;
}

struct written archive_write_thread(struct archive *archive, uint32_t rank, uint32_t thread,
                                    const struct recording *recording, uint32_t owner,
                                    const struct event_maps *maps,
                                    const struct recorded_iteration *const *chosen,
                                    size_t chosen_count)
{
    const struct otf2 *otf2 = archive->otf2;
    const uint64_t location = archive_location_number(rank, thread);
    struct written written = {.first = UINT64_MAX, .failed = true};
    OTF2_EvtWriter *writer = NULL;
    if (note_location(archive, location))
        writer = otf2->Archive_GetEvtWriter(archive->handle, location);
    if (writer) {
        written = events_write(otf2, writer, recording, owner, maps, chosen, chosen_count);
        written.failed |= otf2->Archive_CloseEvtWriter(archive->handle, writer) != OTF2_SUCCESS;
    }
    archive->failed |= written.failed;
    return written;
}

/* Processes of other jobs have no events, but readers expect a file of these. */
static void write_foreign(struct archive *archive, const struct archive_contents *contents)
{
    const struct otf2 *otf2 = archive->otf2;
    const uint32_t count = objects_count_foreign(contents->objects);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t location = archive_location_number(contents->ranks + i, 0);
        OTF2_EvtWriter *writer = NULL;
        if (note_location(archive, location))
            writer = otf2->Archive_GetEvtWriter(archive->handle, location);
        archive->failed |=
            !writer || otf2->Archive_CloseEvtWriter(archive->handle, writer) != OTF2_SUCCESS;
    }
}

/* Readers expect a file of definitions for each location, though there are none. */
static void write_local_definitions(struct archive *archive)
{
    const struct otf2 *otf2 = archive->otf2;
    archive->failed |= otf2->Archive_OpenDefFiles(archive->handle) != OTF2_SUCCESS;
    for (size_t i = 0; i < archive->location_count; i++) {
        OTF2_DefWriter *writer =
            otf2->Archive_GetDefWriter(archive->handle, archive->locations[i]);
        archive->failed |=
            !writer || otf2->Archive_CloseDefWriter(archive->handle, writer) != OTF2_SUCCESS;
    }
    archive->failed |= otf2->Archive_CloseDefFiles(archive->handle) != OTF2_SUCCESS;
}

bool archive_close(struct archive *archive, const struct archive_contents *contents)
{
    const struct otf2 *otf2 = archive->otf2;
    if (contents)
        write_foreign(archive, contents);
    archive->failed |= otf2->Archive_CloseEvtFiles(archive->handle) != OTF2_SUCCESS;
    write_local_definitions(archive);
    if (contents) {
        /* Nothing else depends on it. */
        (void)otf2->Archive_SetProperty(archive->handle, "TSPROF::PROGRAM", contents->name,
                                        true);
        archive->failed |= !definitions_write(otf2, archive->handle, contents);
    }
    archive->failed |= otf2->Archive_Close(archive->handle) != OTF2_SUCCESS;
    lost = safe_writes_end();
    const bool whole = !archive->failed && !lost;
    free(archive->locations);
    free(archive);
    return whole;
}
