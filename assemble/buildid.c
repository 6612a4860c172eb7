/* See buildid.h. */
#include "assemble/buildid.h"

#include <elf.h>
#include <string.h>

const unsigned char *buildid_find_async(const void *notes, size_t size, size_t alignment,
                                        size_t *length)
{
    const unsigned char *bytes = notes;
    size_t at = 0, mask = alignment == 8 ? 7 : 3;
    while (at < size && size - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, bytes + at, sizeof note);
        size_t name = at + sizeof note;
        size_t content = (name + note.n_namesz + mask) & ~mask;
        if (content > size || note.n_descsz > size - content)
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(bytes + name, "GNU", 4) == 0) {
            *length = note.n_descsz;
            return note.n_descsz <= BUILDID_MOST_BYTES ? bytes + content : NULL;
        }
        at = (content + note.n_descsz + mask) & ~mask;
    }
    return NULL;
}

void buildid_text(const unsigned char *id, size_t length, char text[BUILDID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length && i < BUILDID_MOST_BYTES; i++) {
        *text++ = digits[id[i] >> 4];
        *text++ = digits[id[i] & 15];
    }
    *text = '\0';
}
