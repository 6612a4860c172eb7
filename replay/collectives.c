/*
 * Which calls are one collective operation: of each communicator the Nth of every member.  Of
 * operations that do not block, the one that was started first is first.  See engine.h.
 */
#include "replay/engine.h"

#include "replay/hash.h"
#include "replay/list.h"
#include "replay/member_waits.h"

#include <string.h>

/* What tells communicators and windows apart where operations are counted. */
enum sequence_kind { SEQUENCE_COMM, SEQUENCE_FENCE, SEQUENCE_SETUP, SEQUENCE_FILE_BEGIN };

/* How many operations of a communicator or window a process has taken part in. */
struct sequence {
    enum sequence_kind kind;
    uint32_t number; /* of the communicator or the window; enum tsprof_operation of a setup */
    uint32_t process;
    uint32_t stretch; /* how often the process has stopped being recorded */
    uint64_t count;
};

/* An operation whose members are arriving. */
struct collective {
    enum sequence_kind kind;
    uint32_t number, stretch;
    uint64_t ordinal;
    uint32_t comm;
    size_t expected, arrived, left;
    struct membership **parts; /* in the order of arrival */
    struct collective *next;   /* with the same hash */
};

/* One that was started and has not ended, or that waits for such a one before it. */
struct started {
    uint64_t request; /* REPLAY_NO_REQUEST: has ended */
    struct tsprof_point start;
    struct call *call;
    struct replay_event event;  /* that ended it */
    struct transfers transfers; /* of a fence */
};

struct starts {
    struct started *list;
    size_t list_count, list_room;
};

const size_t collective_bytes = sizeof(struct collective);

enum { BUCKETS = 4096 };

struct collectives {
    struct sequence *sequences;
    size_t sequences_count, sequences_room;
    struct index index;
    struct collective *buckets[BUCKETS];
    struct starts *starts; /* by process */
    uint32_t *stretches;   /* by process */
    size_t processes;
};

struct collectives *collectives_create(const struct replay_world *world)
{
    struct collectives *all = calloc(1, sizeof *all);
    if (!all)
        return NULL;
    all->processes = world->process_count;
    all->starts = calloc(world->process_count + 1, sizeof *all->starts);
    all->stretches = calloc(world->process_count + 1, sizeof *all->stretches);
    if (all->starts && all->stretches)
        return all;
    collectives_free(all);
    return NULL;
}

static void free_parts(const struct collective *collective)
{
    for (size_t i = 0; i < collective->arrived; i++)
        free(collective->parts[i]->transfers.list);
    free(collective->parts);
}

static void free_starts(const struct starts *starts)
{
    for (size_t i = 0; i < starts->list_count; i++)
        free(starts->list[i].transfers.list);
    free(starts->list);
}

void collectives_free(struct collectives *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct collective *collective = all->buckets[i]; collective;
             collective = collective->next)
            free_parts(collective);
    for (size_t i = 0; all->starts && i < all->processes; i++)
        free_starts(&all->starts[i]);
    free(all->starts);
    free(all->stretches);
    free(all->sequences);
    index_free(&all->index);
    free(all);
}

struct sought {
    const struct collectives *all;
    struct sequence sequence;
};

static bool is_same_sequence(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct sequence *one = &sought->all->sequences[number], *other = &sought->sequence;
    return one->number == other->number && one->kind == other->kind &&
           one->process == other->process && one->stretch == other->stretch;
}

/* How many of KIND and NUMBER the process has taken part in before this one. */
static uint64_t next_ordinal(struct replay *replay, enum sequence_kind kind, uint32_t number,
                             uint32_t process)
{
    struct collectives *all = replay->collectives;
    const struct sought sought = {all, {kind, number, process, all->stretches[process], 0}};
    const uint64_t hash = hash_mix((uint64_t)number << 2 | kind,
                                   (uint64_t)all->stretches[process] << 32 | process);
    if (!LIST_RESERVE(all->sequences) ||
        !index_reserve(&all->index, all->sequences_count + 1)) {
        replay->failed = true;
        return 0;
    }
    uint32_t *slot = index_slot(&all->index, hash, is_same_sequence, &sought);
    if (*slot == 0) {
        all->sequences[all->sequences_count++] = sought.sequence;
        *slot = (uint32_t)all->sequences_count;
    }
    return all->sequences[*slot - 1].count++;
}

static struct collective **bucket_of(struct collectives *all, enum sequence_kind kind,
                                     uint32_t number, uint32_t stretch, uint64_t ordinal)
{
    const uint64_t hash =
        hash_mix((uint64_t)number << 2 | kind, ordinal ^ (uint64_t)stretch << 40);
    return &all->buckets[hash % BUCKETS];
}

