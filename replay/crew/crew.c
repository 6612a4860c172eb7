/* See crew.h. */
#include "replay/crew/crew.h"

#include "replay/crew/crew_causes.h"
#include "replay/list.h"

#include <stdlib.h>
#include <string.h>

/* Of those after the last event, in this order. */
enum ending { END_OF_FILES, END_OF_GAPS, END_OF_THREADS, END_OF_MESSAGES, END_OF_PROCESSES };

enum item_kind { ITEM_EVENT, ITEM_STAY, ITEM_SOURCE, ITEM_END };

/* What the scout has seen, and the one that follows has not. */
struct item {
    enum item_kind kind;
    struct replay_moment moment;
    union {
        struct replay_event event;
        struct replay_stay stay; /* its regions are the item's own */
        struct foreign_source source;
        struct {
            enum ending ending;
            uint32_t number;
        } end;
    };
};

/* How a message in a round begins. */
struct header {
    struct replay_moment moment; /* what comes next is not before it */
    bool has_ended;
};

/* What another one has told, behind the header. */
struct told {
    struct replay_moment moment;
    struct foreign what;
};

/* What has come from another one and was not taken in. */
struct inbox {
    struct bytes bytes;
    size_t at;
    struct header header;
};

struct crew {
    struct team *team;
    struct talk talk;
    struct replay_share ahead, behind;
    struct replay *scout, *replay;
    struct item *items; /* a ring */
    size_t item_first, item_count, item_room;
    struct inbox *inboxes;
    struct replay_moment now, reached;   /* of the scout; of the one that follows */
    bool has_ended;                      /* the scout has */
    struct replay_moment *nodes, *paths; /* where they were met first */
    size_t nodes_count, nodes_room, paths_count, paths_room;
    bool failed;
};

int moments_compare(const struct replay_moment *one, const struct replay_moment *other)
{
    if (one->ns != other->ns)
        return one->ns < other->ns ? -1 : 1;
    if (one->ticks != other->ticks)
        return one->ticks < other->ticks ? -1 : 1;
    return one->place < other->place ? -1 : one->place > other->place;
}

static bool tell(void *context, uint32_t to, const struct foreign *what,
                 const struct foreign_transfer *transfers)
{
    struct crew *crew = context;
    struct told told;
    memset(&told, 0, sizeof told);
    told.moment = crew->now;
    told.what = *what;
    return bytes_add(&crew->talk.out[to], &told, sizeof told) &&
           bytes_add(&crew->talk.out[to], transfers, what->transfer_count * sizeof *transfers);
}

/* The others are told what holds at the end of a round at its beginning: room for that. */
static bool begin_round(struct crew *crew)
{
    const struct header header = {.has_ended = false};
    return talk_add_all(&crew->talk, &header, sizeof header);
}

struct crew *crew_create(const struct replay_world *world, const uint32_t *owners,
                         struct team *team, size_t events)
{
    struct crew *crew = calloc(1, sizeof *crew);
    if (!crew) {
        team_fail(team);
        return NULL;
    }
    crew->team = team;
    crew->behind = (struct replay_share){.owners = owners, .team = team};
    crew->ahead = crew->behind;
    crew->ahead.tell = tell;
    crew->ahead.context = crew;
    crew->inboxes = calloc(team->size, sizeof *crew->inboxes);
    crew->items = calloc(events + 1, sizeof *crew->items);
    crew->item_room = events;
    crew->scout = replay_create_shared(world, &crew->ahead);
    crew->replay = replay_create_shared(world, &crew->behind);
    if (talk_open(&crew->talk, team) && crew->inboxes && crew->items && crew->scout &&
        crew->replay && begin_round(crew))
        return crew;
    crew_free(crew);
    team_fail(team);
    return NULL;
}

/* GOOD, and if it is not, all hear of it. */
static bool agreed(struct crew *crew, bool good)
{
    if (!good)
        team_fail(crew->team);
    return good && !crew->team->has_failed;
}

