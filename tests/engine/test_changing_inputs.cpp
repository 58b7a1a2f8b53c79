// Inputs that another thread writes to while they are folded: the answer may be wrong, or an error
// is thrown, but no memory outside the arrays is accessed.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "generate.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Random;

// Folds for some time, while a thread changes one element after another, each for a moment.
template <class T>
void fold_while_changing(std::vector<T>& memory, T wild(Random&), const std::function<void()>& fold,
                         std::chrono::milliseconds time = std::chrono::milliseconds(500)) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "this is a race on purpose";
#endif
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    Random r(1);
    while (!stop) {
      volatile T& element = memory[r() % memory.size()];
      const T before = element;
      element = wild(r);
      for (uint64_t k = r() % 64; k > 0; --k) static_cast<void>(T{element});
      element = before;
    }
  });
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    try {
      fold();
    } catch (const Error&) {
    }
  }
  stop = true;
  writer.join();
}

constexpr std::size_t n = 5000;

template <class T>
std::vector<T> numbers_below(uint64_t end, uint64_t seed = 1) {
  Random r(seed);
  std::vector<T> v;
  for (std::size_t i = 0; i < n; ++i) v.push_back(static_cast<T>(r() % end));
  return v;
}
int64_t any_integer(Random& r) { return static_cast<int64_t>(r()) >> r() % 64; }
double any_double(Random& r) { return bit_cast<double>(r()); }
uint8_t any_byte(Random& r) { return static_cast<uint8_t>(r()); }

TEST(ChangingLabels, LeadNowhere) {
  std::vector<int64_t> labels = numbers_below<int64_t>(100);
  const std::vector<double> x = numbers_below<double>(1000);
  const std::vector<int16_t> y = numbers_below<int16_t>(1000);
  fold_while_changing(labels, any_integer, [&] {
    fold_by("sum,mean", labels, x, Labels{100});
    fold_by("max", labels, x, Labels{100});
    fold_by("sum", labels, y, Labels{100});
  });
}

TEST(ChangingLabels, OfZeroSumsLeadNowhere) {
  std::vector<int64_t> labels = numbers_below<int64_t>(100);
  const std::vector<double> x(n, -0.0);
  fold_while_changing(labels, any_integer, [&] { fold_by("sum", labels, x, Labels{100}); });
}

TEST(ChangingKeys, LeadNowhere) {
  std::vector<int64_t> keys = numbers_below<int64_t>(100), rising = keys;
  std::sort(rising.begin(), rising.end());
  const std::vector<double> x = numbers_below<double>(1000);
  fold_while_changing(keys, any_integer, [&] { fold_by("sum,max", keys, x); });
  fold_while_changing(rising, any_integer, [&] { fold_by("sum,max", rising, x); });
}

TEST(ChangingOffsets, LeadNowhere) {
  std::vector<int64_t> offsets = numbers_below<int64_t>(n);
  std::sort(offsets.begin(), offsets.end());
  const std::vector<double> x = numbers_below<double>(1000);
  fold_while_changing(offsets, any_integer, [&] { fold_segments("sum,argmax", x, offsets); });
}

TEST(ChangingMasks, LeadNowhere) {
  std::vector<uint8_t> mask = numbers_below<uint8_t>(2);
  std::vector<double> x = numbers_below<double>(1000);
  std::sort(x.begin(), x.end());  // so that the greatest element is the last selected one
  const Dims rows(50, 100);
  fold_while_changing(mask, any_byte, [&] {
    for (const char* ops : {"sum", "var,max", "argmax", "argmin,count"}) {
      Options o;
      o.where = ArrayRef(mask.data(), boolean, {static_cast<int64_t>(n)});
      fold(ops, x, o);
      o.where = ArrayRef(mask.data(), boolean, rows);
      o.axes = Axes(0);
      fold(ops, ArrayRef(x.data(), f64, rows), o);
      o.axes = Axes(1);
      fold(ops, ArrayRef(x.data(), f64, rows), o);
    }
  });
}

TEST(ChangingWeights, LeadNowhere) {
  std::vector<int64_t> weights = numbers_below<int64_t>(5);
  const std::vector<double> x = numbers_below<double>(1000);
  fold_while_changing(weights, any_integer, [&] {
    Options o;
    o.fweights = ArrayRef(weights);
    for (const char* ops : {"mean,var", "max", "norm2,count"}) fold(ops, x, o);
  });
}

// Bits of f64 read as elements of every type.
TEST(ChangingElements, LeadNowhere) {
  std::vector<double> x = numbers_below<double>(1000);
  const std::vector<double> y = x;
  std::string ops;
  for (const std::string_view op : op_names()) {
    try {
      fold(op, x);
    } catch (const Error&) {
      continue;  // ops of two arrays
    }
    ops += (ops.empty() ? "" : ",") + std::string(op);
  }
  const std::string each[] = {
      "sum",        "mean", "var",           "argmax", "argmin",
      "min,argmax", "ptp",  "sum,norm1,rms", "any",    "count_zero,count_inf,max",
      "argmin",     ops};
  for (int t = 1; t < dtype_count; ++t) {
    const auto type = static_cast<DType>(t);
    const auto few = static_cast<int64_t>(n);
    const auto fold_all = [&] {
      for (const std::string& request : each) {
        fold(request, ArrayRef(x.data(), type, {few}));
        fold(request, ArrayRef(x.data(), type, {700}));
        for (const int axis : {0, 1}) {
          Options o;
          o.axes = Axes(axis);
          fold(request, ArrayRef(x.data(), type, {50, 100}), o);
          o.nan = NanPolicy::omit;
          fold(request, ArrayRef(x.data(), type, {100, 50}), o);
          fold("dot", ArrayRef(x.data(), type, {100, 50}), ArrayRef(y.data(), type, {100, 50}), o);
        }
      }
    };
    fold_while_changing(x, any_double, fold_all, std::chrono::milliseconds(100));
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
