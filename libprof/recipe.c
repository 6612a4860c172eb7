/*
 * Learning recipes with libunwind; see recipe.h.  The only file that talks to libunwind.
 *
 * libunwind is opened privately (RTLD_LOCAL): linked in the ordinary way its weak backtrace()
 * and its _Unwind_ functions could take the place of the program's own.  Unwind tables are
 * found with _dl_find_object, which takes no lock; dl_iterate_phdr would take the loader's.
 */
#include "recipe.h"

#include "message.h"

#include <dlfcn.h>
#include <libunwind-x86_64.h>
#include <string.h>

enum { TABLE_BITS = 14, TABLE_SIZE = 1 << TABLE_BITS, TABLE_PROBES = 8 };

/* Marked registers: distinct in their top nibble, which no user-space address has. */
#define MARK_SP    UINT64_C(0x1000000000000000)
#define MARK_FP    UINT64_C(0x2000000000000000)
#define MARK_OTHER UINT64_C(0x3000000000000000)
/* What memory at a marked address holds: the address with this bit flipped. */
#define MARK_LOADED UINT64_C(0x4000000000000000)
#define MARK_ANY    UINT64_C(0x7800000000000000)

enum {
    EH_FRAME_HDR_VERSION = 1,
    EH_PE_SDATA4_PCREL = 0x1b,
    EH_PE_UDATA4 = 3,
    EH_PE_SDATA4_DATAREL = 0x3b
};

/* What the accessors know of the probe under way. */
struct probe {
    uintptr_t pc;
    uintptr_t function;
    uintptr_t module_start;
    uintptr_t module_end;
};

static struct {
    __typeof__(&unw_create_addr_space) create_addr_space;
    __typeof__(&unw_set_caching_policy) set_caching_policy;
    __typeof__(&unw_init_remote) init_remote;
    __typeof__(&unw_step) step;
    __typeof__(&unw_get_reg) get_reg;
    int (*search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *,
                               unw_proc_info_t *, int, void *);
    unw_addr_space_t space;
} unwinder;

static struct recipe table[TABLE_SIZE];
static char table_writer;

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info,
                          int need_unwind_info, void *argument)
{
    struct probe *probe = argument;
    struct dl_find_object object;
    if (_dl_find_object((void *)ip, &object) != 0 || !object.dlfo_eh_frame)
        return -UNW_ENOINFO;
    const unsigned char *header = object.dlfo_eh_frame;
    if (header[0] != EH_FRAME_HDR_VERSION || header[1] != EH_PE_SDATA4_PCREL ||
        header[2] != EH_PE_UDATA4 || header[3] != EH_PE_SDATA4_DATAREL)
        return -UNW_ENOINFO;
    uint32_t entries;
    memcpy(&entries, header + 8, sizeof entries);
    unw_dyn_info_t table_info = {
        .start_ip = probe->module_start,
        .end_ip = probe->module_end,
        .format = UNW_INFO_FORMAT_REMOTE_TABLE,
        .u.rti = {.segbase = (unw_word_t)header,
                  .table_data = (unw_word_t)(header + 12),
                  .table_len = entries * 8 / sizeof(unw_word_t)},
    };
    int status =
        unwinder.search_unwind_table(space, ip, &table_info, info, need_unwind_info, argument);
    if (status == 0)
        probe->function = info->start_ip;
    return status;
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *argument)
{
    (void)space;
    (void)info;
    (void)argument;
}

static int get_dyn_info_list(unw_addr_space_t space, unw_word_t *list, void *argument)
{
    (void)space;
    (void)list;
    (void)argument;
    return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write,
                      void *argument)
{
    const struct probe *probe = argument;
    (void)space;
    if (write)
        return -UNW_EINVAL;
    if (address & MARK_ANY) {
        *value = address ^ MARK_LOADED;
        return 0;
    }
    /* Call-frame information lies in the module; nothing else is the probe's to read. */
    if (address < probe->module_start || address + sizeof *value > probe->module_end)
        return -UNW_EINVAL;
    memcpy(value, (const void *)address, sizeof *value);
    return 0;
}

