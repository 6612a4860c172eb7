/*
 * Learning recipes from call-frame information; see recipe.h.
 *
 * The information is found with _dl_find_object, which takes no lock; dl_iterate_phdr would
 * take the loader's.
 */
#include "unwind/recipe.h"

#include "arch/arch.h"
#include "dwarf/dwarf.h"
#include "host/host.h"
#include "unwind/nearby.h"
#include "unwind/quirks.h"
#include "unwind/stubs.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

enum {
    TABLE_SIZE = 1 << 14,
    TABLE_PROBES = 16,
    PAGE_ENTRIES = 128,
    LEAVES_MOST = TABLE_SIZE / 4
};

/* The pc of an entry whose module is gone; no code has this address. */
#define ENTRY_GONE UINT64_C(0x8000000000000000)

static struct recipe table[TABLE_SIZE] __attribute__((aligned(4096)));
static const struct nearby nearby = {
    .groups = TABLE_SIZE / PAGE_ENTRIES, .each = PAGE_ENTRIES, .region = 10};
static char table_writer;
static uint32_t leaf_count;

uint64_t recipe_epoch = RECIPE_EPOCH;

/* Where makecontext lets a coroutine return to; 0 if unknown. */
static uintptr_t coroutine_end;

static struct module_image image_of(const struct dl_find_object *object)
{
    return (struct module_image){.low = (uintptr_t)object->dlfo_map_start,
                                 .high = (uintptr_t)object->dlfo_map_end,
                                 .header = object->dlfo_eh_frame};
}

static void at_coroutine_end(void)
{
}

/*
 * Makes a coroutine to see where it ends: the C library neither exports that place nor marks it
 * as outermost.
 */
static void find_coroutine_end(void)
{
    static uintptr_t stack[512 + 1];
    ucontext_t context;
    if (getcontext(&context) != 0)
        return;
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = sizeof stack - sizeof *stack;
    context.uc_link = NULL;
    makecontext(&context, at_coroutine_end, 0);
    uintptr_t top = arch_interrupted(&context).sp;
    if (top >= (uintptr_t)stack && top < (uintptr_t)stack + sizeof stack)
        coroutine_end = arch_context_return(&context);
}

void recipe_start(void)
{
    find_coroutine_end();
    quirks_start();
}

/*
 * Whether signal handlers return to CODE.  As debuggers do, this recognises the instructions:
 * the kernel's interface fixes what they must do.
 */
static bool is_signal_trampoline(uintptr_t code)
{
    unsigned char found[sizeof arch_signal_return_code];
    return peek_async(code, found, sizeof found) &&
           memcmp(found, arch_signal_return_code, sizeof found) == 0;
}

static bool fits(int64_t offset)
{
    return offset == (int32_t)offset;
}

static enum recipe_kind read_cfa_rule(struct recipe *recipe, const struct cfi_frame *frame)
{
    const struct cfi_value *cfa = &frame->cfa, *back = &frame->return_address;
    const bool saved = back->base == CFI_CFA && back->loaded && arch_returns_from(back->offset);
    const bool kept = back->base == CFI_AUX && !back->loaded && back->offset == 0;
    if ((!saved && !kept) || !fits(cfa->offset))
        return RECIPE_FAIL;
    /*
     * A function that throws an exception has by then loaded the place where it is caught,
     * which is not its caller.
     */
    if (kept && frame->throws)
        return RECIPE_FAIL;
    recipe->return_offset = saved ? (int32_t)back->offset : RETURN_IN_AUX;
    recipe->signs = frame->signs;
    recipe->cfa_offset = (int32_t)cfa->offset;
    if (cfa->base == CFI_SP && !cfa->loaded)
        return RECIPE_SP;
    if (cfa->base == CFI_AUX && !cfa->loaded)
        return RECIPE_AUX;
    if (cfa->base == CFI_FP)
        return cfa->loaded ? RECIPE_MEMORY : RECIPE_FP;
    return RECIPE_FAIL;
}

static void read_frame_pointer_rule(struct recipe *recipe, const struct cfi_value *fp)
{
    recipe->fp = FP_LOST;
    if (fp->base == CFI_FP && !fp->loaded && fp->offset == 0)
        recipe->fp = FP_UNCHANGED;
    /* In a large frame it is far from the CFA, but near the return address. */
    const bool near = fp->offset == (int16_t)fp->offset;
    const int64_t offset = near ? fp->offset : fp->offset - recipe->return_offset;
    if (!fp->loaded || offset != (int16_t)offset)
        return;
    recipe->fp_offset = (int16_t)offset;
    if (fp->base == CFI_CFA)
        recipe->fp = near ? FP_AT_CFA : FP_BY_RETURN;
    else if (fp->base == CFI_FP && near)
        recipe->fp = FP_AT_FP;
}