static void free_item(struct item *item)
{
    if (item->kind == ITEM_STAY)
        free((void *)(uintptr_t)item->stay.regions);
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    for (size_t i = 0; i < crew->item_count; i++)
        free_item(&crew->items[(crew->item_first + i) % crew->item_room]);
    free(crew->items);
    for (uint32_t i = 0; crew->inboxes && i < crew->team->size; i++)
        free(crew->inboxes[i].bytes.data);
    free(crew->inboxes);
    talk_close(&crew->talk);
    /* After a failure nobody talks any more. */
    if (crew->scout)
        crew->scout->share = NULL;
    if (crew->replay)
        crew->replay->share = NULL;
    replay_free(crew->scout);
    replay_free(crew->replay);
    free(crew->nodes);
    free(crew->paths);
    free(crew);
}

/* Notes where nodes and paths were met that there have not been before. */
static bool note_births(struct crew *crew)
{
    const struct paths *paths = &crew->replay->paths;
    while (crew->nodes_count < paths->nodes_count) {
        if (!LIST_RESERVE(crew->nodes))
            return false;
        crew->nodes[crew->nodes_count++] = crew->reached;
    }
    while (crew->paths_count < paths->list_count) {
        if (!LIST_RESERVE(crew->paths))
            return false;
        crew->paths[crew->paths_count++] = crew->reached;
    }
    return true;
}

static void end_one(struct replay *replay, enum ending ending, uint32_t number)
{
    if (ending == END_OF_THREADS)
        matching_end_thread(replay, number);
    else if (ending == END_OF_PROCESSES)
        collectives_end_process(replay, number);
    else if (!share_is_ahead(replay)) {
        matching_end(replay);
        fences_end(replay);
    }
}

static void follow(struct replay *replay, const struct item *item)
{
    switch (item->kind) {
    case ITEM_EVENT:
        replay_take(replay, &item->event);
        break;
    case ITEM_STAY:
        replay_stay(replay, &item->stay);
        break;
    case ITEM_SOURCE:
        replay_source(replay, item->source.comm, item->source.process, item->source.source);
        break;
    case ITEM_END:
        end_one(replay, item->end.ending, item->end.number);
        break;
    }
}

static bool take_item(struct crew *crew)
{
    struct item *item = &crew->items[crew->item_first];
    crew->reached = item->moment;
    follow(crew->replay, item);
    free_item(item);
    crew->item_first = (crew->item_first + 1) % crew->item_room;
    crew->item_count--;
    return note_births(crew);
}

static bool has_told(const struct inbox *inbox)
{
    return inbox->at < inbox->bytes.count;
}

static struct replay_moment moment_of(const struct inbox *inbox)
{
    struct replay_moment moment;
    memcpy(&moment, inbox->bytes.data + inbox->at, sizeof moment);
    return moment;
}

/* Takes in the next that INBOX has. */
static bool take_told(struct crew *crew, struct inbox *inbox)
{
    struct told told;
    memcpy(&told, inbox->bytes.data + inbox->at, sizeof told);
    inbox->at += sizeof told;
    const size_t count = told.what.transfer_count;
    struct foreign_transfer *transfers = count ? calloc(count, sizeof *transfers) : NULL;
    if (count && !transfers)
        return false;
    if (count)
        memcpy(transfers, inbox->bytes.data + inbox->at, count * sizeof *transfers);
    inbox->at += count * sizeof *transfers;
    share_take(crew->replay, &told.what, transfers);
    free(transfers);
    return true;
}

/* The one that has told of the earliest; NULL: nobody has told of anything. */
static struct inbox *earliest(const struct crew *crew, struct replay_moment *moment)
{
    struct inbox *first = NULL;
    for (uint32_t i = 0; i < crew->team->size; i++) {
        struct inbox *inbox = &crew->inboxes[i];
        if (!has_told(inbox))
            continue;
        const struct replay_moment one = moment_of(inbox);
        if (first && moments_compare(&one, moment) >= 0)
            continue;
        first = inbox;
        *moment = one;
    }
    return first;
}

