/*
 * loops_template.cc: time loops in functions whose names a shell takes for anything but names,
 * with spaces, parentheses, template arguments and what looks like a list of functions.
 *
 *     loops_template [STEPS]
 *
 * At the end it prints its truth like loops.c.
 */
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#define APART __attribute__((noinline, noclone))

namespace
{

enum class order { first, second };

APART void exchange(std::vector<double> &field)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Sendrecv(&field[1], 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, &field.back(), 1,
                 MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int sweep = 0; sweep < 10; sweep++)
        for (size_t i = 1; i + 1 < field.size(); i++)
            field[i] = 0.25 * field[i - 1] + 0.5 * field[i] + 0.25 * field[i + 1];
}

/* (anonymous namespace)::solver<std::map<int, std::vector<...> >, ...>::advance<...>(...) */
template <typename State, order Order> class solver
{
  public:
    explicit solver(size_t size) : field_(size)
    {
    }

    template <typename Count, typename... Options>
    APART Count advance(Count most, const Options *...)
    {
        Count steps = 0;
        for (; steps < most; steps++) {
            double sum;
            exchange(field_);
            MPI_Allreduce(&field_[2], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            state_[static_cast<int>(Order)].assign(1, sum);
        }
        return steps;
    }

    /* An operator, whose name has parentheses of its own. */
    APART long operator()(long most) const
    {
        long steps = 0;
        for (; steps < most; steps++) {
            double mine = static_cast<double>(steps);
            std::vector<double> copy(field_);
            exchange(copy);
            MPI_Bcast(&mine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        }
        return steps;
    }

  private:
    std::vector<double> field_;
    State state_;
};

} // namespace

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 200;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    solver<std::map<int, std::vector<double>>, order::second> solve(5000);
    const long steps = solve.advance<long, char, std::pair<int, long>>(n, nullptr, nullptr);
    const long more = solve(n / 2);
    MPI_Finalize();
    if (rank == 0)
        std::printf("truth: loop step %ld\ntruth: loop more %ld\n", steps, more);
    return 0;
}
