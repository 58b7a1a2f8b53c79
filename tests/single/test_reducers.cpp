// ExactSum in the reductions of others; each gives the bits of a plain loop over the elements.
#include <gtest/gtest.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <execution>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "kokkos.hpp"
#include "onefold_exact.hpp"

namespace {

using Sum = onefold::ExactSum<double>;

// Elements of any exponents, so that most other sums are wrong.
const std::vector<double>& elements() {
  static const std::vector<double> x = [] {
    std::mt19937_64 r(1);
    std::vector<double> v(20'000);
    for (double& y : v)
      y = std::ldexp(static_cast<double>(r() % 1000) - 500, static_cast<int>(r() % 300));
    return v;
  }();
  return x;
}
Sum expected() {
  Sum s;
  for (const double y : elements()) s.add(y);
  return s;
}

TEST(Reducers, AreThoseOfTheStandardLibrary) {
  const std::vector<double>& x = elements();
  EXPECT_EQ(std::accumulate(x.begin(), x.end(), Sum()), expected());
  EXPECT_EQ(std::reduce(x.begin(), x.end(), Sum(), onefold::ExactPlus<double>()), expected());
  EXPECT_EQ(
      std::reduce(std::execution::par, x.begin(), x.end(), Sum(), onefold::ExactPlus<double>()),
      expected());
  const auto single = [](double y) { return Sum(y); };
  EXPECT_EQ(std::transform_reduce(x.begin(), x.end(), Sum(), std::plus<>(), single), expected());
}

#pragma omp declare reduction(exact : onefold::ExactSum <double> : omp_out.merge(omp_in))

TEST(Reducers, AreThoseOfOpenMp) {
  const std::vector<double>& x = elements();
  Sum s;
#pragma omp parallel for reduction(exact : s) num_threads(3)
  for (std::size_t i = 0; i < x.size(); ++i) s.add(x[i]);
  EXPECT_EQ(s, expected());
}

struct Body {
  const double* x;
  Sum sum;
  explicit Body(const double* from) : x(from) {}
  Body(Body& other, tbb::split) : x(other.x) {}
  void operator()(const tbb::blocked_range<std::size_t>& r) { sum.add(x + r.begin(), r.size()); }
  void join(const Body& right) { sum.join(right.sum); }
};
TEST(Reducers, AreThoseOfTbb) {
  const std::vector<double>& x = elements();
  const tbb::blocked_range<std::size_t> all(0, x.size(), 100);
  Body body(x.data());
  tbb::parallel_reduce(all, body);
  EXPECT_EQ(body.sum, expected());
  const Sum s = tbb::parallel_reduce(
      all, Sum(),
      [&](const auto& r, Sum part) {
        part.add(x.data() + r.begin(), r.size());
        return part;
      },
      std::plus<>());
  EXPECT_EQ(s, expected());
}

// Kokkos's reducers, and operators as RAJA has them: two parts, and the identity.
TEST(Reducers, HaveWhatKokkosAndRajaAskFor) {
  const std::vector<double>& x = elements();
  Sum a, b, result;
  const ExactSumReducer<double> reducer(result);
  reducer.init(a);
  reducer.init(b);
  a.add(x.data(), 777);
  b.add(x.data() + 777, x.size() - 777);
  reducer.join(b, a);
  reducer.reference() = b;
  EXPECT_EQ(result, expected());

  const onefold::ExactPlus<double> plus;
  EXPECT_EQ(plus(a, plus.identity()), a);
  EXPECT_EQ(plus(plus.identity(), b), expected());
}

// What MPI_Allreduce does with MPI_INT64_T and MPI_SUM, for 3 ranks.
TEST(Reducers, AreSumsOfWords) {
  const std::vector<double>& x = elements();
  Sum rank[3], all;
  int64_t* const words = all.words();
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = k; i < x.size(); i += 3) rank[k].add(x[i]);
    const int64_t* const its = rank[k].words();
    for (int w = 0; w < Sum::word_count; ++w) words[w] += its[w];
  }
  all.words_added();
  EXPECT_EQ(all, expected());
}

}  // namespace
