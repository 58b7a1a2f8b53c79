// The sum of an array by the definition of its accumulators, for the lab in a browser: the
// library's own loops are for x86-64.
#include "onefold/core/op/sum.hpp"
#include "onefold/core/gathered.hpp"
#include "onefold/fold.hpp"

namespace onefold {

// Supports only "sum" of a whole contiguous array.
Answers fold(std::string_view ops, const ArrayRef& x, const Options&) {
  if (ops != "sum") throw Error(ErrorCode::unknown_op, "only sum is available in a browser");
  const DType type = op::sum_::about.result.of(x.dtype);
  const auto rounded = visit(x.dtype, [&]<class T>() {
    using Sum = accumulator::sum<T>;
    using Tally = accumulator::tally<T>;
    int64_t sum[Sum::words] = {}, tally[Tally::words] = {};
    const auto* from = static_cast<const std::byte*>(x.data);
    for (Size i = 0; i < x.shape[0]; ++i) {
      T v;
      std::memcpy(&v, from + i * sizeof v, sizeof v);
      Sum::lift([&](int k, int64_t digit) { sum[k] += digit; }, v, i);
      Tally::lift([&](int k, int64_t count) { tally[k] += count; }, v, i);
    }
    Sum::canonicalise(sum);
    Tally::canonicalise(tally);
    Gathered g{.dtype = x.dtype};
    g.words[static_cast<int>(Accumulator::sum)] = sum;
    g.words[static_cast<int>(Accumulator::tally)] = tally;
    return round(op::sum_::finish(g), type);
  });
  Answer a{.op = "sum", .dtype = type, .shape = {}, .data = std::vector<std::byte>(bytes_of(type))};
  std::memcpy(a.data.data(), &rounded.bits, a.data.size());
  a.status = {rounded.status};
  Answers all;
  all.list.push_back(std::move(a));
  return all;
}

Value Answer::operator[](Size i) const {
  Value v{.dtype = dtype, .status = status[i]};
  std::memcpy(&v.bits, data.data() + i * bytes_of(dtype), bytes_of(dtype));
  return v;
}
Value Answer::only() const { return (*this)[0]; }

}  // namespace onefold
