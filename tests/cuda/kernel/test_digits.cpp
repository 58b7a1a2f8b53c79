// Sums and means by digits (kernel/quick/digits.hpp). Lanes may add any chunks and merge in any
// order: the answer is the processor's, or undecided, which does not happen for ordinary data.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <sstream>

#include "cuda/kernel/kernels.hpp"
#include "onefold/cuda/deal.hpp"
#include "onefold/cuda/kernel/quick/digit_answers.hpp"
#include "onefold/cuda/kernels.hpp"
#include "onefold/system/jit/nvrtc.hpp"
#include "scaled.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using kernel::Anchors;
using kernel::DigitAnswer;
using kernel::DigitSum;
using kernel::DigitUnit;

uint32_t answer(DType t, const char* op, const Data& x) {
  Plan plan;
  plan.dtype = t;
  plan.results = {t};
  plan.ops = parse_ops(op);
  plan.needs = Accumulators(sum_set);
  plan.layout = layout_of(plan.needs, t);
  const auto words = portable_state(plan.needs, x, nullptr);
  return static_cast<uint32_t>(finish(plan, 0, words.data()).bits);
}

template <class T>
T nearest_to(float x) {
  const uint32_t bits = bit_cast<uint32_t>(x);
  if constexpr (sizeof(T) == 4) return x;
  const uint32_t half = dtype_of<T> == bf16 ? bits >> 16 : (bits - (112u << 23)) >> 13;
  return bit_cast<T>(static_cast<bits_of<T>>(half));
}

template <class T>
class Digits : public testing::Test {
 public:
  using Sum = DigitSum<T>;
  static constexpr DType type = dtype_of<T>;
  static T element(const Data& x, std::size_t i) {
    return bit_cast<T>(static_cast<bits_of<T>>(x.bits(i)));
  }

  template <int n>
  static void add(Sum& sum, const DigitUnit<T>& seen, const Data& x, std::size_t i) {
    using Column = kernel::ColumnElements<T, 1, n>;
    typename Column::Rows words;
    for (int e = 0; e < n; ++e) {
      words[e][0] = static_cast<uint32_t>(x.bits(i + static_cast<std::size_t>(e)));
    }
    Column column[1];
    Column::look(Sim{}, words, column);
    if (sum.is_below(column[0]) && sum.is_quick(seen, column[0])) {
      sum.add_quick(seen, column[0]);
    } else {
      sum.add(seen, column[0]);
    }
  }
  // Chunks of 1, 4, 8 and loads of 16 bytes on some lanes, which then meet in some order.
  static Sum sum_of(const Data& x, Random& r) {
    const DigitUnit<T> seen(x.size());
    std::vector<Sum> lanes(pick(r, 1, 40));
    constexpr std::size_t load = 16 / sizeof(T);
    for (std::size_t i = 0; i < x.size();) {
      const std::size_t left = x.size() - i;
      Sum& sum = lanes[pick(r, 0, lanes.size() - 1)];
      const auto how = pick(r, 0, 3);
      if (how == 0 && left >= 8) {
        add<8>(sum, seen, x, i);
        i += 8;
      } else if (how == 1 && left >= 4) {
        add<4>(sum, seen, x, i);
        i += 4;
      } else if (how == 2 && left >= load) {
        Vector16<uint32_t> words;
        std::memcpy(&words, x.at(i), sizeof words);
        const kernel::LoadedElements<T> c(Sim{}, words);
        if (pick(r, 0, 3) == 0) sum.begin(seen, c.top);
        sum.add(seen, c);
        i += load;
      } else {
        sum.add(seen, kernel::OneElement<T>(element(x, i++)));
      }
    }
    while (lanes.size() > 1) {
      const std::size_t k = pick(r, 0, lanes.size() - 2);
      lanes[k].add(lanes.back());
      lanes.pop_back();
    }
    return lanes[0];
  }
  template <bool mean>
  static DigitAnswer answer_of(const Sum& sum, std::size_t n) {
    const uint32_t d = static_cast<uint32_t>(n) << std::countl_zero(static_cast<uint32_t>(n));
    const auto reciprocal = static_cast<uint32_t>(~uint64_t{0} / d - (uint64_t{1} << 32));
    return kernel::answer_of<T, mean>(sum, DigitUnit<T>(n), static_cast<uint32_t>(n), reciprocal);
  }
  // Returns whether both are decided; decided ones must have the processor's bits.
  static bool check(const Data& x, Random& r, const std::string& what) {
    const Sum sum = sum_of(x, r);
    const DigitAnswer s = answer_of<false>(sum, x.size()), m = answer_of<true>(sum, x.size());
    if (s.decided) {
      EXPECT_EQ(s.bits, answer(type, "sum", x)) << "sum of " << what;
    }
    if (m.decided) {
      EXPECT_EQ(m.bits, answer(type, "mean", x)) << "mean of " << what;
    }
    return s.decided && m.decided;
  }
};
using Floats = testing::Types<float, bfloat16, float16>;
TYPED_TEST_SUITE(Digits, Floats);

