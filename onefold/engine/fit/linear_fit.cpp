// Least squares from exact sums.
#include <algorithm>
#include <bit>
#include <limits>

#include "onefold/core/exact/real.hpp"
#include "onefold/engine/fit/check.hpp"
#include "onefold/engine/fit/elimination.hpp"
#include "onefold/engine/fit/linear_fit.hpp"
#include "onefold/fit.hpp"

namespace onefold {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// Rounds a / b times 2^exponent, or the root of that, to f64. NaN: b is 0.
double rounded(const BigInteger& a, const BigInteger& b, int64_t exponent, bool root = false) {
  Real r = Real::nan();
  if (!b.zero()) {
    r = Real();
    r.numerator = quotient(a, b, exponent);
    r.negative = !a.zero() && a.negative() != b.negative();
    r.root = root;
  }
  return std::bit_cast<double>(round(r, DType::f64).bits);
}

// The sums of products of all pairs of columns: an intercept, those of x, y.
class NormalEquations {
 public:
  NormalEquations(const ColumnSums& sums, bool intercept, int threads)
      : intercept_(intercept),
        threads_(threads),
        size_(sums.columns() + (intercept ? 1 : 0)),
        exponent_(size_),
        matrix_(size_) {
    std::vector<ExactSum> all(size_ * size_);  // (i, j), i <= j
    read(sums, all);
    scale(all);
    for (Size i = 0; i < size_; ++i) {
      for (Size j = i; j < size_; ++j) {
        const ExactSum& s = all[i * size_ + j];
        matrix_.at(j, i) = s.integer.shifted(s.exponent - exponent_[i] - exponent_[j]);
      }
    }
  }

  void solve(LinearFit& fit) const {
    const Elimination e = eliminate(matrix_, threads_);
    fit.dependent = e.dependent;
    if (e.dependent != none) return;
    const Size k = size_ - 1, y = k;
    for (Size m = 0; m < k; ++m) {
      fit.coef[m] = rounded(e.solution[m], e.determinant, exponent_[y] - exponent_[m]);
    }
    // The spread of y times the number of rows; without an intercept, the sum of its squares.
    const BigInteger n = intercept_ ? matrix_.at(0, 0) : BigInteger(1);
    BigInteger spread = matrix_.at(y, y) * n;
    if (intercept_) spread = spread - matrix_.at(y, 0) * matrix_.at(y, 0);
    const BigInteger total = spread * e.determinant;
    fit.r2 = rounded(total - e.rest * n, total, 0);
    if (fit.dof <= 0) return;
    const BigInteger freedom = e.determinant * BigInteger(static_cast<uint64_t>(fit.dof));
    fit.residual_std = rounded(e.rest, freedom, 2 * exponent_[y], true);
    const BigInteger square = freedom * e.determinant;
    for (Size m = 0; m < k; ++m) {
      fit.standard_error[m] =
          rounded(e.rest * e.diagonal[m], square, 2 * (exponent_[y] - exponent_[m]), true);
    }
  }

 private:
  void read(const ColumnSums& sums, std::vector<ExactSum>& all) const {
    const Size first = intercept_ ? 1 : 0;
    const DType t = sums.dtype();
    if (intercept_) {
      const BigInteger n(sums.rows());
      const int64_t zeros = n.trailing_zeros();
      all[0] = {n.shifted(-zeros), zeros};
    }
    for (Size i = 0; i < sums.columns(); ++i) {
      if (intercept_) all[first + i] = exact_sum(Accumulator::sum, t, sums.sum(i));
      ExactSum* const row = &all[(first + i) * size_ + first];
      row[i] = exact_sum(Accumulator::sumsq, t, sums.squares(i));
      sums.for_products(
          i, [&](Size j, const int64_t* words) { row[j] = exact_sum(Accumulator::dot, t, words); });
    }
  }

  // Finds an exponent for each column such that each sum is an integer times 2^(both exponents).
  // Half the exponent of the sum of squares is the greatest one that may do; a column whose sums
  // with those before it are finer gets a lower one.
  void scale(const std::vector<ExactSum>& all) {
    for (Size j = 0; j < size_; ++j) {
      const auto at = [&](Size i) -> const ExactSum& { return all[i * size_ + j]; };
      exponent_[j] = at(j).exponent >> 1;
      for (Size i = 0; i < j; ++i) {
        if (at(i).integer.zero()) continue;
        exponent_[j] = std::min(exponent_[j], at(i).exponent - exponent_[i]);
      }
    }
  }

  bool intercept_;
  int threads_;
  Size size_;
  std::vector<int64_t> exponent_;
  SymmetricMatrix matrix_;
};

}  // namespace

LinearFit linear_fit(const ColumnSums& sums, bool intercept, NanPolicy policy, int threads) {
  const Size k = sums.columns() - 1 + (intercept ? 1 : 0);
  LinearFit fit;
  fit.coef.assign(k, nan_value);
  fit.standard_error.assign(k, nan_value);
  fit.r2 = fit.residual_std = nan_value;
  fit.n = sums.rows();
  fit.dof = static_cast<int64_t>(fit.n) - static_cast<int64_t>(k);
  bool finite = true, nan = false;
  for (Size j = 0; j < sums.columns(); ++j) {
    nan = nan || sums.has_nan(j);
    finite = finite && !sums.has_nan(j) && !sums.has_infinity(j);
  }
  if (nan && policy == NanPolicy::raise) {
    throw Error(ErrorCode::nan_found,
                "linear_fit: the data contain NaN; leave out the rows with NaN");
  }
  if (finite) NormalEquations(sums, intercept, threads).solve(fit);
  return fit;
}

LinearFit linear_fit(const ArrayRef& x, const ArrayRef& y, bool intercept, const Options& options) {
  check_fit_options("linear_fit", options, {".nan", ".threads", ".target"});
  const ColumnSums sums("linear_fit", x, &y, options.nan, options);
  return linear_fit(sums, intercept, options.nan, options.threads);
}

}  // namespace onefold
