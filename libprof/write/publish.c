/* See publish.h. */
#include "write/publish.h"

#include "encode/encode.h"
#include "host/host.h"
#include "write/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ASSISTED_AT_ONCE = 128,
    PIECE_MOST = 1 << 20,
    PIECE_LEAST = 4096 /* on the stack, so always available */
};

/* Values that are summed over the processes. */
enum { SUM_ENTRIES, SUM_BYTES, SUM_LOCATIONS, SUM_BROKEN, SUMS };

/* A range of bytes in the file. */
struct extent {
    uint64_t offset;
    uint64_t size;
};

/* The state of one process while it publishes. */
struct publication {
    struct rank_tree *ranks;
    const struct contribution *own;
    const char *suffix;
    uint64_t sums[SUMS];   /* of all processes */
    uint64_t before[SUMS]; /* of all with lower ranks */
    uint64_t size;         /* size of the file */
    struct encoder map;    /* its own entries of the section map */
    struct extent content, entries;
    struct output output;
    bool written; /* all of this process's bytes are written */
};

/* What rank 0 broadcasts about the file that it has created. */
struct invitation {
    int32_t place; /* -1: there is no file */
    uint64_t mark;
    char name[OUTPUT_NAME_BYTES];
};

/*
 * Finds the offsets of all processes in the file.  A process without memory for its entries
 * writes nothing.
 */
static void lay_out(struct publication *publication)
{
    const struct sections *sections = &publication->own->sections;
    uint64_t *sums = publication->sums, *before = publication->before;
    const size_t map_bytes = sections->count * FORMAT_SECTION_BYTES;
    const bool broken = sections->failed || !encode_room(&publication->map, map_bytes);
    publication->map.size = 0;
    if (!broken) {
        sums[SUM_ENTRIES] = sections->count;
        sums[SUM_BYTES] = sections->stored.size;
        sums[SUM_LOCATIONS] = publication->own->locations;
    }
    sums[SUM_BROKEN] = broken || !publication->own->whole;
    publication->content.size = sums[SUM_BYTES];
    publication->entries.size = sums[SUM_ENTRIES] * FORMAT_SECTION_BYTES;
    rank_tree_sum(publication->ranks, sums, before, SUMS);
    const uint64_t contents = FORMAT_HEADER_BYTES + sums[SUM_ENTRIES] * FORMAT_SECTION_BYTES;
    publication->size = contents + sums[SUM_BYTES];
    publication->content.offset = contents + before[SUM_BYTES];
    publication->entries.offset =
        FORMAT_HEADER_BYTES + before[SUM_ENTRIES] * FORMAT_SECTION_BYTES;
    if (!broken)
        sections_encode_map(sections, publication->content.offset,
                            (uint32_t)before[SUM_LOCATIONS], &publication->map);
}

/* Rank 0 creates the file and broadcasts where it is; the others open it. */
static int invite(struct publication *publication, int place)
{
    struct rank_tree *ranks = publication->ranks;
    struct output *output = &publication->output;
    struct invitation invitation = {.place = -1};
    if (ranks->rank == 0 && publication->entries.size > 0) {
        invitation.place =
            output_create(output, place, ranks->size, publication->suffix, publication->size);
        invitation.mark = output->mark;
        memcpy(invitation.name, output->name, sizeof invitation.name);
    }
    rank_tree_broadcast(ranks, &invitation, sizeof invitation);
    /* Who has nothing to write opens nothing. */
    if (ranks->rank > 0 && invitation.place >= 0 && publication->entries.size > 0)
        output_join(output, invitation.name, invitation.mark);
    return invitation.place;
}

/* Writes this process's bytes.  If that fails rank 0 may still be able to write them. */
static void write_own(struct publication *publication)
{
    struct output *output = &publication->output;
    output_write(output, publication->content.offset, publication->own->sections.stored.bytes,
                 publication->content.size);
    output_write(output, publication->entries.offset, publication->map.bytes,
                 publication->entries.size);
    if (publication->ranks->rank > 0 && !output_close(output))
        *output = (struct output){.file = -1};
    else
        publication->written = !output->failed;
}

/* What a process that cannot write to the file tells rank 0. */
struct request {
    struct extent content, entries;
};

static void send_pieces(const struct rank_tree *ranks, const unsigned char *bytes,
                        uint64_t size, uint64_t piece)
{
    for (uint64_t at = 0; at < size; at += piece)
        rank_tree_tell(ranks, 0, bytes + at, size - at < piece ? size - at : piece);
}

static void write_pieces(struct publication *publication, int from, struct extent extent,
                         unsigned char *room, uint64_t piece)
{
    for (uint64_t at = 0; at < extent.size; at += piece) {
        uint64_t size = extent.size - at < piece ? extent.size - at : piece;
        rank_tree_hear(publication->ranks, from, room, size);
        output_write(&publication->output, extent.offset + at, room, size);
    }
}

/*
 * At rank 0: receives and writes the bytes of COUNT processes that could not, one process after
 * another.
 */