static size_t members_of(const struct replay *replay, enum sequence_kind kind, uint32_t comm)
{
    if (kind == SEQUENCE_SETUP)
        return replay->world->rank_count;
    const struct replay_comm *of = &replay->world->comms[comm];
    return of->member_count + of->other_count;
}

static bool is_same(const struct collective *one, const struct collective *other)
{
    return one->number == other->number && one->kind == other->kind &&
           one->ordinal == other->ordinal && one->stretch == other->stretch;
}

/* The collective that SOUGHT describes, which is a new one if there is none; the scout has one
 * for each member.  NULL if out of memory. */
static struct collective *find_or_make(struct replay *replay, const struct collective *sought)
{
    struct collective **bucket = bucket_of(replay->collectives, sought->kind, sought->number,
                                           sought->stretch, sought->ordinal);
    struct collective *collective = share_is_ahead(replay) ? NULL : *bucket;
    while (collective && !is_same(collective, sought))
        collective = collective->next;
    if (collective)
        return collective;
    collective = items_take(&replay->collective_pool);
    if (!collective)
        return NULL;
    *collective = *sought;
    collective->expected =
        share_is_ahead(replay) ? 1 : members_of(replay, sought->kind, sought->comm);
    collective->parts = calloc(collective->expected + 1, sizeof(struct membership *));
    if (!collective->parts) {
        items_give(&replay->collective_pool, collective);
        return NULL;
    }
    collective->next = *bucket;
    *bucket = collective;
    return collective;
}

/* The collective that the process comes to now; NULL if out of memory. */
static struct collective *find_collective(struct replay *replay, enum sequence_kind kind,
                                          uint32_t number, uint32_t comm, uint32_t process)
{
    return find_or_make(
        replay, &(struct collective){.kind = kind,
                                     .number = number,
                                     .stretch = replay->collectives->stretches[process],
                                     .ordinal = next_ordinal(replay, kind, number, process),
                                     .comm = comm});
}

static void remove_collective(struct replay *replay, struct collective *collective)
{
    struct collective **at =
        bucket_of(replay->collectives, collective->kind, collective->number,
                  collective->stretch, collective->ordinal);
    while (*at != collective)
        at = &(*at)->next;
    *at = collective->next;
    free(collective->parts);
    items_give(&replay->collective_pool, collective);
}

/* The rank of PROCESS in COMM, the others after its members; REPLAY_NONE if it has none. */
static uint32_t rank_in(const struct replay_comm *comm, uint32_t process)
{
    if (process < comm->member_count && comm->members[process] == process)
        return process;
    for (size_t i = 0; i < comm->member_count; i++)
        if (comm->members[i] == process)
            return (uint32_t)i;
    for (size_t i = 0; i < comm->other_count; i++)
        if (comm->others[i] == process)
            return (uint32_t)(comm->member_count + i);
    return REPLAY_NONE;
}

static int compare_parts(const void *a, const void *b)
{
    const struct membership *one = *(struct membership *const *)a;
    const struct membership *other = *(struct membership *const *)b;
    if (one->member.is_remote != other->member.is_remote)
        return one->member.is_remote ? 1 : -1;
    return one->member.rank < other->member.rank ? -1 : one->member.rank > other->member.rank;
}

static void tell(struct replay *replay, const struct tsprof_collective *collective)
{
    static const bool synchronizes[TSPROF_OPERATIONS] = {
        [TSPROF_BARRIER] = true,   [TSPROF_N_TO_N] = true,         [TSPROF_INIT] = true,
        [TSPROF_FINALIZE] = true,  [TSPROF_WIN_CREATE] = true,     [TSPROF_WIN_FREE] = true,
        [TSPROF_WIN_FENCE] = true, [TSPROF_FILE_OPERATION] = true,
    };
    patterns_collective(replay, collective);
    if (!synchronizes[collective->operation] ||
        (is_of_window(collective) && !all_have_met(collective)))
        return;
    replay->failed |= !syncs_note_all(replay->syncs, collective);
    for (size_t i = 0; i < collective->member_count; i++)
        ((struct call *)(void *)(uintptr_t)collective->members[i].call)->met_all = true;
}

/* Targets are processes until here, and members of the fence from here on. */
static void find_targets(const struct replay *replay, const struct collective *collective,
                         struct transfers *transfers)
{
    for (size_t i = 0; i < transfers->list_count; i++)
        transfers->list[i].target =
            rank_in(&replay->world->comms[collective->comm], transfers->list[i].target);
}