TYPED_TEST(Digits, AreTheProcessorsAnswersForAnyData) {
  Random r(5);
  for (const std::string_view generator : generators(this->type)) {
    int open = 0;
    for (int round = 0; round < test::scaled(100); ++round) {
      const std::size_t n = round % 2 == 0 ? pick(r, 1, 40) : pick_log(r, 1, 3000);
      const uint64_t seed = r();
      const Data x = generate(generator, this->type, n, seed);
      open += this->check(x, r, describe(generator, this->type, n, seed)) ? 0 : 1;
      if (this->HasFailure()) return;
    }
    for (const char* tame :
         {"normal", "uniform", "lognormal3", "integers", "few_values", "ties", "constant",
          "mostly_zero", "outlier", "nan", "inf", "both_inf", "subnormals", "limits", "largest"}) {
      if (generator == tame) {
        EXPECT_EQ(open, 0) << "undecided " << tame;
      }
    }
  }
}

// Elements of one magnitude, as many as a sum has room for, with one anchor and then a higher one.
TYPED_TEST(Digits, HaveRoomForAllElements) {
  using T = TypeParam;
  for (const float value : {3.0f, -60000.0f}) {
    const T one = nearest_to<T>(value);
    const uint64_t bits = bit_cast<bits_of<T>>(one);
    for (const int length : {17, 18, 22, 24}) {
      const std::size_t n = (std::size_t{1} << length) - 1;
      const DigitUnit<T> seen(n);
      DigitSum<T> sum, rest;
      using Column = kernel::ColumnElements<T, 1, 8>;
      typename Column::Rows words;
      for (auto& row : words) row[0] = static_cast<uint32_t>(bits);
      Column column[1];
      Column::look(Sim{}, words, column);
      for (std::size_t k = 0; k < n / 8; ++k) {
        if (sum.is_below(column[0])) {
          sum.add_slowly(seen, column[0]);
        } else {
          sum.add(seen, column[0]);
        }
      }
      for (std::size_t k = 0; k < n % 8; ++k) rest.add(seen, kernel::OneElement<T>(one));
      sum.add(rest);
      const DigitAnswer mean = this->template answer_of<true>(sum, n);
      EXPECT_TRUE(mean.decided) << value << " " << length;
      EXPECT_EQ(mean.bits, bits) << value << " " << length;
      // For f16 the unit exceeds 2^-24 only if sums may be beyond 2^63 units.
      const bool inexact = (sum.anchor & Anchors<T>::inexact) != 0;
      EXPECT_EQ(inexact, this->type == f16 && value < 0 && length > 22) << value << " " << length;
    }
  }
}

// Returns the f64 instructions in the PTX of some kernels.
std::string f64_in(const std::string& ptx) {
  std::istringstream lines(ptx);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.find(".f64") == std::string::npos) continue;
    const std::string text = line.substr(begin);
    const bool moves = text.starts_with("ld.") || text.starts_with("st.") ||
                       text.starts_with("mov.") || text.starts_with(".");
    if (!moves) found += text + "\n";
  }
  return found;
}

struct ChipAndType {
  const char* chip;
  DType type;
};
class DigitKernels : public testing::TestWithParam<ChipAndType> {};

