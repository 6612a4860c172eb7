/*
 * region_templates.cc: a templated C++ code with small functions, as they are written:
 * smoothing a grid through accessors and an expression of its values, and solving an equation
 * in each of its cells, which takes as long as entering and leaving some functions.
 *
 *     region_templates SIZE STEPS     prints the seconds that the steps took, and a check sum
 *
 * Compiled with -finstrument-functions, and as region_templates_bare without.
 */
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <math.h>
#include <vector>

/* Values in two dimensions, with a border. */
template <typename Type> class grid
{
  public:
    explicit grid(int size) : width(size + 2), values(width * width, Type(1))
    {
    }
    Type &operator()(int row, int column)
    {
        return values[index(row, column)];
    }
    const Type &operator()(int row, int column) const
    {
        return values[index(row, column)];
    }
    int size() const
    {
        return width - 2;
    }

  private:
    std::size_t index(int row, int column) const
    {
        return std::size_t(row) * std::size_t(width) + std::size_t(column);
    }
    int width;
    std::vector<Type> values;
};

/* Some are too large for others to take in, or are called through tables. */
#define APART __attribute__((noinline))

template <typename Type> struct around {
    const grid<Type> &of;
    APART Type operator()(int row, int column) const
    {
        return of(row - 1, column) + of(row + 1, column) + of(row, column - 1) +
               of(row, column + 1);
    }
};

template <typename Type, typename Expression>
APART Type weigh(const Expression &sum, int row, int column, Type own)
{
    return own / 2 + sum(row, column) / 8;
}

/* x of x + exp(x) = VALUE, by Newton's method. */
template <typename Type> APART Type react(Type value)
{
    Type x = 0;
    for (int step = 0; step < 64; step++) {
        const Type grown = Type(::exp(double(x)));
        x -= (x + grown - value) / (1 + grown);
    }
    return x;
}

template <typename Type> APART void change(grid<Type> &of)
{
    for (int row = 1; row <= of.size(); row++)
        for (int column = 1; column <= of.size(); column++) {
            Type &value = of(row, column);
            value += react(value + 1) / 64;
        }
}

template <typename Type> APART void smooth(const grid<Type> &from, grid<Type> &to)
{
    const around<Type> sum = {from};
    for (int row = 1; row <= from.size(); row++)
        for (int column = 1; column <= from.size(); column++)
            to(row, column) = weigh(sum, row, column, from(row, column));
}

template <typename Type> APART double total(const grid<Type> &of)
{
    double mine = 0, all = 0;
    for (int row = 1; row <= of.size(); row++)
        for (int column = 1; column <= of.size(); column++)
            mine += of(row, column);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

template <typename Type> APART double solve(int size, int steps)
{
    grid<Type> now(size), next(size);
    double sum = 0;
    for (int step = 0; step < steps; step++) {
        smooth(now, next);
        smooth(next, now);
        change(now);
        sum += total(now);
    }
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    MPI_Init(&argc, &argv);
    const int size = std::atoi(argv[1]), steps = std::atoi(argv[2]);
    const double begin = MPI_Wtime();
    const double sum = solve<double>(size, steps) + solve<float>(size, steps);
    std::printf("%.6f %.17g\n", MPI_Wtime() - begin, sum);
    MPI_Finalize();
    return 0;
}
