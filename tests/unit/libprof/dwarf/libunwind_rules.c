/* See libunwind_rules.h. */
#include "libunwind_rules.h"

#include <dlfcn.h>
#include <libunwind-x86_64.h>
#include <string.h>

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

int _Ux86_64_dwarf_search_unwind_table(unw_addr_space_t, unw_word_t, unw_dyn_info_t *,
                                       unw_proc_info_t *, int, void *);

static unw_addr_space_t space;

static int find_proc_info(unw_addr_space_t in, unw_word_t ip, unw_proc_info_t *info,
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
    int status = _Ux86_64_dwarf_search_unwind_table(in, ip, &table_info, info, need_unwind_info,
                                                    argument);
    if (status == 0)
        probe->function = info->start_ip;
    return status;
}

static void put_unwind_info(unw_addr_space_t in, unw_proc_info_t *info, void *argument)
{
    (void)in;
    (void)info;
    (void)argument;
}

static int get_dyn_info_list(unw_addr_space_t in, unw_word_t *list, void *argument)
{
    (void)in;
    (void)list;
    (void)argument;
    return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t in, unw_word_t address, unw_word_t *value, int write,
                      void *argument)
{
    const struct probe *probe = argument;
    (void)in;
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

static int access_reg(unw_addr_space_t in, unw_regnum_t number, unw_word_t *value, int write,
                      void *argument)
{
    const struct probe *probe = argument;
    (void)in;
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

static int access_fpreg(unw_addr_space_t in, unw_regnum_t number, unw_fpreg_t *value, int write,
                        void *argument)
{
    (void)in;
    (void)number;
    (void)value;
    (void)write;
    (void)argument;
    return -UNW_EBADREG;
}

static int resume(unw_addr_space_t in, unw_cursor_t *cursor, void *argument)
{
    (void)in;
    (void)cursor;
    (void)argument;
    return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t in, unw_word_t address, char *buffer, size_t size,
                         unw_word_t *offset, void *argument)
{
    (void)in;
    (void)address;
    (void)buffer;
    (void)size;
    (void)offset;
    (void)argument;
    return -UNW_ENOINFO;
}

bool libunwind_rules_start(void)
{
    static unw_accessors_t accessors = {
        find_proc_info, put_unwind_info, get_dyn_info_list, access_mem, access_reg,
        access_fpreg,   resume,          get_proc_name,
    };
    space = unw_create_addr_space(&accessors, 0);
    if (!space)
        return false;
    unw_set_caching_policy(space, UNW_CACHE_NONE);
    return true;
}

void libunwind_rule(uintptr_t pc, struct libunwind_rule *rule)
{
    struct probe probe = {.pc = pc};
    unw_cursor_t cursor;
    struct dl_find_object object;
    *rule = (struct libunwind_rule){.status = -UNW_ENOINFO};
    if (_dl_find_object((void *)pc, &object) != 0)
        return;
    probe.module_start = (uintptr_t)object.dlfo_map_start;
    probe.module_end = (uintptr_t)object.dlfo_map_end;
    if (unw_init_remote(&cursor, space, &probe) < 0)
        return;
    rule->status = unw_step(&cursor);
    /* Without unwind information libunwind guesses; a guess is not a rule. */
    rule->function = probe.function;
    unw_get_reg(&cursor, UNW_REG_IP, &rule->return_pc);
    unw_get_reg(&cursor, UNW_REG_SP, &rule->cfa);
    unw_get_reg(&cursor, UNW_X86_64_RBP, &rule->fp);
    unw_get_reg(&cursor, UNW_X86_64_RBX, &rule->bx);
}
