// Matrices whose entries are ops of two columns.
#include <algorithm>
#include <cstring>

#include "onefold/core/accumulator.hpp"
#include "onefold/engine/fit/check.hpp"
#include "onefold/engine/fit/column_sums.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/state/state.hpp"
#include "onefold/fit.hpp"
#include "onefold/matmul.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

// Returns x with two axes. throws  as check_columns
ArrayRef as_matrix(const char* where, const ArrayRef& x) {
  check_columns(where, x, nullptr);
  if (x.shape.rank() == 2) return x;
  return ArrayRef(x.data, x.dtype, Dims(x.shape[0], 1), Dims(x.strides[0], 0));
}

// With fewer rows ops fold each pair: that takes 1.2 to 1.6 ns an element, and sums of pairs 0.5 ns
// and 3 to 7 us a pair.
constexpr int64_t few_rows = 4096;

// Copies of columns, each in one piece.
struct Columns {
  explicit Columns(const ArrayRef& x)
      : bytes(static_cast<Size>(x.shape[0] * x.shape[1]) * bytes_of(x.dtype)) {
    visit(x.dtype, [&]<class T>() {
      std::byte* to = bytes.data();
      for (int64_t j = 0; j < x.shape[1]; ++j) {
        const auto* from = static_cast<const std::byte*>(x.data) + j * x.strides[1];
        for (int64_t i = 0; i < x.shape[0]; ++i, from += x.strides[0], to += sizeof(T)) {
          std::memcpy(to, from, sizeof(T));
        }
      }
    });
    const auto each = static_cast<int64_t>(bytes_of(x.dtype));
    array = ArrayRef(bytes.data(), x.dtype, x.shape, Dims(each, each * x.shape[0]));
  }
  std::vector<std::byte> bytes;
  ArrayRef array;
};

// Copies entries of the upper triangle to the lower one.
void mirror(Answer& answer) {
  const auto p = static_cast<Size>(answer.shape[0]);
  const Size bytes = bytes_of(answer.dtype);
  for (Size i = 0; i < p; ++i) {
    for (Size j = i + 1; j < p; ++j) {
      std::memcpy(answer.data.data() + (j * p + i) * bytes,
                  answer.data.data() + (i * p + j) * bytes, bytes);
      answer.status[j * p + i] = answer.status[i * p + j];
    }
  }
}

// The plan that answers an op from words of its accumulators.
Plan plan_of(const char* op, DType dtype, const Options& options) {
  State::Impl kind;
  kind.dtype = dtype;
  kind.nan = options.nan;
  kind.holds = find_op(op).about->needs;
  kind.layout = layout_of(kind.holds, dtype);
  Options answering{.result = options.result, .wide = options.wide};
  answering.ddof = options.ddof;
  return plan_of_answers(kind, op, answering);
}

// A matrix of the op `cov` or `corr`.
class Relations {
 public:
  Relations(const char* op, const char* name, const ArrayRef& x, const Options& options)
      : op_(op),
        name_(name),
        x_(as_matrix(name, x)),
        options_(options),
        p_(static_cast<Size>(x_.shape[1])) {}

  Answer run() const {
    const bool apart = options_.nan == NanPolicy::omit && is_floating(x_.dtype);
    const bool few = x_.shape[0] < few_rows;
    Answer answer = few ? pair_by_pair(Columns(x_).array) : apart ? pair_by_pair(x_) : from_sums();
    answer.op = name_;
    mirror(answer);
    return answer;
  }

 private:
  Answer from_sums() const {
    const ColumnSums sums(name_, x_, nullptr, options_.nan, options_);
    Plan plan = plan_of(op_, x_.dtype, options_);
    plan.answers = p_ * p_;
    Output output(plan);
    parallel(p_, options_.threads, [&](std::size_t i) {
      std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
      const auto put = [&](Size j, const int64_t* products) {
        join(sums, i, j, products, plan.layout, state.data());
        output.put(plan, i * p_ + j, state.data());
      };
      put(i, sums.squares(i));
      sums.for_products(i, put);
    });
    return std::move(output.take(Dims(p_, p_)).list[0]);
  }

  // Makes the state that a gather of columns i and j would have.
  void join(const ColumnSums& sums, Size i, Size j, const int64_t* products, const Layout& layout,
            int64_t* state) const {
    clear(state, layout, x_.dtype);
    const auto put = [&](Accumulator a, const int64_t* from) {
      const int offset = layout.offset[static_cast<int>(a)];
      if (offset >= 0) std::copy_n(from, row_of(a, x_.dtype).limbs, state + offset);
    };
    put(Accumulator::left_sum, sums.sum(i));
    put(Accumulator::right_sum, sums.sum(j));
    put(Accumulator::left_sumsq, sums.squares(i));
    put(Accumulator::right_sumsq, sums.squares(j));
    put(Accumulator::dot, products);
    // Of pairs that have no number, formulas ask only whether there is one.
    using Pairs = accumulator::pairs<double>;
    int64_t* const pairs = state + layout.offset[static_cast<int>(Accumulator::pairs)];
    pairs[Pairs::n] = static_cast<int64_t>(sums.rows());
    pairs[Pairs::nan] = sums.has_nan(i) || sums.has_nan(j) ? 1 : 0;
    pairs[Pairs::infinite] = sums.has_infinity(i) || sums.has_infinity(j) ? 1 : 0;
  }

