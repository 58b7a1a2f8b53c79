// Calls as users write them, for every compiler: each kind of range, arrays whose type is known at
// run time, answers of another type, states and outputs.
#include <onefold/onefold.hpp>

#include <array>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

namespace {

bool ranges_fold() {
  std::vector<float> v{1, 2, 3};
  const std::array<double, 3> a{1, 2, 3};
  const int c[] = {1, 2, 3};
  const std::span<const float> s = v;
  bool right = onefold::sum(v) == 6 && onefold::sum(a) == 6 && onefold::sum(c) == 6;
  right = right && onefold::sum(s.first(2)) == 3 && onefold::sum(std::span(v.data(), 1)) == 1;
  right = right && onefold::dot(v, s) == 14 && onefold::var(a, {.ddof = 1}) == 1;
  // clang before 16 compiles only span of libstdc++'s views, even without Onefold.
#if !defined(__clang__) || __clang_major__ >= 16
  right = right && onefold::sum(v | std::views::take(2)) == 3;
  right = right && onefold::max(std::ranges::subrange(v.begin(), v.end())) == 3;
#endif
  return right;
}

bool other_types_are_returned() {
  const std::vector<float> v{16777216, 1};
  return onefold::sum(v) == 16777216 && onefold::sum.as<double>(v) == 16777217 &&
         onefold::dot.as<double>(v, std::vector<float>{1, 1}) == 16777217;
}

bool arrays_fold() {
  const std::int16_t table[] = {1, 2, 3, 4, 5, 6};
  const onefold::ArrayRef x(table, onefold::i16, {2, 3});
  const onefold::Value sum = onefold::sum(x);
  const auto [mean, greatest] = onefold::fold<onefold::mean, onefold::max>(x);
  const onefold::Answers columns = onefold::fold("sum", x, {.axes = 0});
  std::vector<std::int64_t> out(2);
  onefold::fold_into(out, "sum", x, {.axes = 1});
  onefold::State state = onefold::gather("mean", x);
  state.merge(onefold::gather("mean", x));
  return sum.as<std::int64_t>() == 21 && mean.as<double>() == 3.5 &&
         greatest.as<std::int16_t>() == 6 && columns["sum"][2].as<std::int64_t>() == 9 &&
         out[1] == 15 && onefold::dot(x, x).as<std::int64_t>() == 91 &&
         state.answer("mean").as<double>() == 3.5;
}

}  // namespace

bool calls_are_right() { return ranges_fold() && other_types_are_returned() && arrays_fold(); }
