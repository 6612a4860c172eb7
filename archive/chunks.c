/* See chunks.h. */
#include "archive/chunks.h"

#include <stdlib.h>

/* When so many of a file are full they are written, and freed. */
enum { CHUNKS_MOST = 2 };

struct chunks {
    void *memory[CHUNKS_MOST];
    int count;
};

static void *allocate_chunk(void *user_data, OTF2_FileType type, OTF2_LocationRef location,
                            void **buffer_data, uint64_t size)
{
    (void)user_data, (void)type, (void)location;
    if (!*buffer_data)
        *buffer_data = calloc(1, sizeof(struct chunks));
    struct chunks *chunks = *buffer_data;
    if (!chunks || chunks->count == CHUNKS_MOST)
        return NULL;
    /* What is not used of it must not show what the program had there. */
    void *memory = calloc(1, size);
    if (memory)
        chunks->memory[chunks->count++] = memory;
    return memory;
}

static void free_chunks(void *user_data, OTF2_FileType type, OTF2_LocationRef location,
                        void **buffer_data, bool final)
{
    (void)user_data, (void)type, (void)location;
    struct chunks *chunks = *buffer_data;
    while (chunks && chunks->count > 0)
        free(chunks->memory[--chunks->count]);
    if (!final)
        return;
    free(chunks);
    *buffer_data = NULL;
}

const OTF2_MemoryCallbacks chunks_memory = {.otf2_allocate = allocate_chunk,
                                            .otf2_free_all = free_chunks};