  // Folds column i of x beside each column from it on.
  Answer pair_by_pair(const ArrayRef& x) const {
    Options o = options_;
    o.axes = Axes(-1);
    Answer answer;
    answer.shape = Dims(p_, p_);
    answer.status.resize(p_ * p_);
    for (Size i = 0; i < p_; ++i) {
      const std::byte* const at =
          static_cast<const std::byte*>(x.data) + static_cast<int64_t>(i) * x.strides[1];
      const Dims shape(p_ - i, x.shape[0]);
      const ArrayRef one(at, x.dtype, shape, Dims(0, x.strides[0]));
      const ArrayRef others(at, x.dtype, shape, Dims(x.strides[1], x.strides[0]));
      const Answer row = std::move(fold(op_, one, others, o).list[0]);
      answer.dtype = row.dtype;
      answer.data.resize(p_ * p_ * bytes_of(row.dtype));
      std::copy(row.data.begin(), row.data.end(),
                answer.data.data() + (i * p_ + i) * bytes_of(row.dtype));
      std::copy(row.status.begin(), row.status.end(), answer.status.data() + i * p_ + i);
    }
    return answer;
  }

  const char* op_;
  const char* name_;
  ArrayRef x_;
  const Options& options_;
  Size p_;
};

// From so many columns on a product of matrices is quicker than sums of pairs, of which it takes
// twice as many: 1.4 and 0.7 ns a pair for 20 columns of f64, 0.18 and 0.39 for 100 of f32.
int64_t least_of_matmul(DType t) { return bytes_of(t) == 8 ? 128 : 48; }

// The words of `dot` of a column with itself.
void square(const ColumnSums& sums, Size i, int64_t* words) {
  visit(sums.dtype(), [&]<class T>() {
    using Dot = accumulator::dot<T>;
    using One = accumulator::tally<T>;
    const int64_t* const tally = sums.tally(i);
    std::fill_n(words, Dot::words, 0);
    std::copy_n(sums.squares(i), Dot::limbs, words);
    words[Dot::n] = tally[One::n];
    words[Dot::nan] = tally[One::nan];
    words[Dot::positive_infinity] = tally[One::positive_infinity] + tally[One::negative_infinity];
    words[Dot::not_negative_zero] = tally[One::n] > tally[One::nan] && Floating<T> ? 1 : 0;
  });
}

Answer gram_of_sums(const ArrayRef& x, const Options& options) {
  const ColumnSums sums("gram", x, nullptr, NanPolicy::propagate, options);
  const Size p = sums.columns();
  Plan plan = plan_of("dot", x.dtype, options);
  plan.answers = p * p;
  Output output(plan);
  parallel(p, options.threads, [&](std::size_t i) {
    std::vector<int64_t> diagonal(static_cast<std::size_t>(plan.layout.words));
    square(sums, i, diagonal.data());
    output.put(plan, i * p + i, diagonal.data());
    sums.for_products(i, [&](Size j, const int64_t* words) { output.put(plan, i * p + j, words); });
  });
  return std::move(output.take(Dims(p, p)).list[0]);
}

}  // namespace

Answer cov_matrix(const ArrayRef& x, const Options& options) {
  check_fit_options("cov_matrix", options,
                    {".ddof", ".nan", ".result", ".wide", ".threads", ".target"});
  return Relations("cov", "cov_matrix", x, options).run();
}

Answer corr_matrix(const ArrayRef& x, const Options& options) {
  check_fit_options("corr_matrix", options, {".nan", ".result", ".wide", ".threads", ".target"});
  return Relations("corr", "corr_matrix", x, options).run();
}

Answer gram(const ArrayRef& x, const Options& options) {
  check_fit_options("gram", options, {".nan", ".result", ".wide", ".threads", ".target"});
  const ArrayRef m = as_matrix("gram", x);
  Answer answer;
  if (m.shape[0] >= few_rows && m.shape[1] < least_of_matmul(m.dtype)) {
    answer = gram_of_sums(m, options);
    mirror(answer);
  } else {
    const ArrayRef transposed(m.data, m.dtype, Dims(m.shape[1], m.shape[0]),
                              Dims(m.strides[1], m.strides[0]));
    answer = matmul(transposed, m, options);
  }
  answer.op = "gram";
  return answer;
}

}  // namespace onefold
