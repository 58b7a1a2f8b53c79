// Matrices whose entries are ops of two columns.
#include <algorithm>
#include <cstring>

#include "onefold/core/pair/pairs.hpp"
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

ArrayRef as_matrix(const ArrayRef& x) {
  if (x.shape.rank() == 2) return x;
  return ArrayRef(x.data, x.dtype, Dims(x.shape[0], 1), Dims(x.strides[0], 0));
}

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

// A matrix of the op `cov` or `corr`.
class Relations {
 public:
  Relations(const char* op, const char* name, const ArrayRef& x, const Options& options)
      : op_(op),
        name_(name),
        x_(as_matrix(x)),
        options_(options),
        p_(static_cast<Size>(x_.shape[1])) {}

  Answer run() const {
    const bool apart = options_.nan == NanPolicy::omit && is_floating(x_.dtype);
    Answer answer = apart ? pair_by_pair() : from_sums();
    answer.op = name_;
    mirror(answer);
    return answer;
  }

 private:
  Answer from_sums() const {
    const ColumnSums sums(name_, x_, nullptr, options_.nan, options_);
    State::Impl kind;
    kind.dtype = x_.dtype;
    kind.nan = options_.nan;
    kind.holds = find_op(op_).about->needs;
    kind.layout = layout_of(kind.holds, kind.dtype);
    Options answering{.result = options_.result, .wide = options_.wide};
    answering.ddof = options_.ddof;
    Plan plan = plan_of_answers(kind, op_, answering);
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

  // Folds column i beside each column from it on.
  Answer pair_by_pair() const {
    check_columns(name_, x_, nullptr);
    Options o = options_;
    o.axes = Axes(-1);
    Answer answer;
    answer.shape = Dims(p_, p_);
    answer.status.resize(p_ * p_);
    for (Size i = 0; i < p_; ++i) {
      const std::byte* const at =
          static_cast<const std::byte*>(x_.data) + static_cast<int64_t>(i) * x_.strides[1];
      const Dims shape(p_ - i, x_.shape[0]);
      const ArrayRef one(at, x_.dtype, shape, Dims(0, x_.strides[0]));
      const ArrayRef others(at, x_.dtype, shape, Dims(x_.strides[1], x_.strides[0]));
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
  check_columns("gram", x, nullptr);
  const ArrayRef m = as_matrix(x);
  const ArrayRef transposed(m.data, m.dtype, Dims(m.shape[1], m.shape[0]),
                            Dims(m.strides[1], m.strides[0]));
  Answer answer = matmul(transposed, m, options);
  answer.op = "gram";
  return answer;
}

}  // namespace onefold