std::string ptx_of(const char* chip, const std::vector<cuda_backend::Kernel>& module) {
  const std::string options[] = {"--gpu-architecture=compute_" + std::string(chip).substr(3),
                                 "-std=c++20", "--fmad=false", "-default-device",
                                 "--device-int128"};
  const auto made = jit::Nvrtc::get().to_ptx(cuda_backend::source_of(module), "digits.cu", options,
                                             jit::device_headers(), "");
  EXPECT_NE(made.ptx, "") << made.log;
  return made.ptx;
}
std::vector<cuda_backend::Kernel> whole_kernel(const char* ops, DType type, kernel::Stage stage) {
  const auto rows = parse_ops(ops);
  return {
      {{.dtype = type, .set = needs_of(rows), .ops = cuda_backend::bits_of(rows), .stage = stage},
       {.warps = 4, .loads = 8, .blocks = 4}}};
}

// All kernels for rows and columns, and the kernel that recomputes sums.
TEST_P(DigitKernels, HaveNoInstructionOfF64) {
  const jit::Nvrtc& nvrtc = jit::Nvrtc::get();
  if (!nvrtc.usable()) GTEST_SKIP() << "NVRTC was not found: " << nvrtc.library().why;
  const auto [chip, type] = GetParam();
  EXPECT_TRUE(cuda_backend::has_few_f64(chip));
  const auto ptx_of_walks = [&](const char* ops, std::initializer_list<kernel::Walk> walks,
                                bool digits) {
    const auto rows = parse_ops(ops);
    const kernel::OpSet bits = cuda_backend::bits_of(rows);
    EXPECT_TRUE(cuda_backend::sums_by_digits(type, bits, true));
    std::vector<cuda_backend::Kernel> module;
    for (const auto walk : walks) {
      const cuda_backend::KernelKey key{.dtype = type,
                                        .set = needs_of(rows),
                                        .ops = bits | (digits ? kernel::by_digits : 0),
                                        .walk = walk};
      module.push_back({key, cuda_backend::shape_of(key, chip)});
    }
    return ptx_of(chip, module);
  };
  using kernel::Walk;
  EXPECT_EQ(f64_in(ptx_of_walks(
                "sum,mean",
                {Walk::any_rows, Walk::long_rows, Walk::columns, Walk::even_columns,
                 Walk::single_columns, kernel::rows_by(0), kernel::rows_by(3), kernel::rows_by(5)},
                true)),
            "");
  EXPECT_EQ(f64_in(ptx_of_walks("sum", {Walk::undecided}, true)), "");
  EXPECT_NE(f64_in(ptx_of_walks("sum", {kernel::rows_by(0)}, false)), "") << "or nothing is found";
}

// The kernels for whole arrays, which also round.
TEST_P(DigitKernels, OfWholeArraysHaveNone) {
  const jit::Nvrtc& nvrtc = jit::Nvrtc::get();
  if (!nvrtc.usable()) GTEST_SKIP() << "NVRTC was not found: " << nvrtc.library().why;
  const auto [chip, type] = GetParam();
  for (const char* ops : {"sum", "mean", "norm1", "norm2", "var,std,rms", "sumsq"}) {
    EXPECT_EQ(f64_in(ptx_of(chip, whole_kernel(ops, type, kernel::Stage::digits))), "") << ops;
  }
  EXPECT_NE(f64_in(ptx_of(chip, whole_kernel("sum", type, kernel::Stage::first))), "")
      << "or nothing is found";
}

std::string name(const testing::TestParamInfo<ChipAndType>& info) {
  return std::string(info.param.chip) + "_" + name_of(info.param.type);
}
INSTANTIATE_TEST_SUITE_P(Chips, DigitKernels, testing::Values(ChipAndType{"sm_89", f32}), name);
INSTANTIATE_TEST_SUITE_P(LongChips, DigitKernels,
                         testing::Values(ChipAndType{"sm_89", bf16}, ChipAndType{"sm_89", f16},
                                         ChipAndType{"sm_103", f32}, ChipAndType{"sm_103", bf16},
                                         ChipAndType{"sm_103", f16}, ChipAndType{"sm_120", f32},
                                         ChipAndType{"sm_120", bf16}, ChipAndType{"sm_120", f16}),
                         name);

}  // namespace
