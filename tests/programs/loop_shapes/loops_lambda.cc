/*
 * loops_lambda.cc: a time loop whose steps are lambdas in a list of tasks, as frameworks have
 * them: what calls MPI is reached through std::function from a scheduler.
 *
 *     loops_lambda [STEPS]
 *
 * At the end it prints its truth like loops.c.
 */
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

namespace
{

class scheduler
{
  public:
    void add(int every, std::function<void()> task)
    {
        tasks_.emplace_back(every, std::move(task));
    }
    __attribute__((noinline)) void run_step(long step) const
    {
        for (const auto &[every, task] : tasks_)
            if (step % every == 0)
                task();
    }

  private:
    std::vector<std::pair<int, std::function<void()>>> tasks_;
};

void compute(std::vector<double> &field)
{
    for (int sweep = 0; sweep < 10; sweep++)
        for (size_t i = 1; i + 1 < field.size(); i++)
            field[i] = 0.25 * field[i - 1] + 0.5 * field[i] + 0.25 * field[i + 1];
}

} // namespace

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 300;
    long steps = 0;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    std::vector<double> field(5000, rank);
    double sum = 0;
    scheduler tasks;
    tasks.add(1, [&] {
        MPI_Sendrecv(&field[1], 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, &field.back(), 1,
                     MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    tasks.add(1, [&] { compute(field); });
    tasks.add(4, [&] {
        MPI_Bcast(&field[2], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        compute(field);
    });
    tasks.add(1,
              [&] { MPI_Allreduce(&field[3], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
    for (; steps < n; steps++)
        tasks.run_step(steps);

    MPI_Finalize();
    if (rank == 0)
        std::printf("truth: loop step %ld\n", steps);
    return sum < 0;
}