static void assist(struct publication *publication, uint64_t count)
{
    unsigned char least[PIECE_LEAST], *most = malloc(PIECE_MOST);
    const uint64_t piece = most ? PIECE_MOST : PIECE_LEAST;
    unsigned char *room = most ? most : least;
    for (; count > 0; count--) {
        struct request request;
        int from =
            rank_tree_hear(publication->ranks, RANK_TREE_ANYBODY, &request, sizeof request);
        rank_tree_tell(publication->ranks, from, &piece, sizeof piece);
        write_pieces(publication, from, request.content, room, piece);
        write_pieces(publication, from, request.entries, room, piece);
    }
    free(most);
}

static void ask_for_help(struct publication *publication)
{
    const struct request request = {publication->content, publication->entries};
    uint64_t piece = PIECE_LEAST;
    rank_tree_tell(publication->ranks, 0, &request, sizeof request);
    rank_tree_hear(publication->ranks, 0, &piece, sizeof piece);
    send_pieces(publication->ranks, publication->own->sections.stored.bytes,
                request.content.size, piece);
    send_pieces(publication->ranks, publication->map.bytes, request.entries.size, piece);
}

/*
 * Has rank 0 write for processes that cannot, for instance because they run on a machine
 * without that file system.  Only so many ask at a time that their requests need little memory.
 */
static void help(struct publication *publication)
{
    struct rank_tree *ranks = publication->ranks;
    const bool needed = !publication->written && ranks->rank > 0;
    uint64_t count[1] = {needed}, before[1];
    rank_tree_sum(ranks, count, before, 1);
    for (uint64_t done = 0; done < count[0]; done += ASSISTED_AT_ONCE) {
        uint64_t now = count[0] - done < ASSISTED_AT_ONCE ? count[0] - done : ASSISTED_AT_ONCE;
        if (ranks->rank == 0)
            assist(publication, now);
        else if (needed && before[0] >= done && before[0] < done + now)
            ask_for_help(publication);
        /* The next group asks only after this one has been served. */
        rank_tree_broadcast(ranks, &now, sizeof now);
    }
}

static void announce(const struct publication *publication, bool complete)
{
    const int size = publication->ranks->size;
    const uint64_t broken = publication->sums[SUM_BROKEN];
    if (broken > 0)
        message(1,
                "%llu of %d process%s ran out of memory, or had to end early: some measured "
                "data is missing",
                (unsigned long long)broken, size, size == 1 ? "" : "es");
    last_line_set(publication->output.name, "%s of %d process%s",
                  complete ? "the measurement" : "part of the measurement", size,
                  size == 1 ? "" : "es");
}

/* At rank 0: writes the header, which makes the file a summary. */
static bool finish(struct publication *publication)
{
    struct output *output = &publication->output;
    const bool complete = publication->sums[SUM_BROKEN] == 0 && !*publication->suffix;
    const struct summary_header header = {
        .state = complete ? FORMAT_COMPLETE : FORMAT_PARTIAL,
        .size = publication->size,
        .mark = output->mark,
        .entries = (uint32_t)publication->sums[SUM_ENTRIES],
    };
    struct encoder bytes = {0};
    summary_header_encode(&header, &bytes);
    output->failed = output->failed || bytes.failed;
    output_write(output, 0, bytes.bytes, bytes.size);
    encoder_free(&bytes);
    if (!output_close(output)) {
        output_discard(output);
        return false;
    }
    announce(publication, complete);
    return true;
}

enum outcome { OUTCOME_WHOLE, OUTCOME_PART, OUTCOME_AGAIN };

/* Rank 0, which knows by now whether everything was written, broadcasts the outcome. */
static enum outcome conclude(struct publication *publication)
{
    uint32_t outcome = OUTCOME_AGAIN;
    if (publication->ranks->rank == 0 && finish(publication))
        outcome = publication->sums[SUM_BROKEN] == 0 ? OUTCOME_WHOLE : OUTCOME_PART;
    rank_tree_broadcast(publication->ranks, &outcome, sizeof outcome);
    return (enum outcome)outcome;
}

bool publish(struct rank_tree *ranks, const struct contribution *contribution,
             const char *suffix)
{
    struct publication publication = {
        .ranks = ranks, .own = contribution, .suffix = suffix, .output = {.file = -1}};
    enum outcome outcome = OUTCOME_AGAIN;
    int place = 0;
    lay_out(&publication);
    while (outcome == OUTCOME_AGAIN && (place = invite(&publication, place)) >= 0) {
        publication.written = publication.entries.size == 0;
        if (publication.output.file >= 0 && !publication.written)
            write_own(&publication);
        help(&publication);
        outcome = conclude(&publication);
        place++;
    }
    if (contribution->name && outcome != OUTCOME_AGAIN)
        memcpy(contribution->name, publication.output.name, OUTPUT_NAME_BYTES);
    if (outcome == OUTCOME_AGAIN && ranks->rank == 0)
        message(1, "no summary could be written: the measurement is lost");
    encoder_free(&publication.map);
    return outcome == OUTCOME_WHOLE;
}
