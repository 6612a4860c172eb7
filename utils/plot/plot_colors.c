/*
 * Colour scales, and how far colours look apart: by their distance in Oklab (B. Ottosson, "A
 * perceptual color space for image processing", 2020).  See plot_colors.h.
 */
#include "plot/plot_colors.h"

#include <math.h>

#define STOPS(colors) (colors), sizeof(colors) / sizeof(colors)[0]

struct oklab {
    double l, a, b;
};

/* Linear light. */
struct light {
    double r, g, b;
};

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

/*
 * Viridis (van der Walt and Smith, CC0), every 16th part: equal steps look equally large, also
 * in grey.  page/src/ui/colours.ts has the same, and page/test/colours.test.ts compares them.
 */
static const rgb viridis[] = {0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d,
                              0x2c728e, 0x26828e, 0x21918c, 0x1fa088, 0x28ae80, 0x3fbc73,
                              0x5ec962, 0x84d44b, 0xaddc30, 0xd8e219, 0xfde725};

/* Blue, white, red: what is less and what is more. */
static const rgb differences[] = {0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xf7f7f7,
                                  0xf4a582, 0xd6604d, 0xb2182b, 0x67001f};

static uint32_t mixed(rgb from, rgb to, double share, int shift)
{
    double low = from >> shift & 0xff, high = to >> shift & 0xff;
    return (uint32_t)lround(low + share * (high - low)) << shift;
}

static void palette_between(struct palette *palette, const rgb *stops, size_t count)
{
    palette->colors[COLOR_MISSING] = COLOR_NONE;
    palette->colors[COLOR_BELOW] = COLOR_TOO_SMALL;
    palette->colors[COLOR_ABOVE] = COLOR_TOO_LARGE;
    for (size_t i = 0; i < COLOR_STEPS; i++) {
        double at = (double)(i * (count - 1)) / (COLOR_STEPS - 1);
        size_t stop = at < (double)(count - 2) ? (size_t)at : count - 2;
        rgb from = stops[stop], to = stops[stop + 1];
        double share = at - (double)stop;
        palette->colors[1 + i] =
            mixed(from, to, share, 16) | mixed(from, to, share, 8) | mixed(from, to, share, 0);
    }
}

void palette_sequential(struct palette *palette)
{
    palette_between(palette, STOPS(viridis));
}

void palette_diverging(struct palette *palette)
{
    palette_between(palette, STOPS(differences));
}

uint8_t palette_index(double share)
{
    if (isnan(share))
        return COLOR_MISSING;
    if (share < 0 || share > 1)
        return share < 0 ? COLOR_BELOW : COLOR_ABOVE;
    return (uint8_t)(1 + lround(share * (COLOR_STEPS - 1)));
}
