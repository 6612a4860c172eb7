/* See packets.h. */
#include "network/packets.h"

enum { PARTS = 16, STEPS_LEAST = 2, PACKETS_LEAST = 3 };

/* So much of what a line leaves unexplained may be left: by chance it is nearly all. */
static const double left_most = 0.25;

/* How many packets the message has that is number I, of I + 1 steps; PACKET is in parts. */
static double packets_of(size_t i, size_t packet)
{
    return (double)(((i + 1) * PARTS + packet - 1) / packet);
}

/*
 * The sum of squares that are left of the times by the best o · packets + c · length, with
 * neither below zero; of a line, which is one packet for all lengths, if PACKET is 0.
 */
static double rest_of(const double *seconds, size_t count, size_t packet)
{
    double pp = 0, pl = 0, ll = 0, pt = 0, lt = 0, rest = 0;
    for (size_t i = 0; i < count; i++) {
        const double packets = packet ? packets_of(i, packet) : 1, length = (double)(i + 1);
        pp += packets * packets;
        pl += packets * length;
        ll += length * length;
        pt += packets * seconds[i];
        lt += length * seconds[i];
    }
    const double whole = pp * ll - pl * pl;
    double overhead = whole > 0 ? (pt * ll - lt * pl) / whole : 0,
           slope = whole > 0 ? (pp * lt - pl * pt) / whole : 0;
    if (slope < 0) {
        slope = 0;
        overhead = pt / pp;
    } else if (overhead < 0) {
        overhead = 0;
        slope = lt / ll;
    }
    for (size_t i = 0; i < count; i++) {
        const double packets = packet ? packets_of(i, packet) : 1;
        const double off = seconds[i] - overhead * packets - slope * (double)(i + 1);
        rest += off * off;
    }
    return rest;
}

uint64_t packets_find(const double *seconds, size_t count, uint64_t step)
{
    const double line = rest_of(seconds, count, 0);
    double least = line;
    size_t best = 0;
    for (size_t packet = STEPS_LEAST * PARTS; packet * PACKETS_LEAST <= count * PARTS;
         packet++) {
        const double rest = rest_of(seconds, count, packet);
        if (rest < least) {
            least = rest;
            best = packet;
        }
    }
    return best > 0 && line > 0 && least <= left_most * line ? best * step / PARTS
                                                             : PACKETS_NONE;
}
