/*
 * solver.cc: a solver in templated C++ with many small functions, which tell when they are
 * entered and left: what they do takes less than telling.  Some are always inlined.
 *
 *     instrumented_solver ROUNDS
 *
 * Prints what instrumented.h states, a line for each function, with their names as demanglers
 * have them and underscores for blanks.
 */
#include "instrumented.h"

#include <mpi.h>

#include <cstdlib>

#define INLINED __attribute__((always_inline)) inline
#define APART   __attribute__((noipa))

enum { POINTS = 64, COMPUTES_NS = 400000 };

/* A field of values with a border on both sides. */
template <typename Type> class field
{
  public:
    APART Type &operator[](int at);
    APART Type operator*(field &other);
    APART void operator()(Type value);
    INLINED int last() const;

  private:
    Type values[POINTS + 2];
};

/* One of several functions with the same name. */
APART double mean(double left, double right)
{
    ENTER("mean(double,_double)");
    return (left + right) / 2;
}

APART float mean(float left, float right)
{
    ENTER("mean(float,_float)");
    return (left + right) / 2;
}

#define NAME_OF(Type, in_double, in_float)                                                     \
    static const char of_double[] = in_double, of_float[] = in_float;                          \
    state(sizeof(Type) == sizeof(double) ? of_double : of_float)->visits++

template <typename Type> Type &field<Type>::operator[](int at)
{
    NAME_OF(Type, "field<double>::operator[](int)", "field<float>::operator[](int)");
    return values[at];
}

template <typename Type> int field<Type>::last() const
{
    NAME_OF(Type, "field<double>::last()_const", "field<float>::last()_const");
    return POINTS;
}

template <typename Type> void field<Type>::operator()(Type value)
{
    NAME_OF(Type, "field<double>::operator()(double)", "field<float>::operator()(float)");
    for (int at = 0; at <= last() + 1; at++)
        (*this)[at] = value;
}

template <typename Type> Type field<Type>::operator*(field &other)
{
    NAME_OF(Type, "field<double>::operator*(field<double>&)",
            "field<float>::operator*(field<float>&)");
    Type sum = 0;
    for (int at = 1; at <= last(); at++)
        sum += (*this)[at] * other[at];
    return sum;
}

template <typename Type> APART static void relax(field<Type> &now, field<Type> &next)
{
    NAME_OF(Type, "void_relax<double>(field<double>&,_field<double>&)",
            "void_relax<float>(field<float>&,_field<float>&)");
    for (int at = 1; at <= now.last(); at++)
        next[at] = mean(now[at - 1], now[at + 1]);
}

/* The norm over all ranks, on a path to MPI. */
template <typename Type> APART static double norm(field<Type> &of)
{
    NAME_OF(Type, "double_norm<double>(field<double>&)", "double_norm<float>(field<float>&)");
    double mine = of * of, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* What is worth to be told of. */
APART static void computes()
{
    ENTER("computes()");
    compute(COMPUTES_NS);
}

template <typename Type> APART static double solve(int rounds)
{
    NAME_OF(Type, "double_solve<double>(int)", "double_solve<float>(int)");
    static field<Type> now, next;
    double sum = 0;
    now(1);
    for (int round = 0; round < rounds; round++) {
        relax(now, next);
        relax(next, now);
        computes();
        sum = norm(now);
    }
    return sum;
}

int main(int argc, char **argv)
{
    ENTER("main");
    MPI_Init(&argc, &argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
    int rank;
    const bool different = solve<double>(rounds) != solve<float>(rounds);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        print_stated();
    MPI_Finalize();
    return different && rounds == 0;
}
