/*
 * instrumented.cc: C++ functions that tell when they are entered and left, some by exceptions.
 *
 *     instrumented_cxx ROUNDS
 *
 * Prints what instrumented.h states, a line for each function.
 */
#include "instrumented.h"

#include <mpi.h>

#include <cstdlib>
#include <string>
#include <vector>

/* Tells by itself when it is left. */
struct guard {
    APART guard()
    {
        ENTER("guard::guard");
    }
    APART ~guard()
    {
        ENTER("guard::~guard");
    }
};

KEPT void leaf()
{
    ENTER("leaf");
    MPI_Barrier(MPI_COMM_SELF);
}

KEPT void throws(int levels)
{
    ENTER("throws");
    guard here;
    if (levels == 0)
        throw 1;
    throws(levels - 1);
    leaf();
}

KEPT void catches(int levels)
{
    ENTER("catches");
    try {
        throws(levels);
    } catch (int) {
        leaf();
    }
    leaf();
}

template <typename Type> APART static Type adds(Type a, Type b)
{
    ENTER("adds<long>");
    leaf();
    return a + b;
}

int main(int argc, char **argv)
{
    ENTER("main");
    MPI_Init(&argc, &argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
    long sum = 0;
    std::vector<std::string> words;
    for (int i = 0; i < rounds; i++) {
        catches(i % 5);
        sum = adds<long>(sum, i);
        words.push_back(std::to_string(sum));
    }
    print_stated();
    MPI_Finalize();
    return 0;
}
