/* See part_topologies.h. */
#include "save/part_topologies.h"

#include "common/crc32.h"
#include "library/library.h"
#include "save/part_file.h"
#include "save/part_log.h"
#include "save/part_thread.h"

/* What the log has of them. */
static struct {
    size_t size;
    uint32_t crc;
} written;

void part_topologies_save(struct thread *thread, bool at_end)
{
    struct encoder out = {0};
    struct part_thread *part = thread->part;
    if (!part || !part->saved || !part_file_check_async())
        return;
    topology_encode(&out);
    uint32_t crc = crc32_update(0, out.bytes, out.size);
    bool news =
        at_end ? out.size > written.size : out.size != written.size || crc != written.crc;
    if (!out.failed && news &&
        part_log_topologies(&part->log, out.bytes, out.size, &part->sink, part->buffer)) {
        written.size = out.size;
        written.crc = crc;
    }
    encoder_free(&out);
}