/* Until when all of the others is known; false: for ever. */
static bool find_limit(const struct crew *crew, struct replay_moment *limit)
{
    bool is_limited = false;
    for (uint32_t i = 0; i < crew->team->size; i++) {
        const struct header *header = &crew->inboxes[i].header;
        if (i == crew->team->self || header->has_ended)
            continue;
        if (!is_limited || moments_compare(&header->moment, limit) < 0)
            *limit = header->moment;
        is_limited = true;
    }
    return is_limited;
}

static bool is_before(const struct replay_moment *moment, bool is_limited,
                      const struct replay_moment *limit)
{
    return !is_limited || moments_compare(moment, limit) < 0;
}

/* Takes in what is known of all up to now, in the order of moments. */
static bool catch_up(struct crew *crew)
{
    /* What one has seen oneself is in order; so much of it may be of one moment that the room
     * for it is full.  Members never have the same moment. */
    struct replay_moment limit = {0, 0, 0}, moment = {0, 0, 0};
    const bool is_limited = find_limit(crew, &limit);
    bool good = true;
    struct inbox *inbox = earliest(crew, &moment);
    while (good && !crew->replay->failed) {
        const struct item *item = crew->item_count > 0 ? &crew->items[crew->item_first] : NULL;
        const bool is_own = item && (!inbox || moments_compare(&item->moment, &moment) <= 0);
        if (is_own && is_before(&item->moment, is_limited, &limit)) {
            good = take_item(crew);
        } else if (!is_own && inbox && is_before(&moment, is_limited, &limit) &&
                   is_before(&moment, !crew->has_ended, &crew->now)) {
            crew->reached = moment;
            good = take_told(crew, inbox);
            inbox = earliest(crew, &moment);
        } else {
            break;
        }
    }
    return good && !crew->replay->failed && !crew->replay->paths.failed;
}

/* Puts what has come behind what has not been taken in. */
static bool receive(struct inbox *inbox, const struct bytes *in)
{
    if (in->count < sizeof inbox->header)
        return false;
    memcpy(&inbox->header, in->data, sizeof inbox->header);
    inbox->bytes.count -= inbox->at;
    if (inbox->at > 0 && inbox->bytes.count > 0)
        memmove(inbox->bytes.data, inbox->bytes.data + inbox->at, inbox->bytes.count);
    inbox->at = 0;
    return bytes_add(&inbox->bytes, in->data + sizeof inbox->header,
                     in->count - sizeof inbox->header);
}

static bool play_round(struct crew *crew)
{
    struct header header;
    memset(&header, 0, sizeof header);
    header.moment = crew->now;
    header.has_ended = crew->has_ended;
    for (uint32_t i = 0; i < crew->team->size; i++)
        memcpy(crew->talk.out[i].data, &header, sizeof header);
    if (!talk_exchange(&crew->talk))
        return false;
    for (uint32_t i = 0; i < crew->team->size; i++)
        if (!receive(&crew->inboxes[i], &crew->talk.in[i]))
            return false;
    return begin_round(crew) && catch_up(crew);
}

/* The scout sees ITEM, which is kept until the other one can follow. */
static bool add_item(struct crew *crew, const struct item *item)
{
    crew->now = item->moment;
    follow(crew->scout, item);
    crew->items[(crew->item_first + crew->item_count++) % crew->item_room] = *item;
    crew->failed |= crew->scout->failed || crew->scout->paths.failed;
    while (!crew->failed && crew->item_count >= crew->item_room)
        crew->failed = !play_round(crew);
    return agreed(crew, !crew->failed);
}

bool crew_take(struct crew *crew, const struct replay_event *event, struct replay_moment moment)
{
    return !crew->failed &&
           add_item(crew,
                    &(struct item){.kind = ITEM_EVENT, .moment = moment, .event = *event});
}

bool crew_stay(struct crew *crew, const struct replay_stay *seen, struct replay_moment moment)
{
    const size_t size = seen->region_count * sizeof *seen->regions;
    uint32_t *regions = malloc(size + 1);
    if (!regions || crew->failed) {
        free(regions);
        return agreed(crew, false);
    }
    if (size > 0)
        memcpy(regions, seen->regions, size);
    struct item item = {.kind = ITEM_STAY, .moment = moment, .stay = *seen};
    item.stay.regions = regions;
    return add_item(crew, &item);
}