static int access_reg(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int write,
                      void *argument)
{
    const struct probe *probe = argument;
    (void)space;
    if (write)
        return -UNW_EREADONLYREG;
    switch (number) {
    case UNW_X86_64_RIP:
        *value = probe->pc;
        break;
    case UNW_X86_64_RSP:
        *value = MARK_SP;
        break;
    case UNW_X86_64_RBP:
        *value = MARK_FP;
        break;
    default:
        *value = MARK_OTHER + ((unw_word_t)number << 32);
    }
    return 0;
}

static int access_fpreg(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value,
                        int write, void *argument)
{
    (void)space;
    (void)number;
    (void)value;
    (void)write;
    (void)argument;
    return -UNW_EBADREG;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *argument)
{
    (void)space;
    (void)cursor;
    (void)argument;
    return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t space, unw_word_t address, char *buffer, size_t size,
                         unw_word_t *offset, void *argument)
{
    (void)space;
    (void)address;
    (void)buffer;
    (void)size;
    (void)offset;
    (void)argument;
    return -UNW_ENOINFO;
}

bool recipe_start(void)
{
    static unw_accessors_t accessors = {
        find_proc_info, put_unwind_info, get_dyn_info_list, access_mem, access_reg,
        access_fpreg,   resume,          get_proc_name,
    };
    static const struct {
        const char *name;
        void *function;
    } wanted[] = {
        {"_Ux86_64_create_addr_space", &unwinder.create_addr_space},
        {"_Ux86_64_set_caching_policy", &unwinder.set_caching_policy},
        {"_Ux86_64_init_remote", &unwinder.init_remote},
        {"_Ux86_64_step", &unwinder.step},
        {"_Ux86_64_get_reg", &unwinder.get_reg},
        {"_Ux86_64_dwarf_search_unwind_table", &unwinder.search_unwind_table},
    };
    void *library = dlopen("libunwind-x86_64.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        message(1, "call paths are not recorded: %s", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        void *symbol = dlsym(library, wanted[i].name);
        if (!symbol) {
            message(1, "call paths are not recorded: libunwind lacks %s", wanted[i].name);
            return false;
        }
        memcpy(wanted[i].function, &symbol, sizeof symbol);
    }
    unwinder.space = unwinder.create_addr_space(&accessors, 0);
    if (!unwinder.space)
        return false;
    unwinder.set_caching_policy(unwinder.space, UNW_CACHE_NONE);
    return true;
}

/* Whether VALUE is the mark MARK plus a displacement that a frame can have. */
static bool near_mark(uint64_t value, uint64_t mark, int32_t *displacement)
{
    int64_t difference = (int64_t)(value - mark);
    *displacement = (int32_t)difference;
    return difference == (int32_t)difference;
}

static void read_frame_pointer_rule(struct recipe *recipe, uint64_t cfa, uint64_t fp)
{
    int32_t offset;
    if (fp == MARK_FP) {
        recipe->fp = FP_UNCHANGED;
        return;
    }
    uint64_t slot = fp ^ MARK_LOADED;
    if (near_mark(slot, cfa, &offset) && offset == (int16_t)offset)
        recipe->fp = FP_AT_CFA;
    else if (near_mark(slot, MARK_FP, &offset) && offset == (int16_t)offset)
        recipe->fp = FP_AT_FP;
    else
        recipe->fp = FP_LOST;
    recipe->fp_offset = (int16_t)offset;
}

static enum recipe_kind read_cfa_rule(struct recipe *recipe, uint64_t cfa, uint64_t return_pc)
{
    if (return_pc != ((cfa - 8) ^ MARK_LOADED))
        return RECIPE_FAIL;
    if (near_mark(cfa, MARK_SP, &recipe->cfa_offset))
        return RECIPE_SP;
    if (near_mark(cfa, MARK_FP, &recipe->cfa_offset))
        return RECIPE_FP;
    if (near_mark(cfa ^ MARK_LOADED, MARK_FP, &recipe->cfa_offset))
        return RECIPE_MEMORY;
    return RECIPE_FAIL;
}

