// Results per clock of each kind of arithmetic, the latency of a result, and the errors of the fast
// functions. This needs a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/experiment.hpp"
#include "lab/rung/arithmetic.hpp"

namespace onefold::lab {
namespace {

// A machine on the host, with the functions that the operations' source needs.
struct HostMachine {
  float fma(float a, float b, float c) const { return std::fma(a, b, c); }
  double fma(double a, double b, double c) const { return std::fma(a, b, c); }
  template <class T>
  T shuffle_xor(T v, unsigned) const {
    return v;
  }
};

constexpr Size rounds = 512, steps = rounds * 8;

template <class T>
Input numbers(uint64_t seed) {
  if constexpr (std::is_integral_v<T>) return random_bytes(128 * sizeof(T), seed);
  auto bytes = std::make_shared<Bytes>(128 * sizeof(T));
  const T one = 1;
  for (std::size_t k = 0; k < 128; ++k) std::memcpy(&(*bytes)[k * sizeof one], &one, sizeof one);
  return bytes;
}

class Cases {
 public:
  Cases(Workbench& bench, uint64_t seed)
      : seed_(seed),
        ghz_(bench.clock_ghz()),
        processors_(static_cast<unsigned>(bench.multiprocessors())) {}

  // results: of one operation. vendor: results a clock and multiprocessor by NVIDIA's table of
  // arithmetic throughput for c.c. 9.0; 0 if the table lacks it.
  template <class Op>
  void add(const char* name, double results, double vendor) {
    using T = typename Op::T;
    const Input x = numbers<T>(seed_);
    const unsigned grid = processors_ * 2, block = 1024;
    Case c = warm_case(gpu_kernel_of<arithmetic::rate<Op>>(), {{"operation", std::string(name)}},
                       grid, block, {{rounds, 1}}, x, std::size_t{grid} * block * sizeof(T));
    if (Op::known) {
      c.right = [=](std::span<const std::byte> y) { return all_lanes<Op>(*x, y); };
    }
    c.note = [=, ghz = ghz_, n = processors_](Point& p, const Ran& ran) {
      const double all = double(grid) * block * steps * 4 * results;
      p.figures = {{"results_per_clock", all / (*ran.ms * 1e6 * ghz) / n, {}}};
      if (vendor != 0) p.figures[0].predicted = vendor;
    };
    rates_.push_back(std::move(c));
    Case chain = warm_case(gpu_kernel_of<arithmetic::chain<Op>>(),
                           {{"operation", std::string(name)}}, 1, 32, {{rounds, 1}}, x, 32 * 16);
    chain.job.replays = 0;
    chain.note = [](Point& p, const Ran& ran) {
      p.figures = {{"cycles", double(element<uint64_t>(ran.y, 0)) / double(steps), {}}};
    };
    chains_.push_back(std::move(chain));
  }

  // Compares a function with its version in double precision, between two numbers. Errors up to
  // `most` ulp, or up to 2^-21, are right.
  template <class Op>
  void add_error(const char* name, double (*exact)(double), double from, double to, double most) {
    constexpr std::size_t n = std::size_t{1} << 20;
    auto x = std::make_shared<Bytes>(n * 4);
    for (std::size_t i = 0; i < n; ++i) {
      const auto v = static_cast<float>(from + (to - from) * double(i) / double(n - 1));
      std::memcpy(&(*x)[i * 4], &v, 4);
    }
    auto ulp = std::make_shared<double>(0);
    auto apart = std::make_shared<double>(0);
    Case c = warm_case(gpu_kernel_of<arithmetic::error<Op>>(), {{"function", std::string(name)}},
                       n / 256, 256, {}, x, n * 4);
    c.job.replays = 0;
    c.right = [=](std::span<const std::byte> y) {
      for (std::size_t i = 0; i < n; ++i) {
        const double want = exact(element<float>(*x, i));
        const double wrong = std::abs(element<float>(y, i) - want);
        const auto near = static_cast<float>(std::abs(want));
        *apart = std::max(*apart, wrong);
        *ulp = std::max(*ulp, wrong / (std::nextafter(near, INFINITY) - double(near)));
      }
      return *ulp <= most || *apart <= 0x1p-21;
    };
    c.note = [=](Point& p, const Ran&) { p.figures = {{"ulp", *ulp, {}}, {"apart", *apart, {}}}; };
    errors_.push_back(std::move(c));
  }

  void add_atomics(unsigned sharing) {
    constexpr Size times = 64;
    constexpr uint32_t before = 0x5a5a5a5a;  // the workbench fills y with this value before
    const unsigned grid = processors_ * 2, block = 1024, threads = grid * block;
    const unsigned counters = sharing == 0 ? 1 : threads / sharing;
    const unsigned each = threads / counters;
    Case c = warm_case(gpu_kernel_of<arithmetic::atomics>(), {{"threads_a_counter", int64_t{each}}},
                       grid, block, {{times, each}}, nullptr, std::size_t{counters} * 4);
    c.right = [=](std::span<const std::byte> y) {
      return all_right(counters, [&](std::size_t i) {
        return element<uint32_t>(y, i) == before + times * each;
      });
    };
    c.note = [=, ghz = ghz_](Point& p, const Ran& ran) {
      p.figures = {{"additions_per_clock", double(threads) * times / (*ran.ms * 1e6 * ghz), {}}};
    };
    atomics_.push_back(std::move(c));
  }

