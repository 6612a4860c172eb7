/* See image.h. */
#include "image.h"

#include "assemble/sections.h"
#include "common/format.h"
#include "tests/unit/utils/summary_maker.h"

#include <string.h>

void image_parse(struct image *image, const uint8_t *data, size_t size)
{
    struct decoder in = {data, size, 0, false};
    *image = (struct image){.state = size > 0 ? data[in.at++] : 0};
    while (image->count < IMAGE_SECTIONS && in.size - in.at >= 2) {
        struct image_section *section = &image->sections[image->count++];
        section->kind = data[in.at++];
        section->location = data[in.at++];
        uint64_t wanted = decode_varint(&in);
        size_t left = in.failed ? 0 : in.size - in.at;
        section->size = wanted < left ? (size_t)wanted : left;
        section->content = data + in.at;
        in.at += section->size;
        if (in.failed)
            break;
    }
}

static void encode_image(const struct image *image, struct encoder *out)
{
    encode_bytes(out, &image->state, 1);
    for (size_t i = 0; i < image->count; i++) {
        const struct image_section *section = &image->sections[i];
        encode_bytes(out, &section->kind, 1);
        encode_bytes(out, &section->location, 1);
        encode_varint(out, section->size);
        encode_bytes(out, section->content, section->size);
    }
}

size_t image_store(const struct image *image, uint8_t *data, size_t most)
{
    struct encoder out = {0};
    encode_image(image, &out);
    size_t size = out.failed || out.size > most ? 0 : out.size;
    if (size > 0)
        memcpy(data, out.bytes, size);
    encoder_free(&out);
    return size;
}

static void add_section(const struct image_section *section, struct sections *sections)
{
    struct encoder content = {0};
    uint32_t location = section->location ? section->location - 1u : FORMAT_NO_LOCATION;
    encode_bytes(&content, section->content, section->size);
    sections_add(sections, (enum format_section)section->kind, location, &content);
}

void image_build(const struct image *image, sections_pack *pack, struct encoder *file)
{
    struct sections sections = {.pack = pack};
    for (size_t i = 0; i < image->count; i++)
        add_section(&image->sections[i], &sections);
    const uint64_t front = FORMAT_HEADER_BYTES + image->count * FORMAT_SECTION_BYTES;
    const struct summary_header header = {.state = (enum format_state)image->state,
                                          .size = front + sections.stored.size,
                                          .entries = (uint32_t)image->count};
    summary_header_encode(&header, file);
    sections_encode_map(&sections, front, 0, file);
    encode_bytes(file, sections.stored.bytes, sections.stored.size);
    sections_free(&sections);
}

size_t image_of_maker(const struct maker *maker, uint8_t *data, size_t most)
{
    struct image image = {.state = (uint8_t)maker->state};
    for (uint8_t kind = SECTION_RUN; kind < SECTION_LOCATION; kind++) {
        const struct encoder *content = &maker->sections[kind];
        image.sections[image.count++] =
            (struct image_section){kind, 0, content->size, content->bytes};
    }
    for (uint32_t i = 0; i < maker->location_count; i++)
        image.sections[image.count++] =
            (struct image_section){SECTION_LOCATION, (uint8_t)(i + 1), maker->locations[i].size,
                                   maker->locations[i].bytes};
    if (maker->waits.size > 0)
        image.sections[image.count++] =
            (struct image_section){SECTION_WAITS, 0, maker->waits.size, maker->waits.bytes};
    return image_store(&image, data, most);
}