/*
 * Whether a signal handler returns to the address after PC.  Like every debugger, by its code:
 * the kernel's interface fixes what it must do.  Compared byte by byte, to read no further than
 * code that looks like it.
 */
static bool is_signal_trampoline(const struct probe *probe)
{
    /* mov $SYS_rt_sigreturn, %rax; syscall */
    static const unsigned char expected[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    const unsigned char *code = (const unsigned char *)probe->pc + 1;
    for (size_t i = 0; i < sizeof expected; i++)
        if ((uintptr_t)(code + i) >= probe->module_end || code[i] != expected[i])
            return false;
    return true;
}

/* Lets libunwind step out of PROBE's address; its status, negative where nothing is known. */
static int step_probe(struct probe *probe, unw_cursor_t *cursor)
{
    if (unwinder.init_remote(cursor, unwinder.space, probe) < 0)
        return -UNW_EINVAL;
    int status = unwinder.step(cursor);
    /* Without unwind information libunwind guesses; a guess is not a rule. */
    return probe->function ? status : -UNW_ENOINFO;
}

static void learn(struct recipe *recipe, uintptr_t pc)
{
    struct probe probe = {.pc = pc};
    unw_cursor_t cursor;
    *recipe = (struct recipe){.pc = pc, .kind = RECIPE_FAIL};
    struct dl_find_object object;
    if (!unwinder.space || _dl_find_object((void *)pc, &object) != 0)
        return;
    probe.module_start = (uintptr_t)object.dlfo_map_start;
    probe.module_end = (uintptr_t)object.dlfo_map_end;
    if (is_signal_trampoline(&probe)) {
        recipe->kind = RECIPE_SIGNAL;
        return;
    }
    int status = step_probe(&probe, &cursor);
    if (!probe.function) {
        /* A stack may be prepared to return to the very start of a function that ends it. */
        probe.pc = pc + 1;
        status = step_probe(&probe, &cursor);
    }
    recipe->function = probe.function;
    if (status < 0)
        return;
    unw_word_t cfa = 0, fp = 0, return_pc = 0;
    unwinder.get_reg(&cursor, UNW_REG_IP, &return_pc);
    if (status == 0 || return_pc == 0) {
        recipe->kind = RECIPE_END;
        return;
    }
    unwinder.get_reg(&cursor, UNW_REG_SP, &cfa);
    unwinder.get_reg(&cursor, UNW_X86_64_RBP, &fp);
    recipe->kind = (uint8_t)read_cfa_rule(recipe, cfa, return_pc);
    if (recipe->kind != RECIPE_FAIL)
        read_frame_pointer_rule(recipe, cfa, fp);
}

static void insert(const struct recipe *recipe, size_t first)
{
    /* Somebody else is writing, perhaps the code this handler interrupted: do without. */
    if (__atomic_test_and_set(&table_writer, __ATOMIC_ACQUIRE))
        return;
    for (size_t i = 0; i < TABLE_PROBES; i++) {
        struct recipe *entry = &table[(first + i) % TABLE_SIZE];
        if (entry->pc != 0)
            continue;
        entry->function = recipe->function;
        entry->cfa_offset = recipe->cfa_offset;
        entry->fp_offset = recipe->fp_offset;
        entry->kind = recipe->kind;
        entry->fp = recipe->fp;
        __atomic_store_n(&entry->pc, recipe->pc, __ATOMIC_RELEASE);
        break;
    }
    __atomic_clear(&table_writer, __ATOMIC_RELEASE);
}

const struct recipe *recipe_find_async(uintptr_t pc, struct recipe *scratch)
{
    size_t first = (pc * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - TABLE_BITS);
    for (size_t i = 0; i < TABLE_PROBES; i++) {
        const struct recipe *entry = &table[(first + i) % TABLE_SIZE];
        uintptr_t found = __atomic_load_n(&entry->pc, __ATOMIC_ACQUIRE);
        if (found == pc)
            return entry;
        if (found == 0)
            break;
    }
    learn(scratch, pc);
    insert(scratch, first);
    return scratch;
}