  std::vector<Case> take() {
    std::vector<Case> all;
    for (auto* part : {&rates_, &chains_, &errors_, &atomics_}) {
      for (Case& c : *part) all.push_back(std::move(c));
    }
    return all;
  }

 private:
  // The host computes one lane's result; all threads with that lane number must have the same
  // bits.
  template <class Op>
  static bool all_lanes(const Bytes& x, std::span<const std::byte> y) {
    using T = typename Op::T;
    const HostMachine m;
    T want[32];
    for (std::size_t lane = 0; lane < 32; ++lane) {
      T v[4];
      for (std::size_t k = 0; k < 4; ++k) v[k] = element<T>(x, lane + 32 * k);
      for (Size k = 0; k < steps; ++k) {
        for (std::size_t j = 0; j < 4; ++j) v[j] = Op::apply(m, v[j], v[(j + 1) % 4], T(1));
      }
      want[lane] = v[0] + v[1] + v[2] + v[3];
    }
    for (std::size_t i = 0; i < y.size() / sizeof(T); ++i) {
      if (std::memcmp(&y[i * sizeof(T)], &want[i % 32], sizeof(T)) != 0) return false;
    }
    return true;
  }

  uint64_t seed_;
  double ghz_;
  unsigned processors_;
  std::vector<Case> rates_, chains_, errors_, atomics_;
};

double negative_exp(double v) { return std::exp(-v); }
double inverse_root(double v) { return 1 / std::sqrt(v); }

Findings run(Workbench& bench, const ExperimentOptions& options) {
  using namespace arithmetic;
  Cases c(bench, seed_of(options));
  c.add<add_f32>("f32 add", 1, 128);
  c.add<multiply_f32>("f32 multiply", 1, 128);
  c.add<fma_f32>("f32 multiply-add", 1, 128);
  c.add<fma_f64>("f64 multiply-add", 1, 64);
  c.add<fma_f16x2>("f16x2 multiply-add", 2, 256);
  c.add<add_i32>("i32 add", 1, 64);
  c.add<multiply_i32>("i32 multiply", 1, 64);
  c.add<multiply_i24>("24-bit multiply", 1, 0);
  c.add<dp4a>("dp4a", 1, 64);
  c.add<popcount>("popcount", 1, 16);
  c.add<shuffle>("shuffle", 1, 32);
  c.add<divide_power_of_two>("i32 / 8", 1, 0);
  c.add<divide_constant>("i32 / 7", 1, 0);
  c.add<divide_variable>("i32 / variable", 1, 0);
  c.add<modulo_power_of_two>("i32 % 1024", 1, 0);
  c.add<modulo_constant>("i32 % 1000003", 1, 0);
  c.add<modulo_variable>("i32 % variable", 1, 0);
  c.add<sin_fast>("__sinf", 1, 16);
  c.add<sin_full>("sinf", 1, 0);
  c.add<cos_fast>("__cosf", 1, 16);
  c.add<cos_full>("cosf", 1, 0);
  c.add<sincos<true>>("__sincosf", 2, 16);
  c.add<sincos<false>>("sincosf", 2, 0);
  c.add<exp_fast>("__expf", 1, 16);
  c.add<exp_full>("expf", 1, 0);
  c.add<inverse_root_fast>("rsqrtf", 1, 16);
  c.add<inverse_root_full>("1 / sqrtf", 1, 0);
  const double pi = 3.14159265358979;
  c.add_error<sin_fast>("__sinf", &std::sin, -pi, pi, 0);
  c.add_error<sin_full>("sinf", &std::sin, -pi, pi, 2);
  c.add_error<cos_fast>("__cosf", &std::cos, -pi, pi, 0);
  c.add_error<cos_full>("cosf", &std::cos, -pi, pi, 2);
  c.add_error<sincos<true, Of::sine>>("__sincosf: sine", &std::sin, -pi, pi, 0);
  c.add_error<sincos<false, Of::sine>>("sincosf: sine", &std::sin, -pi, pi, 2);
  c.add_error<sincos<true, Of::cosine>>("__sincosf: cosine", &std::cos, -pi, pi, 0);
  c.add_error<sincos<false, Of::cosine>>("sincosf: cosine", &std::cos, -pi, pi, 2);
  c.add_error<exp_fast>("__expf", &negative_exp, -10, 10, 2 + 1.173 * 10);
  c.add_error<exp_full>("expf", &negative_exp, -10, 10, 2);
  c.add_error<inverse_root_fast>("rsqrtf", &inverse_root, 0.01, 1000, 2);
  c.add_error<inverse_root_full>("1 / sqrtf", &inverse_root, 0.01, 1000, 2);
  for (const unsigned sharing : {1u, 32u, 1024u, 0u}) c.add_atomics(sharing);
  return {.points = bench.measure(c.take())};
}

}  // namespace

const Experiment arithmetic_experiment{
    .name = "arithmetic",
    .idea = "results a clock: adds, divisions, sines, f64, f16, shuffles, atomics; errors in ulp",
    .question = "Which operations are slow, which are fast, and what do the fast ones give up?",
    .prediction =
        "NVIDIA's table for c.c. 9.0: 128 f32, 64 f64 and i32, 256 f16, 16 special functions, 32 "
        "shuffles a clock and multiprocessor; a division by a variable is a subroutine",
    .lesson =
        "Divide by constants, best by powers of two; take the fast functions where an error of "
        "2^-21 is small; and let threads share counters as little as they can.",
    .only_time = true,
    .run = run};

}  // namespace onefold::lab
