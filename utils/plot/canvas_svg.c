/*
 * Pictures as SVG 1.1, with texts as texts: they can be searched, read out and edited.  Widths
 * of texts are those of the widest fonts that are common, since it is not known which will be
 * there; so the same picture is the same file everywhere.  See canvas.h.
 */
#include "base/base.h"
#include "plot/canvas_backend.h"
#include "plot/png.h"
#include "print/print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct svg {
    struct canvas canvas;
    FILE *stream;
    struct text path; /* the value of `d` so far */
    double x, y;      /* where it is, as written */
};

static struct svg *svg_of(struct canvas *canvas)
{
    return (struct svg *)canvas;
}

/* VALUE with two decimals, and no more digits than it needs. */
static const char *number(char out[32], double value)
{
    snprintf(out, 32, "%.2f", value);
    char *end = out + strlen(out);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        *--end = '\0';
    return strcmp(out, "-0") == 0 ? "0" : out;
}

static double rounded(double value)
{
    return round(value * 100) / 100;
}

/* Not in XML, and yet UTF-8: U+FFFE and U+FFFF. */
static bool is_noncharacter(const char *at)
{
    return memcmp(at, "\xef\xbf\xbe", 3) == 0 || memcmp(at, "\xef\xbf\xbf", 3) == 0;
}

static void write_text(FILE *stream, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        case '\xef':
            if (is_noncharacter(text)) {
                fputs("\xef\xbf\xbd", stream);
                text += 2;
                break;
            }
            /* fall through */
        default:
            putc(*text, stream);
        }
}

static void describe(struct canvas *canvas, const char *title, const char *description)
{
    FILE *stream = svg_of(canvas)->stream;
    fputs("<title>", stream);
    write_text(stream, title);
    fputs("</title>\n<desc>", stream);
    write_text(stream, description);
    fputs("</desc>\n", stream);
}

static void begin_group(struct canvas *canvas, const char *class, const char *attributes)
{
    fprintf(svg_of(canvas)->stream, "<g class=\"%s\"%s>\n", class, attributes);
}

static void end_group(struct canvas *canvas)
{
    fputs("</g>\n", svg_of(canvas)->stream);
}

static void add_point(struct svg *svg, char command, double x, double y)
{
    char digits[2][32];
    text_addf(&svg->path, "%c%s %s", command, number(digits[0], x), number(digits[1], y));
    svg->x = rounded(x);
    svg->y = rounded(y);
}

static void move(struct canvas *canvas, double x, double y)
{
    add_point(svg_of(canvas), 'M', x, y);
}

/* Most lines of graphs are horizontal or vertical. */
static void line(struct canvas *canvas, double x, double y)
{
    struct svg *svg = svg_of(canvas);
    char digits[32];
    bool same_x = rounded(x) == svg->x, same_y = rounded(y) == svg->y;
    if (same_x && same_y)
        return;
    if (!same_x && !same_y) {
        add_point(svg, 'L', x, y);
    } else if (same_y) {
        text_addf(&svg->path, "H%s", number(digits, x));
        svg->x = rounded(x);
    } else {
        text_addf(&svg->path, "V%s", number(digits, y));
        svg->y = rounded(y);
    }
}

static void stroke(struct canvas *canvas, rgb color, double width)
{
    struct svg *svg = svg_of(canvas);
    char digits[32];
    fprintf(svg->stream,
            "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"%s\" d=\"%s\"/>\n",
            (unsigned)color, number(digits, width), text_string(&svg->path));
    text_clear(&svg->path);
}

static void fill(struct canvas *canvas, rgb color)
{
    struct svg *svg = svg_of(canvas);
    fprintf(svg->stream, "<path fill=\"#%06x\" d=\"%sZ\"/>\n", (unsigned)color,
            text_string(&svg->path));
    text_clear(&svg->path);
}

static void draw_text(struct canvas *canvas, double x, double y, const struct font *font,
                      const char *text)
{
    static const char *const anchors[] = {
        [ANCHOR_START] = "start", [ANCHOR_MIDDLE] = "middle", [ANCHOR_END] = "end"};
    FILE *stream = svg_of(canvas)->stream;
    char digits[3][32];
    fprintf(stream, "<text x=\"%s\" y=\"%s\" font-size=\"%s\" fill=\"#%06x\"",
            number(digits[0], x), number(digits[1], y), number(digits[2], font->size),
            (unsigned)font->color);
    if (font->anchor != ANCHOR_START)
        fprintf(stream, " text-anchor=\"%s\"", anchors[font->anchor]);
    if (font->bold)
        fputs(" font-weight=\"bold\"", stream);
    if (font->upwards)
        fprintf(stream, " transform=\"rotate(-90 %s %s)\"", digits[0], digits[1]);
    fputs(">", stream);
    write_text(stream, text);
    fputs("</text>\n", stream);
}

/* How wide characters are where they are widest, as shares of the size of the font. */
static double character_width(unsigned char first)
{
    if (first >= 0xe1 && !(first == 0xe2))
        return 1; /* from U+1000 on, Chinese and the like; but not dashes and arrows */
    if (first >= 0x80)
        return 0.8;
    if (strchr("il.,:;'|!j ", first))
        return 0.36;
    if (strchr("frt()[]-/\\\"I", first))
        return 0.46;
    if (strchr("mwMW%@", first))
        return 1;
    if (strchr("+<=>~^_#", first) || (first >= 'A' && first <= 'Z'))
        return 0.85;
    return 0.64;
}

static double text_width(struct canvas *canvas, const struct font *font, const char *text)
{
    double width = 0;
    (void)canvas;
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            width += character_width((unsigned char)*text);
    return width * font->size * (font->bold ? 1.1 : 1);
}

static void image(struct canvas *canvas, double x, double y, double width, double height,
                  const struct raster *raster)
{
    FILE *stream = svg_of(canvas)->stream;
    char digits[4][32];
    struct text png = {0};
    png_add(&png, raster);
    /* Three words for the same: those of SVG 2, of SVG 1.1, of Firefox. */
    fprintf(stream,
            "<image x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" preserveAspectRatio=\"none\" "
            "image-rendering=\"optimizeSpeed\" "
            "style=\"image-rendering:-moz-crisp-edges;image-rendering:pixelated\" "
            "xlink:href=\"data:image/png;base64,",
            number(digits[0], x), number(digits[1], y), number(digits[2], width),
            number(digits[3], height));
    base64_write(stream, (const unsigned char *)png.bytes, png.length);
    fputs("\"/>\n", stream);
    text_free(&png);
}

static bool close_svg(struct canvas *canvas, struct error *error)
{
    struct svg *svg = svg_of(canvas);
    fputs("</svg>\n", svg->stream);
    bool good = !ferror(svg->stream);
    if (!good)
        error_set(error, "the picture cannot be written");
    text_free(&svg->path);
    free(svg);
    return good;
}

static const struct canvas_backend backend = {
    describe, begin_group, end_group,  move,  line,      stroke,
    fill,     draw_text,   text_width, image, close_svg,
};

struct canvas *canvas_open_svg(FILE *stream, double width, double height)
{
    struct svg *svg = allocate(1, sizeof *svg);
    svg->canvas.backend = &backend;
    svg->stream = stream;
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%g\" height=\"%g\" "
            "viewBox=\"0 0 %g %g\" role=\"img\" "
            "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n",
            width, height, width, height);
    return &svg->canvas;
}
