#include "onefold/engine/group/row_answers.hpp"

#include <bit>
#include <cstring>
#include <string_view>

#include "onefold/core/exact/decimal.hpp"
#include "onefold/core/order_key.hpp"

namespace onefold {
namespace {

constexpr int64_t no_index = -1;

constexpr uint64_t powers_of_base[] = {1, decimal::base,
                                       uint64_t{decimal::base} * uint64_t{decimal::base}};

}  // namespace

bool round_quotient(Uint128 a, bool negative, int power, uint64_t divisor, double& rounded) {
  const auto high = static_cast<uint64_t>(a >> 64);
  const int shift =
      high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<uint64_t>(a));
  a <<= shift;
  power -= shift;
  // The quotient has 65 bits or more.
  const Uint128 q = a / divisor;
  const bool rest = q * divisor != a;
  const auto top = static_cast<uint64_t>(q >> 64);
  const int drop = 128 - std::countl_zero(top) - 53;
  auto mantissa = static_cast<uint64_t>(q >> drop);
  const Uint128 below = q & ((Uint128{1} << drop) - 1), half = Uint128{1} << (drop - 1);
  if (below > half || (below == half && (rest || (mantissa & 1) != 0))) ++mantissa;
  power += drop;
  if (mantissa >> 53 != 0) {
    mantissa >>= 1;
    ++power;
  }
  const int exponent = power + 52 + 1023;
  if (exponent < 1 || exponent > 2046) return false;
  rounded = std::bit_cast<double>(uint64_t{negative} << 63 | static_cast<uint64_t>(exponent) << 52 |
                                  (mantissa & ((uint64_t{1} << 52) - 1)));
  return true;
}

RowAnswers::RowAnswers(const Plan& plan, const StateTable& groups) : shape_(groups.shape()) {
  if (plan.initial || plan.inputs != 1 || plan.dtype != DType::f64 || shape_.n < 0) return;
  int sums = 0;
  for (const RowShape::Limbs& held : shape_.limbs) {
    decimal_ = held.accumulator == Accumulator::decimal;
    if (held.accumulator != Accumulator::sum && !decimal_) return;
    sum_ = held;
    ++sums;
  }
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    const std::string_view name = plan.ops[k]->name;
    const bool of_type = plan.results[k] == DType::f64;
    if ((name == "sum" || name == "mean") && of_type && sums == 1) {
      ops_.push_back(name == "sum" ? Kind::sum : Kind::mean);
    } else if (name == "min" && of_type && shape_.extremes[0] >= 0) {
      ops_.push_back(Kind::least);
    } else if (name == "max" && of_type && shape_.extremes[1] >= 0) {
      ops_.push_back(Kind::greatest);
    } else if (name == "count" && plan.results[k] == DType::i64) {
      ops_.push_back(Kind::count);
    } else {
      ops_.clear();
      return;
    }
  }
}

bool RowAnswers::put_sum(const int64_t* row, uint64_t divisor, std::byte* to) const {
  const int64_t* const digit = row + sum_.slot;
  int low = 0, high = sum_.digits;
  while (high > 0 && digit[high - 1] == 0) --high;
  while (low < high && digit[low] == 0) ++low;
  if (high == low || high - low > 3 || (sum_.top && high == sum_.digits)) return false;
  const Int128 base = decimal_ ? Int128{decimal::base} : Int128{1} << 32;
  Int128 sum = 0;
  for (int k = high; k-- > low;) sum = sum * base + digit[k];
  if (sum == 0) return false;
  int power = 0;
  if (decimal_) {
    const int below = decimal::below - (sum_.lowest + low);  // words
    if (below < 0 || below > 2) return false;
    if (divisor > (uint64_t{1} << 63) / powers_of_base[below] - 1) return false;
    divisor *= powers_of_base[below];
  } else {
    power = unit_of_sum(Accumulator::sum, DType::f64) + 32 * (sum_.lowest + low);
  }
  const bool negative = sum < 0;
  double rounded = 0;
  if (!round_quotient(negative ? -static_cast<Uint128>(sum) : static_cast<Uint128>(sum), negative,
                      power, divisor, rounded)) {
    return false;
  }
  std::memcpy(to, &rounded, sizeof rounded);
  return true;
}

bool RowAnswers::put(const int64_t* row, const std::vector<std::byte*>& to, Size at) const {
  constexpr int64_t most = int64_t{1} << 30;  // elements between carries
  const int64_t n = row[shape_.n];
  if (n < 1 || n > most) return false;
  for (const int slot : shape_.not_numbers) {
    if (row[slot] != 0) return false;
  }
  for (std::size_t k = 0; k < ops_.size(); ++k) {
    std::byte* const place = to[k] + at * 8;
    switch (ops_[k]) {
      case Kind::sum:
      case Kind::mean:
        if (!put_sum(row, ops_[k] == Kind::sum ? 1 : static_cast<uint64_t>(n), place)) return false;
        break;
      case Kind::least:
      case Kind::greatest: {
        const int64_t* const held = row + shape_.extremes[ops_[k] == Kind::least ? 0 : 1];
        if (held[1] == no_index || held[2] != no_index) return false;
        const auto x = from_order_key<double>(held[0]);
        std::memcpy(place, &x, sizeof x);
        break;
      }
      case Kind::count:
        std::memcpy(place, &n, sizeof n);
        break;
    }
  }
  return true;
}

}  // namespace onefold