/* Puts the sources of MEMBER, PROCESS, into LIST: numbers of members.  How many there are. */
static size_t find_sources(const struct replay *replay, const struct collective *collective,
                           uint32_t process, struct tsprof_member *member, uint32_t *list)
{
    size_t count;
    const struct replay_comm *comm = &replay->world->comms[collective->comm];
    const uint32_t *sources = sources_of(replay->sources, collective->comm, process, &count);
    member->sources = list;
    for (size_t i = 0; i < count; i++) {
        const uint32_t rank = rank_in(comm, sources[i]);
        if (rank != REPLAY_NONE && rank < collective->arrived)
            list[member->source_count++] = rank;
    }
    return member->source_count;
}

/* Fills in the sources of all MEMBERS; the result is to be freed.  NULL if out of memory. */
static uint32_t *add_sources(const struct replay *replay, const struct collective *collective,
                             struct tsprof_member *members)
{
    size_t count, all = 0;
    for (size_t i = 0; i < collective->arrived; i++) {
        sources_of(replay->sources, collective->comm, collective->parts[i]->process, &count);
        all += count;
    }
    uint32_t *list = malloc((all + 1) * sizeof *list);
    size_t used = 0;
    for (size_t i = 0; list && i < collective->arrived; i++)
        used += find_sources(replay, collective, collective->parts[i]->process, &members[i],
                             list + used);
    return list;
}

/* Tells the patterns of a collective that all have left, and lets go of its calls. */
static void publish_collective(struct replay *replay, struct collective *collective)
{
    struct tsprof_member *members = calloc(collective->arrived, sizeof *members);
    struct tsprof_collective view = {.operation = TSPROF_OPERATIONS,
                                     .comm = collective->comm,
                                     .root = TSPROF_NONE,
                                     .members = members,
                                     .member_count = collective->arrived};
    replay->failed |= !members;
    qsort(collective->parts, collective->arrived, sizeof(struct membership *), compare_parts);
    /* If members disagree, as they must not, that of the lowest rank is believed. */
    uint32_t root = REPLAY_NONE;
    for (size_t i = collective->arrived; i-- > 0;)
        if (collective->parts[i]->root != REPLAY_NONE)
            root = collective->parts[i]->root;
    if (collective->arrived > 0)
        view.operation = (enum tsprof_operation)collective->parts[0]->operation;
    for (size_t i = 0; members && i < collective->arrived; i++) {
        struct transfers *transfers = &collective->parts[i]->transfers;
        if (transfers->list_count > 0)
            find_targets(replay, collective, transfers);
        members[i] = collective->parts[i]->member;
        members[i].transfers = transfers->list;
        members[i].transfer_count = transfers->list_count;
        if (collective->parts[i]->process == root)
            view.root = (uint32_t)i;
    }
    const bool has_sources = members && view.operation == TSPROF_NEIGHBORS;
    uint32_t *sources = has_sources ? add_sources(replay, collective, members) : NULL;
    replay->failed |= has_sources && !sources;
    if (members && view.operation != TSPROF_OPERATIONS &&
        (collective->kind != SEQUENCE_FILE_BEGIN || all_have_met(&view)))
        tell(replay, &view);
    free(sources);
    free(members);
}

static void end_collective(struct replay *replay, struct collective *collective)
{
    for (size_t i = 0; i < collective->arrived; i++) {
        struct membership *part = collective->parts[i];
        struct call *call = part->call;
        struct membership **at = &call->memberships;
        while (*at != part)
            at = &(*at)->next_in_call;
        *at = part->next_in_call;
        transfers_give(replay, &part->transfers);
        items_give(&replay->membership_pool, part);
        call_release(replay, call);
    }
    remove_collective(replay, collective);
}

/* What the others need to know of the transfers before a fence; NULL if out of memory. */
static struct foreign_transfer *transfers_of(const struct transfers *transfers)
{
    struct foreign_transfer *list = calloc(transfers->list_count + 1, sizeof *list);
    for (size_t i = 0; list && i < transfers->list_count; i++)
        list[i] = (struct foreign_transfer){
            transfers->list[i].target,
            calls_image((struct call *)(void *)(uintptr_t)transfers->list[i].call)};
    return list;
}

