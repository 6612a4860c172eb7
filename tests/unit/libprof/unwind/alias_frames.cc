// See alias_frames.h.
#include "alias_frames.h"

#include <stdexcept>

#define FUNCTION __attribute__((noipa)) static

int objects_destroyed;

namespace
{

struct object {
    __attribute__((noipa)) ~object()
    {
        look();
        objects_destroyed++;
    }
};

} // namespace

FUNCTION void probe_plain()
{
    probe();
    __asm__ volatile("");
}

FUNCTION void probe_cleanup()
{
    object here;
    probe();
}

FUNCTION void probe_catch()
{
    try {
        probe();
    } catch (const std::runtime_error &) {
        look();
    }
}

FUNCTION void probe_catch_all()
{
    try {
        probe();
    } catch (...) {
        look();
    }
}

FUNCTION void probe_noexcept() noexcept
{
    probe();
    __asm__ volatile("");
}

FUNCTION void probe_after_catch()
{
    try {
        look();
    } catch (...) {
        look();
    }
    probe();
    __asm__ volatile("");
}

FUNCTION void probe_cleanup_inside()
{
    try {
        object here;
        probe();
    } catch (const std::runtime_error &) {
        look();
    }
}

void frame_probe(enum frame_kind kind)
{
    static void (*const functions[FRAME_KINDS])() = {
        probe_plain,    probe_cleanup,     probe_catch,          probe_catch_all,
        probe_noexcept, probe_after_catch, probe_cleanup_inside,
    };
    functions[kind]();
}

FUNCTION void throw_below(int depth)
{
    object here;
    look();
    if (depth == 0)
        throw std::runtime_error("from below");
    throw_below(depth - 1);
    look();
}

FUNCTION void pass_on(int depth)
{
    look();
    throw_below(depth);
    look();
}

FUNCTION void catch_here(int depth, struct exception_counts *counts)
{
    look();
    try {
        pass_on(depth);
    } catch (const std::runtime_error &) {
        look();
        counts->caught++;
    }
    look();
}

FUNCTION void catch_and_rethrow(int depth, struct exception_counts *counts)
{
    try {
        pass_on(depth);
    } catch (...) {
        look();
        counts->caught++;
        throw;
    }
}

FUNCTION void rethrow_through(int depth, struct exception_counts *counts)
{
    object here;
    catch_and_rethrow(depth, counts);
    look();
}

struct exception_counts throw_and_catch(int rounds)
{
    struct exception_counts counts = {0, 0};
    objects_destroyed = 0;
    for (int i = 0; i < rounds; i++) {
        catch_here(i % 5, &counts);
        try {
            rethrow_through(i % 5, &counts);
        } catch (const std::logic_error &) {
            counts.caught += 1000000;
        } catch (const std::exception &) {
            counts.caught++;
        }
    }
    counts.destroyed = objects_destroyed;
    return counts;
}

FUNCTION void inside_one(void (*function)(void))
{
    object here;
    look();
    function();
    look();
}

FUNCTION void inside_two(void (*function)(void))
{
    object here;
    inside_one(function);
    look();
}

void inside_objects(void (*function)(void))
{
    object here;
    look();
    inside_two(function);
}
