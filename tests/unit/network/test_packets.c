/* The length of packets is found where there are any, and nowhere else. */
#include "network/packets.h"

#include "tap.h"

enum { COUNT = 128, STEP = 2048 };

/* What sends take: an overhead for each packet, and time for each byte; nanoseconds. */
struct sender {
    uint64_t packet; /* PACKETS_NONE: one for all lengths */
    double overhead, per_byte;
    uint64_t switches_at; /* a longer message takes twice the overhead, once; 0: none does */
    double noise;         /* up to so much more */
};

static double random_share(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return (double)(*state >> 16 & 0x7fff) / 0x8000;
}

static uint64_t find(struct sender sender)
{
    double seconds[COUNT];
    unsigned state = 7;
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t bytes = (i + 1) * STEP;
        const uint64_t packets = (bytes - 1) / sender.packet + 1;
        const double switched = sender.switches_at && bytes > sender.switches_at ? 2 : 1;
        seconds[i] =
            1e-9 * (sender.overhead * (double)packets * switched +
                    sender.per_byte * (double)bytes + sender.noise * random_share(&state));
    }
    return packets_find(seconds, COUNT, STEP);
}

/* Whether FOUND is WANTED, but for the distance between lengths that are tried. */
static bool is_about(uint64_t found, uint64_t wanted)
{
    printf("# %ju of %ju\n", (uintmax_t)found, (uintmax_t)wanted);
    return found <= wanted + STEP / 16 && found + STEP / 16 >= wanted;
}

static void test_found(void)
{
    static const uint64_t packets[] = {4096, 8192, 16384, 32768, 65536, 40960};
    for (unsigned i = 0; i < sizeof packets / sizeof *packets; i++) {
        OK(is_about(find((struct sender){packets[i], 1000, 0, 0, 0}), packets[i]),
           "steps and nothing else");
        OK(is_about(find((struct sender){packets[i], 1000, 0.1, 0, 20}), packets[i]),
           "steps, copying and noise");
    }
    OK(is_about(find((struct sender){16384 - 64, 1000, 0.1, 0, 20}), 16384 - 64),
       "a header in each packet");
}

static void test_none(void)
{
    const struct sender line = {PACKETS_NONE, 200, 0.1, 0, 0},
                        noisy = {PACKETS_NONE, 200, 0.1, 0, 500},
                        flat = {PACKETS_NONE, 200, 0, 0, 100}, short_ = {1024, 100, 0.1, 0, 20},
                        once = {PACKETS_NONE, 3000, 0.1, 65536, 20},
                        hidden = {16384, 100, 0.1, 0, 2000};
    EQ_INT(find(line), PACKETS_NONE, "a line has no steps");
    EQ_INT(find(noisy), PACKETS_NONE, "nor has a noisy one");
    EQ_INT(find(flat), PACKETS_NONE, "nor what takes the same for all lengths");
    EQ_INT(find(short_), PACKETS_NONE, "steps shorter than the lengths tried do not show");
    EQ_INT(find(once), PACKETS_NONE, "a single step is another way to send, and no packets");
    EQ_INT(find(hidden), PACKETS_NONE, "steps that noise hides are not guessed");
    EQ_INT(packets_find(NULL, 0, STEP), PACKETS_NONE, "without times there is nothing");
}

int main(void)
{
    test_found();
    test_none();
    return tap_done();
}
