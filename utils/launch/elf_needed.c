/* A reader of ELF dynamic sections that trusts nothing in the file.  See elf_needed.h. */
#include "launch/elf_needed.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const unsigned char *bytes;
    size_t size;
};

/* SIZE bytes at OFFSET, or NULL.  They may lie unaligned: copy structures out. */
static const void *at(const struct image *image, uint64_t offset, uint64_t size)
{
    if (offset > image->size || size > image->size - offset)
        return NULL;
    return image->bytes + offset;
}

static bool copy_at(const struct image *image, uint64_t offset, void *to, size_t size)
{
    const void *from = at(image, offset, size);
    if (from)
        memcpy(to, from, size);
    return from != NULL;
}

static bool read_header(const struct image *image, Elf64_Ehdr *header)
{
    const uint16_t probe = 1;
    unsigned char little;
    memcpy(&little, &probe, 1);
    return copy_at(image, 0, header, sizeof *header) &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == (little ? ELFDATA2LSB : ELFDATA2MSB);
}

static bool read_segment(const struct image *image, const Elf64_Ehdr *header, size_t index,
                         Elf64_Phdr *segment)
{
    uint64_t offset;
    return !__builtin_add_overflow(header->e_phoff, index * sizeof *segment, &offset) &&
           copy_at(image, offset, segment, sizeof *segment);
}

/* Where the byte at virtual ADDRESS lies in the file; the file's size if nowhere. */
static uint64_t file_offset(const struct image *image, const Elf64_Ehdr *header,
                            uint64_t address)
{
    Elf64_Phdr segment;
    for (size_t i = 0; i < header->e_phnum && read_segment(image, header, i, &segment); i++)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return image->size;
}

static bool find_segment(const struct image *image, const Elf64_Ehdr *header, uint32_t type,
                         Elf64_Phdr *segment)
{
    for (size_t i = 0; i < header->e_phnum && read_segment(image, header, i, segment); i++)
        if (segment->p_type == type)
            return true;
    return false;
}

/* The I-th entry of the dynamic section; false at its end. */
static bool read_entry(const struct image *image, const Elf64_Phdr *dynamic, uint64_t i,
                       Elf64_Dyn *entry)
{
    uint64_t offset;
    return i < dynamic->p_filesz / sizeof *entry &&
           !__builtin_add_overflow(dynamic->p_offset, i * sizeof *entry, &offset) &&
           copy_at(image, offset, entry, sizeof *entry) && entry->d_tag != DT_NULL;
}

static void visit_names(const struct image *image, const Elf64_Phdr *dynamic, uint64_t strings,
                        bool (*visit)(void *context, const char *name), void *context)
{
    Elf64_Dyn entry;
    for (uint64_t i = 0; read_entry(image, dynamic, i, &entry); i++) {
        uint64_t offset;
        if (entry.d_tag != DT_NEEDED ||
            __builtin_add_overflow(strings, entry.d_un.d_val, &offset) || offset >= image->size)
            continue;
        const char *name = (const char *)image->bytes + offset;
        if (memchr(name, '\0', image->size - offset) && !visit(context, name))
            return;
    }
}

static void read_image(const struct image *image,
                       bool (*visit)(void *context, const char *name), void *context)
{
    Elf64_Ehdr header;
    Elf64_Phdr dynamic;
    Elf64_Dyn entry;
    if (!read_header(image, &header) || header.e_phentsize != sizeof dynamic ||
        !find_segment(image, &header, PT_DYNAMIC, &dynamic))
        return;
    for (uint64_t i = 0; read_entry(image, &dynamic, i, &entry); i++)
        if (entry.d_tag == DT_STRTAB) {
            uint64_t strings = file_offset(image, &header, entry.d_un.d_ptr);
            visit_names(image, &dynamic, strings, visit, context);
            return;
        }
}

/* Maps a file, for the caller to unmap; false if it is none, or empty. */
static bool map_image(const char *path, struct image *image)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    void *bytes = MAP_FAILED;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return false;
    *image = (struct image){bytes, (size_t)status.st_size};
    return true;
}

static void unmap_image(const struct image *image)
{
    munmap((void *)image->bytes, image->size);
}

void elf_needed(const char *path, bool (*visit)(void *context, const char *name), void *context)
{
    struct image image;
    if (!map_image(path, &image))
        return;
    read_image(&image, visit, context);
    unmap_image(&image);
}

bool elf_loader(const char *path, char *loader, size_t size)
{
    struct image image;
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    if (!map_image(path, &image))
        return false;
    bool found = read_header(&image, &header) && header.e_phentsize == sizeof segment &&
                 find_segment(&image, &header, PT_INTERP, &segment) && segment.p_filesz > 0 &&
                 segment.p_filesz <= size &&
                 copy_at(&image, segment.p_offset, loader, segment.p_filesz) &&
                 !loader[segment.p_filesz - 1];
    unmap_image(&image);
    return found;
}