bool crew_source(struct crew *crew, uint32_t comm, uint32_t process, uint32_t source,
                 struct replay_moment moment)
{
    if (crew->failed)
        return false;
    const struct item item = {
        .kind = ITEM_SOURCE, .moment = moment, .source = {comm, process, source}};
    crew->now = moment;
    if (comm < crew->replay->world->comm_count)
        share_tell_all(crew->scout, comm,
                       &(struct foreign){.kind = FOREIGN_SOURCE, .source = item.source}, NULL);
    return add_item(crew, &item);
}

bool crew_known_source(struct crew *crew, uint32_t comm, uint32_t process, uint32_t source)
{
    return agreed(crew, replay_source(crew->replay, comm, process, source));
}

static bool add_end(struct crew *crew, enum ending ending, uint32_t number, uint64_t place)
{
    return add_item(crew, &(struct item){.kind = ITEM_END,
                                         .moment = {MOMENT_END, ending, place},
                                         .end = {ending, number}});
}

/* What is left over is given on thread by thread, and then process by process. */
static bool add_ends(struct crew *crew)
{
    const struct replay_world *world = crew->replay->world;
    bool good = !crew->failed;
    for (uint32_t i = 0; good && i < world->thread_count; i++)
        if (share_has(crew->replay, world->processes[i]))
            good = add_end(crew, END_OF_THREADS, i, i);
    good = good && add_end(crew, END_OF_MESSAGES, 0, crew->team->self);
    for (uint32_t i = 0; good && i < world->process_count; i++)
        if (share_has(crew->replay, i))
            good = add_end(crew, END_OF_PROCESSES, i, i);
    return good;
}

static bool all_have_ended(const struct crew *crew)
{
    bool all = crew->has_ended;
    for (uint32_t i = 0; i < crew->team->size; i++)
        all &= i == crew->team->self || crew->inboxes[i].header.has_ended;
    return all;
}

bool crew_end(struct crew *crew)
{
    bool good = add_ends(crew);
    crew->has_ended = true;
    do
        good = good && play_round(crew);
    while (good && !all_have_ended(crew));
    if (!good)
        return agreed(crew, false);
    collectives_end(crew->replay);
    epochs_end(crew->replay);
    patterns_end(crew->replay);
    return agreed(crew, !crew->replay->failed && !crew->replay->paths.failed);
}

struct replay *crew_replay(const struct crew *crew)
{
    return crew->replay;
}

struct replay_moment crew_node_birth(const struct crew *crew, uint32_t number)
{
    static const struct replay_moment beginning = {0, 0, 0};
    return number == 0 ? beginning : crew->nodes[number];
}

struct replay_moment crew_path_birth(const struct crew *crew, uint32_t number)
{
    return crew->paths[number];
}

/* What is asked of another one: when the call was left that OTHER is the beginning of. */
static bool ask_open_notes(const struct replay *replay, struct talk *talk)
{
    bool good = true;
    for (size_t i = 0; good && i < replay->open_notes_count; i++) {
        const struct open_note *note = &replay->open_notes[i];
        struct open_note asked;
        memset(&asked, 0, sizeof asked);
        asked.other = note->other;
        asked.ns = note->ns;
        asked.thread = note->thread;
        good = bytes_add(
            &talk->out[replay->share->owners[replay->world->processes[note->other.thread]]],
            &asked, sizeof asked);
    }
    return good && talk_exchange(talk);
}

static bool answer_open_notes(const struct replay *replay, struct talk *talk)
{
    bool good = true;
    for (uint32_t i = 0; i < talk->team->size; i++)
        for (size_t at = 0; good && at < talk->in[i].count; at += sizeof(struct open_note)) {
            struct open_note asked;
            memcpy(&asked, talk->in[i].data + at, sizeof asked);
            const uint64_t ns = calls_left_ns(replay, asked.other, asked.ns);
            good = bytes_add(&talk->out[i], &ns, sizeof ns);
        }
    return good && talk_exchange(talk);
}

