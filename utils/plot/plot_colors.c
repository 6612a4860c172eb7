/*
 * Colour scales, computed along a path in Oklab (B. Ottosson, "A perceptual color space for
 * image processing", 2020), where equal distances look equally far: lightness falls all the
 * way, and what lies on the path is divided by its length.  See plot_colors.h.
 */
#include "plot/plot_colors.h"

#include <math.h>
#include <stdbool.h>

#define PATH_POINTS 2048
#define RADIANS     (3.14159265358979323846 / 180)

struct oklab {
    double l, a, b;
};

/* Linear light. */
struct light {
    double r, g, b;
};

static struct light light_of(struct oklab color)
{
    double l = color.l + 0.3963377774 * color.a + 0.2158037573 * color.b;
    double m = color.l - 0.1055613458 * color.a - 0.0638541728 * color.b;
    double s = color.l - 0.0894841775 * color.a - 1.2914855480 * color.b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return (struct light){+4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

static struct oklab oklab_of(struct light light)
{
    double l = cbrt(0.4122214708 * light.r + 0.5363325363 * light.g + 0.0514459929 * light.b);
    double m = cbrt(0.2119034982 * light.r + 0.6806995451 * light.g + 0.1073969566 * light.b);
    double s = cbrt(0.0883024619 * light.r + 0.2817188376 * light.g + 0.6299787005 * light.b);
    return (struct oklab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

/* The curve of sRGB, IEC 61966-2-1. */
static double encode(double light)
{
    return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
}

static double decode(uint32_t byte)
{
    double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static struct oklab from_color(rgb color)
{
    return oklab_of((struct light){decode(color >> 16 & 0xff), decode(color >> 8 & 0xff),
                                   decode(color & 0xff)});
}

static bool can_be_shown(struct light light)
{
    return fmin(fmin(light.r, light.g), light.b) >= 0 &&
           fmax(fmax(light.r, light.g), light.b) <= 1;
}

static uint32_t byte_of(double light)
{
    return (uint32_t)lround(255 * encode(fmin(fmax(light, 0), 1)));
}

static rgb to_color(struct oklab color)
{
    struct light light = light_of(color);
    return byte_of(light.r) << 16 | byte_of(light.g) << 8 | byte_of(light.b);
}

/* The colour of that lightness and hue (degrees), as strong as CHROMA where it can be. */
static struct oklab strongest(double lightness, double hue, double chroma)
{
    struct oklab color;
    do {
        color =
            (struct oklab){lightness, chroma * cos(hue * RADIANS), chroma * sin(hue * RADIANS)};
        chroma -= 0.001;
    } while (chroma > 0 && !can_be_shown(light_of(color)));
    return color;
}

static double distance(struct oklab x, struct oklab y)
{
    return sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) +
                (x.b - y.b) * (x.b - y.b));
}

double color_lightness(rgb color)
{
    return from_color(color).l;
}

double color_difference(rgb a, rgb b)
{
    return distance(from_color(a), from_color(b));
}

/* COUNT colours at equal distances along the path that POINT describes for shares 0 to 1. */
static void fill(rgb *colors, size_t count, struct oklab (*point)(double share))
{
    double lengths[PATH_POINTS] = {0};
    for (size_t i = 1; i < PATH_POINTS; i++)
        lengths[i] = lengths[i - 1] + distance(point((double)(i - 1) / (PATH_POINTS - 1)),
                                               point((double)i / (PATH_POINTS - 1)));
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        double wanted = lengths[PATH_POINTS - 1] * (double)i / (double)(count - 1);
        while (at + 1 < PATH_POINTS && lengths[at] < wanted)
            at++;
        colors[i] = to_color(point((double)at / (PATH_POINTS - 1)));
    }
}

/* Pale yellow, orange, red, purple, nearly black. */
static struct oklab sequential_point(double share)
{
    return strongest(0.97 - 0.75 * share, 105 - 165 * share, 0.05 + 0.13 * sin(3.0 * share));
}

static struct oklab falling_point(double share)
{
    return strongest(0.40 + 0.56 * share, 255, 0.14 * (1 - share));
}

static struct oklab rising_point(double share)
{
    return strongest(0.96 - 0.56 * share, 50, 0.14 * share);
}

void palette_sequential(struct palette *palette)
{
    palette->colors[COLOR_MISSING] = COLOR_NONE;
    fill(palette->colors + 1, COLOR_STEPS, sequential_point);
}

void palette_diverging(struct palette *palette)
{
    palette->colors[COLOR_MISSING] = COLOR_NONE;
    /* Both halves have the one in the middle. */
    fill(palette->colors + 1, COLOR_STEPS / 2 + 1, falling_point);
    fill(palette->colors + 1 + COLOR_STEPS / 2, COLOR_STEPS / 2 + 1, rising_point);
}

uint8_t palette_index(double share)
{
    if (isnan(share))
        return COLOR_MISSING;
    return (uint8_t)(1 + lround(fmin(fmax(share, 0), 1) * (COLOR_STEPS - 1)));
}
