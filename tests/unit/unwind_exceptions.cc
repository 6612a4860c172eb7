// The pattern of C++: exceptions thrown from below, with destructors that look on the way.
#include "unwind_patterns.h"

namespace
{

struct guard {
    ~guard()
    {
        look();
    }
};

__attribute__((noipa)) void throw_one(int depth)
{
    ENTER_AT_TIMES(throw_one);
    guard on_the_way;
    look();
    if (pick(2))
        throw depth;
    go(depth - 1);
}

} // namespace

__attribute__((noipa)) int pattern_exceptions(int depth)
{
    ENTER(pattern_exceptions);
    // A jump would pass over the guards without running them.
    jump_target *target = strand->target;
    strand->target = nullptr;
    try {
        throw_one(depth);
        look();
    } catch (int) {
        look();
    }
    strand->target = target;
    return depth;
}
