/* See safe_writes.h. */
#include "archive/safe_writes.h"

#include "arch/arch.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static __thread struct {
    bool on;
    int error; /* of the first write that failed */
} writes __attribute__((tls_model("initial-exec")));

static void note_failure(void)
{
    if (!writes.error)
        writes.error = errno ? errno : EIO;
}

static size_t write_safely(const void *bytes, size_t size, size_t count, FILE *file)
{
    if (!writes.on)
        return fwrite(bytes, size, count, file);
    if (!writes.error && fwrite(bytes, size, count, file) != count)
        note_failure();
    return count;
}

static int seek_safely(FILE *file, long offset, int whence)
{
    const int result = fseek(file, offset, whence);
    if (result == 0 || !writes.on)
        return result;
    note_failure();
    return 0;
}

static int close_safely(FILE *file)
{
    const int result = fclose(file);
    if (result == 0 || !writes.on)
        return result;
    note_failure();
    return 0;
}

static const struct {
    const char *symbol;
    uintptr_t function;
} replaced[] = {{"fwrite", (uintptr_t)write_safely},
                {"fseek", (uintptr_t)seek_safely},
                {"fclose", (uintptr_t)close_safely}};

enum { REPLACED = sizeof replaced / sizeof *replaced };

/* A module's relocations of words that lead to functions of others. */
struct words {
    const char *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * lists[2];
    size_t bytes[2];
};

/* The loader has added the load base to addresses in the dynamic section. */
static struct words find_words(const struct link_map *module)
{
    struct words words = {.strings = NULL};
    for (const ElfW(Dyn) *entry = module->l_ld; entry->d_tag != DT_NULL; entry++) {
        const void *at = (const void *)entry->d_un.d_ptr;
        switch (entry->d_tag) {
        case DT_STRTAB:
            words.strings = at;
            break;
        case DT_SYMTAB:
            words.symbols = at;
            break;
        case DT_JMPREL:
            words.lists[0] = at;
            break;
        case DT_PLTRELSZ:
            words.bytes[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            words.lists[1] = at;
            break;
        case DT_RELASZ:
            words.bytes[1] = entry->d_un.d_val;
            break;
        }
    }
    return words;
}

/* Stores FUNCTION in the word at PLACE, which the loader may have made read-only. */
static bool store(uintptr_t *place, uintptr_t function)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (*place == function)
        return true;
    if (mprotect((void *)((uintptr_t)place & ~(page - 1)), page, PROT_READ | PROT_WRITE) != 0)
        return false;
    __atomic_store_n(place, function, __ATOMIC_RELEASE);
    return true;
}

/* Sets the bit of the function that RELOCATION of MODULE leads to, if it is replaced now. */
static unsigned replace(const struct link_map *module, const struct words *words,
                        const ElfW(Rela) * relocation)
{
    const ElfW(Sym) *symbol = &words->symbols[ELF64_R_SYM(relocation->r_info)];
    for (unsigned i = 0; arch_fills_function_word(relocation->r_info) && i < REPLACED; i++)
        if (strcmp(words->strings + symbol->st_name, replaced[i].symbol) == 0 &&
            store((uintptr_t *)(module->l_addr + relocation->r_offset), replaced[i].function))
            return 1U << i;
    return 0;
}

bool safe_writes_install(void *library)
{
    struct link_map *module = NULL;
    unsigned found = 0;
    if (dlinfo(library, RTLD_DI_LINKMAP, &module) != 0 || !module)
        return false;
    const struct words words = find_words(module);
    if (!words.strings || !words.symbols)
        return false;
    for (int list = 0; list < 2; list++)
        for (size_t i = 0; words.lists[list] && i < words.bytes[list] / sizeof(ElfW(Rela)); i++)
            found |= replace(module, &words, &words.lists[list][i]);
    return found == (1U << REPLACED) - 1;
}

void safe_writes_begin(void)
{
    writes.on = true;
    writes.error = 0;
}

int safe_writes_end(void)
{
    writes.on = false;
    return writes.error;
}
