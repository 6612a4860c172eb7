/*
 * Reading what an ELF file needs, with libelf.  As the loader does, this looks at segments: a
 * file may have no sections.  See elf_needed.h.
 */
#include "launch/elf_needed.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    int file;
    Elf *elf;
};

static void close_image(struct image *image)
{
    elf_end(image->elf);
    close(image->file);
}

static bool is_native(Elf *elf)
{
    GElf_Ehdr header;
    const unsigned char native =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    return elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 &&
           gelf_getehdr(elf, &header) && header.e_ident[EI_DATA] == native;
}

/* Opens a regular file that is ELF as this machine has it; false if it is not. */
static bool open_image(struct image *image, const char *path)
{
    struct stat status;
    elf_version(EV_CURRENT);
    image->elf = NULL;
    image->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (image->file < 0)
        return false;
    if (fstat(image->file, &status) == 0 && S_ISREG(status.st_mode))
        image->elf = elf_begin(image->file, ELF_C_READ_MMAP, NULL);
    if (is_native(image->elf))
        return true;
    close_image(image);
    return false;
}

/* The first segment of TYPE that ADDRESS lies in; 0 stands for any address. */
static bool find_segment(Elf *elf, uint32_t type, uint64_t address, GElf_Phdr *segment)
{
    size_t count;
    if (elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, segment); i++)
        if (segment->p_type == type &&
            (address == 0 ||
             (address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)))
            return true;
    return false;
}

/* The string at OFFSET in the file; NULL if it does not end in it.  Gone with ELF. */
static const char *string_at(Elf *elf, uint64_t offset)
{
    size_t size;
    const char *bytes = elf_rawfile(elf, &size);
    if (!bytes || offset >= size || !memchr(bytes + offset, '\0', size - offset))
        return NULL;
    return bytes + offset;
}

/* Finds the dynamic section, and the offset in the file of the strings that it refers to. */
static Elf_Data *find_dynamic(Elf *elf, uint64_t *strings)
{
    GElf_Phdr segment;
    GElf_Dyn entry;
    if (!find_segment(elf, PT_DYNAMIC, 0, &segment))
        return NULL;
    Elf_Data *dynamic =
        elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_DYN);
    for (int i = 0; gelf_getdyn(dynamic, i, &entry) && entry.d_tag != DT_NULL; i++) {
        if (entry.d_tag != DT_STRTAB)
            continue;
        uint64_t address = entry.d_un.d_ptr;
        bool found = address != 0 && find_segment(elf, PT_LOAD, address, &segment);
        *strings = segment.p_offset + (address - segment.p_vaddr);
        return found ? dynamic : NULL;
    }
    return NULL;
}

static void visit_names(Elf *elf, bool (*visit)(void *context, const char *name), void *context)
{
    GElf_Dyn entry;
    uint64_t strings = 0;
    Elf_Data *dynamic = find_dynamic(elf, &strings);
    for (int i = 0; gelf_getdyn(dynamic, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *name =
            entry.d_tag == DT_NEEDED ? string_at(elf, strings + entry.d_un.d_val) : NULL;
        if (name && !visit(context, name))
            return;
    }
}

void elf_needed(const char *path, bool (*visit)(void *context, const char *name), void *context)
{
    struct image image;
    if (!open_image(&image, path))
        return;
    visit_names(image.elf, visit, context);
    close_image(&image);
}

bool elf_is_native(const char *path)
{
    struct image image;
    bool native = open_image(&image, path);
    if (native)
        close_image(&image);
    return native;
}

bool elf_loader(const char *path, char *loader, size_t size)
{
    struct image image;
    GElf_Phdr segment;
    if (!open_image(&image, path))
        return false;
    const char *name = find_segment(image.elf, PT_INTERP, 0, &segment)
                           ? string_at(image.elf, segment.p_offset)
                           : NULL;
    bool found = name && *name && strlen(name) < size;
    if (found)
        strcpy(loader, name);
    close_image(&image);
    return found;
}
