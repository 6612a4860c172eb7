/*
 * Call-frame information, read here and by libunwind: the same rule at every address of the
 * functions of this program's modules, and of libraries of other languages where they are
 * installed.
 *
 *     TEST_CFI=all test_cfi      at all addresses instead of some of each function
 *     test_cfi FILE ...          of these libraries too
 */
#include "dwarf/cfi.h"

#include "libunwind_rules.h"
#include "tap.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { WRONG_SHOWN = 8, SOME = 6 };

static bool all;
static unsigned long functions, compared, wrong, refused, outermost;

static struct module_image image_of(const struct dl_find_object *object)
{
    return (struct module_image){.low = (uintptr_t)object->dlfo_map_start,
                                 .high = (uintptr_t)object->dlfo_map_end,
                                 .header = object->dlfo_eh_frame};
}

/* VALUE in libunwind's marks; 0 for what has none. */
static uint64_t marked(struct cfi_value value, uint64_t cfa)
{
    uint64_t base = value.base == CFI_SP    ? MARK_SP
                    : value.base == CFI_FP  ? MARK_FP
                    : value.base == CFI_AUX ? MARK_BX
                    : value.base == CFI_CFA ? cfa
                                            : 0;
    uint64_t sum = base + (uint64_t)value.offset;
    return !base ? 0 : value.loaded ? sum ^ MARK_LOADED : sum;
}

static bool same(enum cfi_found found, const struct cfi_frame *frame,
                 const struct libunwind_rule *rule)
{
    if (found == CFI_NONE || rule->function == 0)
        return found == CFI_NONE && rule->function == 0;
    if (frame->function != rule->function)
        return false;
    if (frame->outermost || rule->return_pc == 0) {
        outermost++;
        return frame->outermost && rule->return_pc == 0;
    }
    uint64_t cfa = marked(frame->cfa, 0), fp = marked(frame->fp, cfa),
             bx = marked(frame->aux, cfa);
    if (!cfa || !marked(frame->return_address, cfa) || frame->signal) {
        /* Another register leads out of the frame: no rule, whatever libunwind says. */
        refused++;
        return true;
    }
    return cfa == rule->cfa && marked(frame->return_address, cfa) == rule->return_pc &&
           (fp == rule->fp || fp == 0) && (bx == rule->bx || bx == 0);
}

static void compare(const struct module_image *module, uintptr_t pc)
{
    struct cfi_frame frame;
    struct libunwind_rule rule;
    enum cfi_found found = cfi_find_async(module, pc, &frame);
    libunwind_rule(pc, &rule);
    compared++;
    if (same(found, &frame, &rule) || ++wrong > WRONG_SHOWN)
        return;
    Dl_info info = {0};
    dladdr((void *)pc, &info);
    printf("# %s %s %#lx: found %d, function %#lx/%#lx, cfa %d%+ld/%#lx, fp %d%+ld/%#lx, "
           "return %d%+ld/%#lx\n",
           info.dli_fname ? info.dli_fname : "?", info.dli_sname ? info.dli_sname : "?",
           (unsigned long)(pc - (uintptr_t)info.dli_fbase), found,
           (unsigned long)frame.function, (unsigned long)rule.function, frame.cfa.base,
           (long)frame.cfa.offset, (unsigned long)rule.cfa, frame.fp.base,
           (long)frame.fp.offset, (unsigned long)rule.fp, frame.return_address.base,
           (long)frame.return_address.offset, (unsigned long)rule.return_pc);
}

/* Places all over a function, its ends in any case. */
static void compare_function(const struct module_image *module, uintptr_t start, uintptr_t end)
{
    uintptr_t size = end - start;
    functions++;
    for (uintptr_t at = 0; at < size && (all || at < SOME); at++)
        compare(module, start + at);
    for (uintptr_t i = 1; !all && i <= SOME; i++) {
        compare(module, start + (functions * UINT64_C(2654435761) * i >> 7) % size);
        compare(module, end - i);
    }
}

static int compare_module(struct dl_phdr_info *loaded, size_t size, void *context)
{
    struct dl_find_object object;
    (void)size;
    (void)context;
    for (int i = 0; i < loaded->dlpi_phnum; i++) {
        uintptr_t header = loaded->dlpi_addr + loaded->dlpi_phdr[i].p_vaddr;
        if (loaded->dlpi_phdr[i].p_type != PT_GNU_EH_FRAME ||
            _dl_find_object((void *)header, &object) != 0)
            continue;
        struct module_image module = image_of(&object);
        /* The table that every linker writes: starts of functions relative to the header. */
        const int32_t *words = (const int32_t *)header;
        uintptr_t last = 0;
        for (int32_t pair = 0; pair < words[2]; pair++) {
            uintptr_t start = header + (uintptr_t)(intptr_t)words[3 + 2 * pair];
            if (last && start > last && (uint32_t)pair % tap_stride() == 0)
                compare_function(&module, last, start);
            last = start;
        }
    }
    return 0;
}

int main(int count, char **files)
{
    static const char *const libraries[] = {
        "libstdc++.so.6", "libgfortran.so.5",     "libmpi.so.12",
        "libmpich.so.12", "libunwind.so.8",       "libdw.so.1",
        "libcrypto.so.3", "libpython3.11.so.1.0", "libLLVM-14.so.1"};
    all = getenv("TEST_CFI") && strcmp(getenv("TEST_CFI"), "all") == 0;
    for (size_t i = 0; i < (all ? 9 : 4); i++)
        dlopen(libraries[i], RTLD_LAZY);
    for (int i = 1; i < count; i++)
        if (!dlopen(files[i], RTLD_LAZY))
            printf("# %s\n", dlerror());
    OK(libunwind_rules_start(), "libunwind is there");
    dl_iterate_phdr(compare_module, NULL);
    OK(functions > 1000, "%lu functions, %lu addresses", functions, compared);
    EQ_INT(wrong, 0, "every rule is the one that libunwind finds");
    OK(outermost > 0, "outermost frames are among them: %lu", outermost);
    OK(refused * 100 < compared, "hardly any depend on other registers: %lu", refused);
    return tap_done();
}