static bool is_outermost(const struct cfi_frame *frame)
{
    return frame->outermost || frame->function == coroutine_end;
}

/*
 * Fills RECIPE from what is around PC, where there is no call-frame information for PC itself.
 */
static void learn_from_surroundings(struct recipe *recipe, const struct module_image *module,
                                    uintptr_t pc)
{
    struct cfi_frame frame;
    struct stub stub;
    if (is_signal_trampoline(pc + 1)) {
        recipe->kind = RECIPE_SIGNAL;
    } else if (cfi_find_async(module, pc + 1, &frame) == CFI_FRAME &&
               frame.function == pc + 1 && is_outermost(&frame)) {
        /* A stack may be prepared to return to the very start of a function that ends it. */
        recipe->kind = RECIPE_END;
        recipe->function = code_beside(recipe->function, frame.function);
    } else if (stub_find_async(pc, &stub)) {
        recipe->kind = RECIPE_SP;
        recipe->function = code_beside(recipe->function, stub.function);
        recipe->cfa_offset = (int32_t)stub.depth;
        recipe->fp = stub.fp_offset ? FP_AT_CFA : FP_UNCHANGED;
        recipe->fp_offset = (int16_t)stub.fp_offset;
        recipe->return_offset = stub.return_offset;
    }
}

static void distrust(struct recipe *recipe, enum quirk quirk)
{
    if (quirk == QUIRK_ALL)
        recipe->kind = RECIPE_FAIL;
    if (quirk == QUIRK_FP)
        recipe->fp = FP_LOST;
}

static void learn(struct recipe *recipe, uintptr_t pc)
{
    *recipe = (struct recipe){.pc = pc, .kind = RECIPE_FAIL};
    struct dl_find_object object;
    if (_dl_find_object((void *)pc, &object) != 0) {
        /* An emulator has code of its own for that, outside of all modules. */
        if (is_signal_trampoline(pc + 1))
            recipe->kind = RECIPE_SIGNAL;
        return;
    }
    uint32_t number = known_module_number_async(&object);
    const struct module_image module = image_of(&object);
    struct cfi_frame frame;
    enum cfi_found found = cfi_find_async(&module, pc, &frame);
    recipe->function = code_key(number, frame.function);
    if (found == CFI_NONE) {
        learn_from_surroundings(recipe, &module, pc);
    } else if (found == CFI_FRAME) {
        if (frame.signal && is_signal_trampoline(frame.function + ARCH_SIGNAL_RETURN_OFFSET))
            recipe->kind = RECIPE_SIGNAL;
        else if (is_outermost(&frame))
            recipe->kind = RECIPE_END;
        else
            recipe->kind = (uint8_t)read_cfa_rule(recipe, &frame);
        read_frame_pointer_rule(recipe, &frame.fp);
        distrust(recipe, quirk_at_async(&module, &frame, pc));
    }
}

enum recipe_aux recipe_find_aux_async(uintptr_t pc, int64_t *offset)
{
    struct dl_find_object object;
    struct cfi_frame frame;
    if (_dl_find_object((void *)pc, &object) != 0)
        return AUX_LOST;
    const struct module_image module = image_of(&object);
    if (cfi_find_async(&module, pc, &frame) != CFI_FRAME)
        return AUX_LOST;
    *offset = frame.aux.offset;
    if (frame.aux.base == CFI_AUX && !frame.aux.loaded)
        return AUX_UNCHANGED;
    return frame.aux.base == CFI_CFA && frame.aux.loaded ? AUX_AT_CFA : AUX_LOST;
}

/*
 * Whether RECIPE may be kept: its module has a number, by which it is found when the module is
 * gone.
 */
static bool is_lasting(const struct recipe *recipe)
{
    return code_module(recipe->function) != KNOWN_MODULES_NONE;
}

/* The entry for PC or, if there is none, one that is free; NULL if all are taken. */
static struct recipe *find_entry(uintptr_t pc, size_t first)
{
    struct recipe *free_one = NULL;
    for (size_t i = 0; i < TABLE_PROBES; i++) {
        struct recipe *entry = &table[(first + i) % TABLE_SIZE];
        if (entry->pc == pc)
            return entry;
        if (!free_one && (entry->pc == 0 || entry->pc == ENTRY_GONE))
            free_one = entry;
        if (entry->pc == 0)
            break;
    }
    return free_one;
}

