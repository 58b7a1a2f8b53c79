// Laws of states and strides on the folds of the golden hash, without packages: for other machines.
//
//   laws [--threads=N]
//
//   parts     the states of two parts, merged in either order, answer as the whole array
//   bytes     so does a state that was saved and loaded
//   strides   an array whose elements lie apart, or backwards, answers as a copy without holes
//
// Each op has 300 folds; the tests in law/ have many more of these and other laws.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "golden/golden.hpp"

namespace onefold::golden {
namespace {

constexpr int folds = 300;

// What a fold answers: a value's status and bits, or an error.
struct Said {
  ErrorCode error = ErrorCode::ok;
  Value value = {};
  friend bool operator==(const Said& a, const Said& b) {
    return a.error == b.error && a.value.status == b.value.status && a.value.bits == b.value.bits;
  }
};

template <class F>
Said said(const F& answer) {
  try {
    return {.value = answer()};
  } catch (const Error& e) {
    return {.error = e.code()};
  }
}

// A part of an array of one dimension: `n` elements from the element `first` on.
ArrayRef part(const std::vector<std::byte>& data, DType type, Size first, Size n) {
  return {data.data() + first * bytes_of(type), type, Dims(n)};
}

State state_of(const Drawn& f, Size first, Size n) {
  Options options{.nan = f.options.nan, .threads = f.options.threads};
  options.first = first;
  if (f.masked) options.where = part(f.mask, DType::boolean, first, n);
  const ArrayRef x = part(f.x, f.type, first, n);
  return f.two ? gather(f.op, x, part(f.y, f.type, first, n), options) : gather(f.op, x, options);
}

// The same elements `step` places apart; before 0 they go backwards.
struct Apart {
  std::vector<std::byte> room;
  ArrayRef array;
  Apart(const std::vector<std::byte>& data, DType type, int64_t n, int64_t step) {
    const auto bytes = static_cast<int64_t>(bytes_of(type));
    const int64_t distance = step * bytes, last = std::max<int64_t>(n - 1, 0) * distance;
    const int64_t begin = std::max<int64_t>(-last, 0);
    room.assign(static_cast<std::size_t>(std::max(last, begin) + bytes), std::byte{0x5a});
    for (int64_t i = 0; i < n; ++i) {
      std::copy_n(data.begin() + i * bytes, bytes, room.begin() + begin + i * distance);
    }
    array = {room.data() + begin, type, Dims(n)};
    array.strides[0] = distance;
  }
};

// Returns the name of a law that this fold breaks, or null.
const char* broken(const Drawn& f, Random& random) {
  const auto n = static_cast<Size>(f.shape[0]);
  const Said whole = said([&] { return f.answers(f.op, f.options)[f.op][0]; });
  const Options ask{.ddof = f.options.ddof, .empty_nan = f.options.empty_nan};
  const Size cut = random.below(n + 1);
  const State begin = state_of(f, 0, cut), end = state_of(f, cut, n - cut);
  State forwards = begin, backwards = end;
  forwards.merge(end);
  backwards.merge(begin);
  if (said([&] { return forwards.answer(f.op, ask); }) != whole) return "parts";
  if (said([&] { return backwards.answer(f.op, ask); }) != whole) return "parts, backwards";
  const State loaded = State::load(forwards.save());
  if (said([&] { return loaded.answer(f.op, ask); }) != whole) return "bytes";
  for (const int64_t step : {2, 3, -1, -2}) {
    const Apart x(f.x, f.type, f.shape[0], step), y(f.y, f.type, f.shape[0], -step),
        mask(f.mask, boolean, f.shape[0], step);
    Options options = f.options;
    if (f.masked) options.where = mask.array;
    const Said got = said([&] {
      return f.two ? fold(f.op, x.array, y.array, options)[f.op][0]
                   : fold(f.op, x.array, options)[f.op][0];
    });
    if (got != whole) return "strides";
  }
  return nullptr;
}

// Tries the laws on the first folds of one dimension. Returns how many break one.
int try_op(std::string_view op, int threads) {
  Hash name;
  for (const char c : op) name.add(static_cast<unsigned char>(c));
  Random random{name.value}, cuts{~name.value};
  const bool two = takes_two(op);
  int wrong = 0;
  for (int tried = 0; tried < folds;) {
    Drawn f = drawn(op, two, random);
    if (f.shape.rank() != 1) continue;
    ++tried;
    f.options.threads = threads;
    const char* const law = broken(f, cuts);
    if (law == nullptr) continue;
    std::printf("%s: fold %d of one dimension, %lld elements of %s, breaks: %s\n",
                std::string(op).c_str(), tried, static_cast<long long>(f.shape[0]),
                std::string(name_of(f.type)).c_str(), law);
    ++wrong;
  }
  return wrong;
}

}  // namespace
}  // namespace onefold::golden

int main(int argc, char** argv) {
  using namespace onefold::golden;
  const std::string argument = argc > 1 ? argv[1] : "";
  const int threads = argument.starts_with("--threads=") ? std::stoi(argument.substr(10)) : 0;
  int wrong = 0;
  for (const std::string_view op : onefold::op_names()) wrong += try_op(op, threads);
  return wrong == 0 ? 0 : 1;
}
