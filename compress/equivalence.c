/* Equivalence classes of iterations.  See equivalence.h. */
#include "compress/equivalence.h"

#include <string.h>

#define FIRST_CAPACITY 8

enum { SKETCH_WORDS = SKETCH_BITS / 64 };

struct signature {
    uint64_t hash;
    struct path_entry *paths; /* the call paths that matter, with only the fields that do */
    size_t count;
    uint32_t renamed;              /* class that this one becomes when classes are united */
    uint32_t iterations;           /* of the class */
    uint64_t sketch[SKETCH_WORDS]; /* SIMILAR: a bit for each call path of any of them */
    uint32_t bits;                 /* that are set in it */
};

/* Bits of kinds of call paths. */
enum { USR = 1 << PATH_USR, COM = 1 << PATH_COM, MPI = 1 << PATH_MPI };

/*
 * What an equivalence compares.  Which USR paths exist, and how often COM paths were entered,
 * is known from samples only: chance.
 */
static const struct rule {
    uint32_t paths;  /* kinds of call paths that are compared */
    uint32_t visits; /* those whose visits are */
    uint32_t kind;   /* all bits set if the kind is */
} rules[] = {
    [EQUIVALENCE_NONE] = {0, 0, 0},
    [EQUIVALENCE_STRONG] = {USR | COM | MPI, USR | COM | MPI, 0},
    [EQUIVALENCE_WEAK] = {USR | COM | MPI, 0, 0},
    [EQUIVALENCE_HYBRID] = {COM | MPI, MPI, UINT32_MAX},
    [EQUIVALENCE_AUTO] = {COM | MPI, MPI, UINT32_MAX},
    [EQUIVALENCE_COMMUNICATION] = {COM | MPI, 0, UINT32_MAX},
    [EQUIVALENCE_SIMILAR] = {COM | MPI, 0, UINT32_MAX},
};

/*
 * Reduces a call path to what RULE compares; false if that ignores the path.  Entries are
 * compared field by field, so padding does not matter.
 */
static inline bool reduce(const struct rule *rule, const struct path_entry *path,
                          struct path_entry *reduced)
{
    *reduced =
        (struct path_entry){.path = path->path,
                            .kind = path->kind & rule->kind,
                            .visits = path->visits * (int64_t)(rule->visits >> path->kind & 1)};
    return rule->paths >> path->kind & 1;
}