/* Answers come in the order of questions. */
static bool hear_open_notes(struct replay *replay, const struct talk *talk)
{
    size_t *at = calloc(talk->team->size, sizeof *at);
    bool good = at != NULL;
    for (size_t i = 0; good && i < replay->open_notes_count; i++) {
        const struct open_note *note = &replay->open_notes[i];
        const uint32_t who =
            replay->share->owners[replay->world->processes[note->other.thread]];
        uint64_t ns;
        memcpy(&ns, talk->in[who].data + at[who], sizeof ns);
        at[who] += sizeof ns;
        good = syncs_note_pair(replay->syncs, note->thread, note->ns, note->other.thread, ns);
    }
    free(at);
    return good;
}

static bool close_notes(struct crew *crew)
{
    struct talk talk;
    const bool good = talk_open(&talk, crew->team) && ask_open_notes(crew->replay, &talk) &&
                      answer_open_notes(crew->replay, &talk) &&
                      hear_open_notes(crew->replay, &talk);
    talk_close(&talk);
    return good;
}

/* What two threads had to do with each other both must know. */
static bool exchange_syncs(struct crew *crew)
{
    struct replay *replay = crew->replay;
    const uint32_t *owners = crew->behind.owners;
    struct talk talk;
    bool good = talk_open(&talk, crew->team);
    for (uint32_t i = 0; good && i < replay->world->thread_count; i++) {
        const uint32_t process = replay->world->processes[i];
        if (!share_has(replay, process))
            good = syncs_hand_over(replay->syncs, i, &talk.out[owners[process]]);
    }
    good = good && talk_exchange(&talk);
    for (uint32_t i = 0; good && i < crew->team->size; i++)
        good = syncs_take_over(replay->syncs, &talk.in[i]);
    talk_close(&talk);
    return good;
}

/* The call trees of all, as one. */
static bool unite_nodes(const struct crew *crew, struct family *nodes)
{
    const struct paths *paths = &crew->replay->paths;
    struct family_member *own = calloc(paths->nodes_count + 1, sizeof *own);
    for (uint32_t i = 0; own && i < paths->nodes_count; i++) {
        own[i].birth = crew_node_birth(crew, i);
        own[i].kind = paths->nodes[i].region;
        own[i].parent = paths->nodes[i].parent;
    }
    const bool good = own && family_unite(crew->team, own, paths->nodes_count, nodes);
    free(own);
    return good;
}

static bool find_causes(struct crew *crew, const struct family *nodes,
                        const struct sorted_waits *waits, struct critical_path *critical)
{
    struct replay *replay = crew->replay;
    if (!crew_delays_find(replay, crew->team, nodes, waits->threads) ||
        !crew_path_follow(replay, crew->team, waits->threads, critical))
        return false;
    critical_path_active(replay, critical->active_ns);
    return true;
}

bool crew_unite(struct crew *crew, const uint32_t *instances, struct replay **whole)
{
    const size_t count = crew->replay->paths.list_count + 1;
    struct critical_path critical = {.active_ns = calloc(count, sizeof(int64_t)),
                                     .critical_ns = calloc(count, sizeof(int64_t))};
    struct sorted_waits waits = {.threads = NULL};
    *whole = NULL;
    struct family nodes = {.list = NULL};
    bool good =
        critical.active_ns && critical.critical_ns && close_notes(crew) && exchange_syncs(crew);
    if (good)
        causes_settle(crew->replay);
    good = good && waits_sort(crew->replay, &waits) && unite_nodes(crew, &nodes) &&
           find_causes(crew, &nodes, &waits, &critical) &&
           crew_unite_all(crew, crew->team, &nodes, instances, &critical, whole);
    /* Whether the first one could put all together the others hear here. */
    good = good && team_sum(crew->team, &(uint64_t){0}, 1);
    family_free(&nodes);
    waits_free(&waits);
    free(critical.active_ns);
    free(critical.critical_ns);
    return agreed(crew, good);
}