/* The scout's collective has one member: all others' owners are told of it. */
static void tell_member(struct replay *replay, const struct collective *collective)
{
    const struct membership *part = collective->parts[0];
    struct foreign_transfer *transfers = transfers_of(&part->transfers);
    replay->failed |= !transfers;
    if (transfers)
        share_tell_all(replay, collective->comm,
                       &(struct foreign){.kind = FOREIGN_MEMBER,
                                         .transfer_count = (uint32_t)part->transfers.list_count,
                                         .member = {.sequence = collective->kind,
                                                    .number = collective->number,
                                                    .stretch = collective->stretch,
                                                    .ordinal = collective->ordinal,
                                                    .operation = part->operation,
                                                    .comm = collective->comm,
                                                    .root = part->root,
                                                    .process = part->process,
                                                    .start = part->member.start,
                                                    .call = calls_image(part->call)}},
                       transfers);
    free(transfers);
}

/* NULL if there is no place for it. */
static struct membership *arrive(struct replay *replay, struct collective *collective,
                                 struct call *call, struct tsprof_point start, uint32_t process)
{
    if (!collective || collective->arrived >= collective->expected)
        return NULL;
    struct membership *part = items_take(&replay->membership_pool);
    replay->failed |= !part;
    if (!part)
        return NULL;
    const struct replay_comm *comm =
        collective->comm == REPLAY_NONE ? NULL : &replay->world->comms[collective->comm];
    const uint32_t place = comm ? rank_in(comm, process) : process;
    const bool is_remote = comm && place != REPLAY_NONE && place >= comm->member_count;
    *part = (struct membership){
        .member = {.call = &call->view,
                   .start = start,
                   .rank = is_remote ? place - (uint32_t)comm->member_count : place,
                   .is_remote = is_remote},
        .call = call,
        .collective = collective,
        .operation = TSPROF_OPERATIONS,
        .root = REPLAY_NONE,
        .next_in_call = call->memberships,
        .process = process};
    call->memberships = part;
    call_hold(call);
    collective->parts[collective->arrived++] = part;
    return part;
}

static void take_end(struct replay *replay, struct started *started)
{
    const struct replay_event *event = &started->event;
    const uint32_t process = replay->world->processes[event->thread];
    if (!started->call || event->comm >= replay->world->comm_count)
        return;
    struct collective *collective =
        event->kind == REPLAY_WINDOW_FENCE
            ? find_collective(replay, SEQUENCE_FENCE, event->window, event->comm, process)
            : find_collective(replay, SEQUENCE_COMM, event->comm, event->comm, process);
    replay->failed |= !collective;
    if (!collective)
        return;
    struct membership *part =
        arrive(replay, collective, started->call, started->start, process);
    if (!part)
        return;
    part->operation = event->operation;
    part->root = event->root;
    part->transfers = started->transfers;
    started->transfers = (struct transfers){0};
}

/* Gives on what has ended, up to the first that has not. */
static void drain(struct replay *replay, struct starts *starts, bool end)
{
    size_t done = 0;
    while (done < starts->list_count &&
           (end || starts->list[done].request == REPLAY_NO_REQUEST)) {
        struct started started = starts->list[done++];
        take_end(replay, &started);
        transfers_give(replay, &started.transfers);
        if (!started.call)
            continue;
        if (!started.call->is_open)
            collectives_left(replay, started.call);
        call_release(replay, started.call);
    }
    starts->list_count -= done;
    if (done > 0 && starts->list_count > 0)
        memmove(starts->list, starts->list + done, starts->list_count * sizeof *starts->list);
}

static struct started *add_started(struct replay *replay, uint32_t process)
{
    struct starts *starts = &replay->collectives->starts[process];
    if (!LIST_RESERVE(starts->list)) {
        replay->failed = true;
        return NULL;
    }
    struct started *started = &starts->list[starts->list_count++];
    *started = (struct started){.request = REPLAY_NO_REQUEST};
    return started;
}

static struct started *find_started(const struct starts *starts, uint64_t request)
{
    for (size_t i = 0; i < starts->list_count; i++)
        if (starts->list[i].request == request)
            return &starts->list[i];
    return NULL;
}

/*
 * The first of two calls that make an operation on a file: some libraries do all of it there.
 * So the calls are an operation by themselves, in which all wait for all, if all have met
 * there.
 */
static void begin_in_file(struct replay *replay, const struct replay_event *event,
                          uint32_t process)
{
    struct call *call = calls_current(replay, event->thread);
    if (event->operation != TSPROF_FILE_OPERATION || event->comm >= replay->world->comm_count ||
        !call || replay->world->regions[call->view.region].role != ROLE_FILE_BEGIN)
        return;
    struct collective *collective =
        find_collective(replay, SEQUENCE_FILE_BEGIN, event->comm, event->comm, process);
    replay->failed |= !collective;
    if (!collective)
        return;
    struct membership *part = arrive(replay, collective, call, call->view.enter, process);
    if (part)
        part->operation = TSPROF_FILE_OPERATION;
}

