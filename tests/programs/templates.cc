/*
 * templates.cc: expression templates over a distributed vector, as C++ codes are written: tiny
 * functions that vanish by inlining, virtual functions, and MPI at the bottom of deep templated
 * call paths.
 *
 * Exceptions are part of the ordinary course: every fifth iteration a solver gives up, and the
 * exception passes through frames with destructors that call MPI; every seventh it leaves the
 * iteration itself, whose guard must end it.
 */
#include "program.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <tsprof.h>
#include <vector>

namespace
{

/* The MPI type and a short name of an element type. */
template <typename T> struct element;
template <> struct element<double> {
    static MPI_Datatype type()
    {
        return MPI_DOUBLE;
    }
};
template <> struct element<float> {
    static MPI_Datatype type()
    {
        return MPI_FLOAT;
    }
};

/* The names that tsprof is expected to find, less arguments and result. */
template <typename T> struct expected;
template <> struct expected<double> {
    static constexpr const char *sum = "over_ranks<double>::sum";
    static constexpr const char *shift = "ring<double>::shift";
};
template <> struct expected<float> {
    static constexpr const char *sum = "over_ranks<float>::sum";
    static constexpr const char *shift = "ring<float>::shift";
};

template <typename T> struct over_ranks {
    PATH_FUNCTION static T sum(T mine)
    {
        T all;
        MPI_Allreduce(&mine, &all, 1, element<T>::type(), MPI_SUM, MPI_COMM_WORLD);
        counts_collective(expected<T>::sum, "MPI_Allreduce", program_ranks * (int)sizeof(T),
                          program_ranks * (int)sizeof(T));
        return all;
    }
};

template <typename T> struct ring {
    /* Passes a value to the right and returns the one from the left. */
    PATH_FUNCTION static T shift(T mine)
    {
        const int right = (program_rank + 1) % program_ranks;
        const int left = (program_rank + program_ranks - 1) % program_ranks;
        T theirs;
        MPI_Status status;
        MPI_Sendrecv(&mine, 1, element<T>::type(), right, 3, &theirs, 1, element<T>::type(),
                     left, 3, MPI_COMM_WORLD, &status);
        const int bytes = received_bytes(&status);
        counts_visit(expected<T>::shift, "MPI_Sendrecv");
        counts_sent(expected<T>::shift, "MPI_Sendrecv", right, sizeof(T));
        counts_received(expected<T>::shift, "MPI_Sendrecv", left, bytes);
        return theirs;
    }
};

/* Expressions: a node knows its size and its elements. */
template <typename L, typename R> struct plus_node {
    const L &left;
    const R &right;
    auto operator[](size_t i) const
    {
        return left[i] + right[i];
    }
    size_t size() const
    {
        return left.size();
    }
};

template <typename L> struct scale_node {
    const L &left;
    double factor;
    auto operator[](size_t i) const
    {
        return left[i] * factor;
    }
    size_t size() const
    {
        return left.size();
    }
};

template <typename T> class field
{
  public:
    explicit field(size_t n) : values_(n)
    {
    }
    template <typename E> field &operator=(const E &expression)
    {
        for (size_t i = 0; i < expression.size(); i++)
            values_[i] = static_cast<T>(expression[i]);
        return *this;
    }
    T &operator[](size_t i)
    {
        return values_[i];
    }
    T operator[](size_t i) const
    {
        return values_[i];
    }
    size_t size() const
    {
        return values_.size();
    }
    const std::vector<T> &values() const
    {
        return values_;
    }

  private:
    std::vector<T> values_;
};

template <typename L, typename R> plus_node<L, R> operator+(const L &left, const R &right)
{
    return {left, right};
}
template <typename L> scale_node<L> operator*(const L &left, double factor)
{
    return {left, factor};
}

template <typename E> auto norm(const E &expression)
{
    auto sum = expression[0] * expression[0];
    for (size_t i = 1; i < expression.size(); i++)
        sum += expression[i] * expression[i];
    return std::sqrt(over_ranks<decltype(sum)>::sum(sum));
}

/* Operators are chosen at run time. */
template <typename T> class op
{
  public:
    virtual ~op() = default;
    virtual T at(const field<T> &x, size_t i) const = 0;
    virtual void begin(const field<T> &)
    {
    }
};

template <typename T> class identity : public op<T>
{
  public:
    T at(const field<T> &x, size_t i) const override
    {
        return x[i];
    }
};

/* Differences to the left, across the border of the processes. */
template <typename T> class difference : public op<T>
{
  public:
    void begin(const field<T> &x) override
    {
        border_ = ring<T>::shift(x[x.size() - 1]);
    }
    T at(const field<T> &x, size_t i) const override
    {
        return x[i] - (i ? x[i - 1] : border_);
    }

  private:
    T border_ = 0;
};

/* Another operator, applied through a base class, and scaled. */
template <typename T, typename Inner> class scaled : public op<T>
{
  public:
    explicit scaled(T factor) : factor_(factor), inner_(new Inner)
    {
    }
    void begin(const field<T> &x) override
    {
        inner_->begin(x);
    }
    T at(const field<T> &x, size_t i) const override
    {
        return factor_ * inner_->at(x, i);
    }

  private:
    T factor_;
    std::unique_ptr<op<T>> inner_;
};

template <typename T>
__attribute__((noinline)) void apply(op<T> &a, const field<T> &x, field<T> &y)
{
    a.begin(x);
    for (size_t i = 0; i < x.size(); i++)
        y[i] = a.at(x, i);
}

struct diverged : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* Everyone leaves an attempt together, whichever way it ends. */
class attempt
{
  public:
    PATH_FUNCTION ~attempt()
    {
        MPI_Barrier(MPI_COMM_WORLD);
        counts_visit("attempt::~attempt", "MPI_Barrier");
        counts_add("attempt::~attempt", "MPI_Barrier", "syncs_coll", 1);
    }
};

/* Relaxes towards A x; gives up by an exception if told to. */
template <typename T>
__attribute__((noinline)) double solve(op<T> &a, field<T> &x, bool give_up)
{
    attempt together;
    field<T> y(x.size());
    for (int sweep = 0; sweep < 3; sweep++) {
        apply(a, x, y);
        x = x * 0.75 + y * 0.25;
        if (give_up && sweep == 1)
            throw diverged("told to give up");
    }
    return norm(x);
}

template <typename T> class model
{
  public:
    model(size_t n, uint64_t random) : x_(n)
    {
        for (size_t i = 0; i < n; i++)
            x_[i] = static_cast<T>(random_unit(&random));
        ops_.emplace_back(new difference<T>);
        ops_.emplace_back(new scaled<T, difference<T>>(static_cast<T>(0.5)));
        ops_.emplace_back(new scaled<T, identity<T>>(static_cast<T>(1.001)));
    }
    double step(int iteration, bool give_up)
    {
        return solve<T>(*ops_[iteration % ops_.size()], x_, give_up);
    }
    const std::vector<T> &values() const
    {
        return x_.values();
    }

  private:
    field<T> x_;
    std::vector<std::unique_ptr<op<T>>> ops_;
};

/* One iteration; what is thrown at its end leaves through the guard. */
__attribute__((noinline)) double iterate(model<double> &fine, model<float> &coarse, int i)
{
    tsprof::iteration guard("timestep");
    counts_iteration(i);
    double result;
    try {
        result = fine.step(i, i % 5 == 4);
    } catch (const diverged &) {
        result = fine.step(i + 1, false);
    }
    result += coarse.step(i, false);
    if (i % 7 == 6)
        throw result;
    return result;
}

} // namespace

int main(int argc, char **argv)
{
    const program_options defaults = {21, 400, 1, NULL};
    const program_options options = program_parse(argc, argv, defaults);
    uint64_t sum = CHECKSUM_START;

    program_start(&argc, &argv);
    TSPROF_PHASE_BEGIN("setup");
    const uint64_t random = uint64_t(options.seed) * 6151u + uint64_t(program_rank);
    model<double> fine(size_t(options.size), random);
    model<float> coarse(size_t(options.size / 4 + 1), random);
    TSPROF_PHASE_END("setup");

    for (int i = 0; i < options.iterations; i++) {
        double result;
        try {
            result = iterate(fine, coarse, i);
        } catch (double thrown) {
            result = -thrown;
        }
        counts_iteration(-1);
        sum = checksum_add(sum, &result, sizeof result);
    }

    sum = checksum_add(sum, fine.values().data(), fine.values().size() * sizeof(double));
    program_end("templates", sum, &options);
    return 0;
}