static uint64_t mix(uint64_t hash, const struct path_entry *entry)
{
    uint64_t visits = (uint64_t)entry->visits * UINT64_C(0xc2b2ae3d27d4eb4f);
    uint64_t place = (uint64_t)entry->kind << 32 | entry->path;
    hash = (hash ^ place ^ visits ^ visits >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

uint64_t equivalence_hash(enum equivalence mode, const struct account *account,
                          const struct path_entry *paths, size_t count)
{
    uint64_t hash = 0;
    struct path_entry reduced;
    for (size_t i = 0, end; i < count; i = end) {
        end = steps_end(i, count);
        for (size_t n = i; n < end; n++)
            if (reduce(&rules[mode], &paths[n], &reduced))
                hash = mix(hash, &reduced);
        steps_pause(account, end, count);
    }
    return hash;
}

static bool same_entry(const struct path_entry *a, const struct path_entry *b)
{
    return a->path == b->path && a->kind == b->kind && a->visits == b->visits;
}

/* Compares call paths FROM to TO - 1 with the signature from *SEEN on, which is moved on. */
static bool same_some(enum equivalence mode, const struct signature *signature,
                      const struct path_entry *paths, size_t from, size_t to, size_t *seen)
{
    struct path_entry reduced;
    for (size_t i = from; i < to; i++) {
        if (!reduce(&rules[mode], &paths[i], &reduced))
            continue;
        if (*seen == signature->count || !same_entry(&signature->paths[*seen], &reduced))
            return false;
        ++*seen;
    }
    return true;
}

static bool same_signature(enum equivalence mode, const struct account *account,
                           const struct signature *signature, const struct path_entry *paths,
                           size_t count)
{
    size_t seen = 0;
    for (size_t i = 0, end; i < count; i = end) {
        end = steps_end(i, count);
        if (!same_some(mode, signature, paths, i, end, &seen))
            return false;
        steps_pause(account, end, count);
    }
    return seen == signature->count;
}

uint32_t classes_find(const struct classes *classes, const struct account *account,
                      uint64_t hash, const struct path_entry *paths, size_t count)
{
    if (classes->bucket_count == 0)
        return CLASS_NONE;
    uint32_t mask = classes->bucket_count - 1;
    for (uint32_t b = (uint32_t)hash & mask; classes->buckets[b]; b = (b + 1) & mask) {
        uint32_t id = classes->buckets[b] - 1;
        const struct signature *signature = &classes->signatures[id];
        if (signature->hash == hash &&
            same_signature(classes->mode, account, signature, paths, count))
            return id;
    }
    return CLASS_NONE;
}

static void insert_bucket(struct classes *classes, uint32_t id)
{
    uint32_t mask = classes->bucket_count - 1;
    uint32_t b = (uint32_t)classes->signatures[id].hash & mask;
    while (classes->buckets[b])
        b = (b + 1) & mask;
    classes->buckets[b] = id + 1;
}

static void fill_buckets(struct classes *classes)
{
    memset(classes->buckets, 0, classes->bucket_count * sizeof(*classes->buckets));
    for (uint32_t id = 0; id < classes->count; id++)
        insert_bucket(classes, id);
}

static void give_back_tables(struct classes *classes, struct account *account)
{
    account_give_back(account, classes->signatures,
                      classes->capacity * sizeof(*classes->signatures));
    account_give_back(account, classes->buckets,
                      classes->bucket_count * sizeof(*classes->buckets));
}

/* Makes room for one more class; the buckets stay at most half full. */
static bool grow(struct classes *classes, struct account *account)
{
    struct classes larger = *classes;
    if (classes->count < classes->capacity)
        return true;
    larger.capacity = classes->capacity ? classes->capacity * 2 : FIRST_CAPACITY;
    larger.bucket_count = larger.capacity * 2;
    larger.signatures = account_take(account, larger.capacity * sizeof(*larger.signatures));
    larger.buckets = account_take(account, larger.bucket_count * sizeof(*larger.buckets));
    if (!larger.signatures || !larger.buckets) {
        give_back_tables(&larger, account);
        return false;
    }
    if (classes->count > 0)
        memcpy(larger.signatures, classes->signatures,
               classes->count * sizeof(*larger.signatures));
    give_back_tables(classes, account);
    *classes = larger;
    fill_buckets(classes);
    return true;
}

size_t classes_bytes_for_one(size_t paths)
{
    return FIRST_CAPACITY * sizeof(struct signature) + 2 * FIRST_CAPACITY * sizeof(uint32_t) +
           paths * sizeof(struct path_entry);
}

/* How many call paths MODE compares. */
static size_t reduced_count(enum equivalence mode, const struct account *account,
                            const struct path_entry *paths, size_t count)
{
    struct path_entry reduced;
    size_t kept = 0;
    for (size_t i = 0, end; i < count; i = end) {
        end = steps_end(i, count);
        for (size_t n = i; n < end; n++)
            kept += reduce(&rules[mode], &paths[n], &reduced);
        steps_pause(account, end, count);
    }
    return kept;
}

static bool make_signature(struct signature *signature, struct account *account,
                           enum equivalence mode, const struct path_entry *paths, size_t count)
{
    struct path_entry reduced;
    size_t kept = 0;
    signature->count = reduced_count(mode, account, paths, count);
    signature->paths = NULL;
    if (signature->count == 0)
        return true;
    signature->paths = account_take(account, signature->count * sizeof(*signature->paths));
    if (!signature->paths)
        return false;
    for (size_t i = 0, end; i < count; i = end) {
        end = steps_end(i, count);
        for (size_t n = i; n < end; n++)
            if (reduce(&rules[mode], &paths[n], &reduced))
                signature->paths[kept++] = reduced;
        steps_pause(account, end, count);
    }
    return true;
}

/* Adds call paths FROM to TO - 1 of a signature to its sketch. */
static void sketch_some(struct signature *signature, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const uint32_t bit =
            (signature->paths[i].path * UINT32_C(0x9e3779b9)) >> 16 & (SKETCH_BITS - 1);
        signature->sketch[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

/* Draws the sketch of a signature whose iterations all have its call paths. */
static void sketch(struct signature *signature, const struct account *account)
{
    signature->bits = 0;
    memset(signature->sketch, 0, sizeof signature->sketch);
    for (size_t i = 0, end; i < signature->count; i = end) {
        end = steps_end(i, signature->count);
        sketch_some(signature, i, end);
        steps_pause(account, end, signature->count);
    }
    for (int w = 0; w < SKETCH_WORDS; w++)
        signature->bits += (uint32_t)__builtin_popcountll(signature->sketch[w]);
}

static void clear_signature(struct signature *signature, struct account *account)
{
    account_give_back(account, signature->paths, signature->count * sizeof(*signature->paths));
}

uint32_t classes_add(struct classes *classes, struct account *account, uint64_t hash,
                     const struct path_entry *paths, size_t count)
{
    if (!grow(classes, account))
        return CLASS_NONE;
    struct signature *signature = &classes->signatures[classes->count];
    *signature = (struct signature){.hash = hash};
    if (!make_signature(signature, account, classes->mode, paths, count))
        return CLASS_NONE;
    if (classes->mode == EQUIVALENCE_SIMILAR)
        sketch(signature, account);
    insert_bucket(classes, classes->count);
    return classes->count++;
}

void classes_remove_last(struct classes *classes, struct account *account)
{
    classes->count--;
    clear_signature(&classes->signatures[classes->count], account);
    /*
     * Emptying one bucket could hide others behind it.  All are filled anew, which is rare
     * enough.
     */
    fill_buckets(classes);
}

enum { UNITED_AT_ONCE = 16 }; /* classes between two pauses */

/* Makes SIGNATURE what it is under MODE, which does not compare visits. */
static void forget_visits(struct signature *signature, const struct account *account,
                          enum equivalence mode)
{
    for (size_t i = 0, end; i < signature->count; i = end) {
        end = steps_end(i, signature->count);
        for (size_t n = i; n < end; n++)
            signature->paths[n].visits = 0;
        steps_pause(account, end, signature->count);
    }
    signature->hash = equivalence_hash(mode, account, signature->paths, signature->count);
}

void classes_unite(struct classes *classes, const struct account *account,
                   enum equivalence mode)
{
    classes->mode = mode;
    for (uint32_t id = 0; id < classes->count; id++) {
        forget_visits(&classes->signatures[id], account, mode);
        if (id % UNITED_AT_ONCE == 0)
            account_pause(account);
    }
    if (classes->count > 0)
        memset(classes->buckets, 0, classes->bucket_count * sizeof(*classes->buckets));
    uint32_t united = 0;
    for (uint32_t id = 0; id < classes->count; id++) {
        struct signature *signature = &classes->signatures[id];
        uint32_t known =
            classes_find(classes, account, signature->hash, signature->paths, signature->count);
        if (known == CLASS_NONE)
            insert_bucket(classes, id);
        signature->renamed =
            known == CLASS_NONE ? united++ : classes->signatures[known].renamed;
        if (known != CLASS_NONE)
            classes->signatures[known].iterations += signature->iterations;
        if (id % UNITED_AT_ONCE == 0)
            account_pause(account);
    }
}

uint32_t classes_united(const struct classes *classes, uint32_t id)
{
    return classes->signatures[id].renamed;
}

void classes_drop_united(struct classes *classes, struct account *account)
{
    uint32_t kept = 0;
    for (uint32_t id = 0; id < classes->count; id++) {
        struct signature signature = classes->signatures[id];
        if (signature.renamed == kept)
            classes->signatures[kept++] = signature;
        else
            clear_signature(&signature, account);
    }
    classes->count = kept;
    if (kept > 0)
        fill_buckets(classes);
}

void classes_count(struct classes *classes, uint32_t id)
{
    classes->signatures[id].iterations++;
}

void classes_liken(struct classes *classes, const struct account *account)
{
    classes->mode = EQUIVALENCE_SIMILAR;
    for (uint32_t id = 0; id < classes->count; id++)
        sketch(&classes->signatures[id], account);
}

/* How many call paths, times iterations, come to be where they are not, if A and B are united.
 */
static uint64_t strangers(const struct signature *a, const struct signature *b)
{
    uint32_t both = 0;
    for (int w = 0; w < SKETCH_WORDS; w++)
        both += (uint32_t)__builtin_popcountll(a->sketch[w] & b->sketch[w]);
    return (uint64_t)a->iterations * (b->bits - both) +
           (uint64_t)b->iterations * (a->bits - both);
}

static struct class_pair find_similar(const struct classes *classes,
                                      const struct account *account)
{
    struct class_pair best = {0, 1};
    uint64_t fewest = UINT64_MAX;
    for (uint32_t later = 1; later < classes->count; later++) {
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            const uint64_t count =
                strangers(&classes->signatures[earlier], &classes->signatures[later]);
            if (count < fewest) {
                fewest = count;
                best = (struct class_pair){earlier, later};
            }
        }
        account_pause(account);
    }
    return best;
}

/* Makes A what it is with the iterations of B; what B required is not looked up any more. */
static void take_over(struct signature *a, struct signature *b, struct account *account)
{
    const struct signature *larger = a->iterations >= b->iterations ? a : b;
    struct signature united = *larger, *other = larger == a ? b : a;
    united.iterations += other->iterations;
    united.bits = 0;
    for (int w = 0; w < SKETCH_WORDS; w++) {
        united.sketch[w] |= other->sketch[w];
        united.bits += (uint32_t)__builtin_popcountll(united.sketch[w]);
    }
    clear_signature(other, account);
    *a = united;
}

struct class_pair classes_unite_similar(struct classes *classes, struct account *account)
{
    const struct class_pair pair = find_similar(classes, account);
    struct signature *signatures = classes->signatures;
    take_over(&signatures[pair.earlier], &signatures[pair.later], account);
    classes->count--;
    memmove(&signatures[pair.later], &signatures[pair.later + 1],
            (classes->count - pair.later) * sizeof *signatures);
    fill_buckets(classes);
    return pair;
}

void classes_clear(struct classes *classes, struct account *account)
{
    for (uint32_t id = 0; id < classes->count; id++)
        clear_signature(&classes->signatures[id], account);
    give_back_tables(classes, account);
    *classes = (struct classes){.mode = classes->mode};
}