void collectives_take(struct replay *replay, const struct replay_event *event)
{
    const uint32_t process = replay->world->processes[event->thread];
    struct starts *starts = &replay->collectives->starts[process];
    struct started *started =
        event->request != REPLAY_NO_REQUEST ? find_started(starts, event->request) : NULL;
    if (!started) {
        started = add_started(replay, process);
        if (!started)
            return;
        started->start = calls_point(replay, event->thread, event->time_ns);
    }
    if (event->kind == REPLAY_POST_COLLECT) {
        started->request = event->request;
        begin_in_file(replay, event, process);
        return;
    }
    started->request = REPLAY_NO_REQUEST;
    started->event = *event;
    if (event->kind == REPLAY_WINDOW_FENCE)
        started->transfers = fences_meet(replay, process, event->window);
    started->call = calls_current(replay, event->thread);
    if (started->call)
        call_hold(started->call);
    drain(replay, starts, false);
}

void collectives_setup(struct replay *replay, struct call *call,
                       enum tsprof_operation operation)
{
    const uint32_t process = replay->world->processes[call->view.enter.thread];
    struct collective *collective =
        find_collective(replay, SEQUENCE_SETUP, operation, REPLAY_NONE, process);
    replay->failed |= !collective;
    if (!collective)
        return;
    struct membership *part = arrive(replay, collective, call, call->view.enter, process);
    if (part)
        part->operation = operation;
}

static void count_left(struct membership *part)
{
    part->collective->left += !part->has_left;
    part->has_left = true;
}

/* The next collective in CALL that all have left now; NULL: there is none. */
static struct collective *complete_in(const struct call *call)
{
    for (const struct membership *part = call->memberships; part; part = part->next_in_call)
        if (part->collective->left == part->collective->expected)
            return part->collective;
    return NULL;
}

void collectives_left(struct replay *replay, struct call *call)
{
    struct collective *collective;
    for (struct membership *part = call->memberships; part; part = part->next_in_call)
        count_left(part);
    call_hold(call);
    while ((collective = complete_in(call)) != NULL) {
        if (share_is_ahead(replay))
            tell_member(replay, collective);
        else
            publish_collective(replay, collective);
        end_collective(replay, collective);
    }
    call_release(replay, call);
}

void collectives_off(struct replay *replay, const struct replay_event *event)
{
    const uint32_t process = replay->world->processes[event->thread];
    drain(replay, &replay->collectives->starts[process], true);
    replay->collectives->stretches[process]++;
}

/* Calls of transfers before a fence, which are foreign ones, too. */
static void add_transfers(struct replay *replay, struct membership *part,
                          const struct foreign_transfer *transfers, size_t count)
{
    struct transfers *of = &part->transfers;
    of->list = calloc(count + 1, sizeof *of->list);
    replay->failed |= !of->list;
    for (size_t i = 0; of->list && i < count; i++) {
        struct call *call = calls_foreign(replay, &transfers[i].call);
        if (!call)
            return;
        of->list[of->list_count++] = (struct tsprof_transfer){transfers[i].target, &call->view};
    }
}

void collectives_take_member(struct replay *replay, const struct foreign_member *member,
                             const struct foreign_transfer *transfers, size_t transfer_count)
{
    struct collective *collective =
        find_or_make(replay, &(struct collective){.kind = (enum sequence_kind)member->sequence,
                                                  .number = member->number,
                                                  .stretch = member->stretch,
                                                  .ordinal = member->ordinal,
                                                  .comm = member->comm});
    struct call *call = collective ? calls_foreign(replay, &member->call) : NULL;
    replay->failed |= !call;
    if (!call)
        return;
    struct membership *part = arrive(replay, collective, call, member->start, member->process);
    if (part) {
        part->operation = member->operation;
        part->root = member->root;
    }
    if (part && transfer_count > 0)
        add_transfers(replay, part, transfers, transfer_count);
    collectives_left(replay, call);
    call_release(replay, call);
}

void collectives_end_process(struct replay *replay, uint32_t process)
{
    drain(replay, &replay->collectives->starts[process], true);
}

void collectives_end(struct replay *replay)
{
    struct collectives *all = replay->collectives;
    for (size_t i = 0; i < BUCKETS; i++)
        while (all->buckets[i])
            end_collective(replay, all->buckets[i]);
}