/* Keeps RECIPE, learnt in EPOCH, unless its module may have gone since. */
static void insert(const struct recipe *recipe, enum recipe_use use, size_t first,
                   uint64_t epoch)
{
    if (use == RECIPE_LEAF && leaf_count >= LEAVES_MOST)
        return;
    /* Somebody else is writing, perhaps the code this handler interrupted: do without. */
    if (__atomic_test_and_set(&table_writer, __ATOMIC_ACQUIRE))
        return;
    struct recipe *entry = find_entry(recipe->pc, first);
    if (entry && entry->pc != recipe->pc && recipe_epoch_async() == epoch) {
        entry->function = recipe->function;
        entry->rule = recipe->rule;
        entry->return_offset = recipe->return_offset;
        entry->signs = recipe->signs;
        __atomic_store_n(&entry->pc, recipe->pc, __ATOMIC_RELEASE);
        leaf_count += use == RECIPE_LEAF;
    }
    __atomic_clear(&table_writer, __ATOMIC_RELEASE);
}

const struct recipe *recipe_find_async(uintptr_t pc, enum recipe_use use,
                                       struct recipe *scratch)
{
    const size_t first = nearby_first(&nearby, pc, pc);
    uint64_t epoch = recipe_epoch_async();
    bool stable = recipe_epoch_is_stable(epoch);
    for (size_t i = 0; i < TABLE_PROBES && stable; i++) {
        const struct recipe *entry = &table[(first + i) % TABLE_SIZE];
        uintptr_t found = __atomic_load_n(&entry->pc, __ATOMIC_ACQUIRE);
        if (found == pc)
            return entry;
        if (found == 0)
            break;
    }
    learn(scratch, pc);
    if (stable && is_lasting(scratch))
        insert(scratch, use, first, epoch);
    return scratch;
}

/* The modules that are loaded now. */
struct survey {
    uint64_t unloaded; /* modules that the loader has ever unloaded */
    bool surveyed;
    bool present[KNOWN_MODULES_MOST];
};

static uint64_t last_unloaded;

static int survey_module(struct dl_phdr_info *loaded, size_t size, void *context)
{
    struct survey *survey = context;
    (void)size;
    survey->unloaded = loaded->dlpi_subs;
    if (survey->unloaded == last_unloaded)
        return 1;
    survey->surveyed = true;
    if (peek_is_lost_async((uintptr_t)loaded->dlpi_phdr))
        return 0;
    for (int i = 0; i < loaded->dlpi_phnum; i++) {
        struct dl_find_object object;
        const ElfW(Phdr) *header = &loaded->dlpi_phdr[i];
        if (header->p_type == PT_LOAD &&
            _dl_find_object((void *)(loaded->dlpi_addr + header->p_vaddr), &object) == 0) {
            survey->present[known_module_find_async(&object)] = true;
            break;
        }
    }
    return 0;
}

/*
 * Forgets the recipes of modules that are not PRESENT; false if another thread keeps the table
 * locked.
 */
static bool forget(const bool *present)
{
    const struct timespec pause = {.tv_nsec = 100000};
    for (int tries = 0; __atomic_test_and_set(&table_writer, __ATOMIC_ACQUIRE); tries++) {
        if (tries == 1000)
            return false;
        nanosleep(&pause, NULL);
    }
    for (struct recipe *entry = table; entry < table + TABLE_SIZE; entry++) {
        if (entry->pc == 0 || entry->pc == ENTRY_GONE || present[code_module(entry->function)])
            continue;
        __atomic_store_n(&entry->pc, ENTRY_GONE, __ATOMIC_RELEASE);
        entry->kind = RECIPE_FAIL;
    }
    __atomic_clear(&table_writer, __ATOMIC_RELEASE);
    return true;
}

void recipes_suspend(void)
{
    __atomic_add_fetch(&recipe_epoch, 1, __ATOMIC_SEQ_CST);
}

void recipes_resume(void)
{
    struct survey survey = {0};
    dl_iterate_phdr(survey_module, &survey);
    if (!survey.surveyed) {
        __atomic_sub_fetch(&recipe_epoch, 1, __ATOMIC_SEQ_CST);
        return;
    }
    survey.present[KNOWN_MODULES_NONE] = false;
    /*
     * If they cannot be forgotten, the epoch stays unstable, so that they are never used again.
     */
    if (!forget(survey.present))
        return;
    last_unloaded = survey.unloaded;
    __atomic_add_fetch(&recipe_epoch, RECIPE_EPOCH - 1, __ATOMIC_SEQ_CST);
}
