// States of logsumexp of many slices: exponential/state.hpp says what their words are.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "onefold/cpu/exponential/row_parts.hpp"
#include "onefold/engine/request/row_function.hpp"
#include "onefold/engine/state/bytes.hpp"
#include "onefold/logsumexp.hpp"
#include "onefold/system/floating_point.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

constexpr Size words_each = LogsumexpStates::words_each;
static_assert(sizeof(ExponentialState) == words_each * sizeof(uint64_t));
constexpr uint64_t most_elements = uint64_t{1} << 53;
constexpr std::string_view magic_of_logsumexp("1foldle\n", 8);

ExponentialState state_at(const std::vector<uint64_t>& words, Size slice) {
  ExponentialState s;
  std::memcpy(static_cast<void*>(&s), words.data() + slice * words_each, sizeof s);
  return s;
}

// Calls f(slice) for each slice, of many by all threads.
template <class F>
void for_slices(Size slices, F&& f) {
  constexpr Size of_task = 1024;
  parallel((slices + of_task - 1) / of_task, 0, [&](std::size_t task) {
    const Size end = std::min(slices, (task + 1) * of_task);
    for (Size i = task * of_task; i < end; ++i) f(i);
  });
}

bool is_of_type(double v, DType t) {
  return cpu_backend::as_floating(t, [&]<class T>() { return to_double(from_double<T>(v)) == v; });
}

bool is_below(uint64_t n) { return n <= most_elements; }
bool is_zero_bits(double v) { return bit_cast<uint64_t>(v) == 0; }

// Returns what no elements of type t can give; null: nothing.
const char* flaw_of(const ExponentialState& s, DType t) {
  if (!is_below(s.nan) || !is_below(s.highest) || !is_below(s.lowest) || !is_below(s.finite) ||
      !is_below(s.count())) {
    return "there are more than 2^53 elements";
  }
  if (s.finite == 0) {
    bool empty = s.at_greatest == 0 && is_zero_bits(s.greatest) && is_zero_bits(s.least);
    for (const auto& bin : s.bin) empty = empty && bin[0] == 0 && bin[1] == 0 && bin[2] == 0;
    return empty ? nullptr : "the state is damaged: it has sums, but counts no finite element";
  }
  if (!std::isfinite(s.greatest) || !std::isfinite(s.least) || !is_of_type(s.greatest, t) ||
      !is_of_type(s.least, t) || s.greatest < s.least) {
    return "the extremes are in the wrong order, or not numbers of the type";
  }
  const bool equal = s.greatest == s.least;
  if (s.at_greatest == 0 || s.at_greatest > s.finite || equal != (s.at_greatest == s.finite)) {
    return "the number of largest elements is wrong";
  }
  // Terms are at least 1 unit less than 2^88, and below 2^112: bits 64 and 128 begin limbs.
  double terms = 0;
  for (const auto& bin : s.bin) {
    const double units = static_cast<double>(bin[2]) * 0x1p40 +
                         static_cast<double>(bin[1]) * 0x1p-24 +
                         static_cast<double>(bin[0]) * 0x1p-88;
    if (units > static_cast<double>(s.finite) * 0x1p24) return "a sum is too large";
    terms += units;
  }
  return terms >= static_cast<double>(s.at_greatest) * (1 - 0x1p-40) ? nullptr
                                                                     : "a sum is too small";
}

}  // namespace

Size LogsumexpStates::size() const { return words_.size() / words_each; }

void LogsumexpStates::merge(const LogsumexpStates& other) {
  if (!other.holds_) return;
  if (!holds_) {
    *this = other;
    return;
  }
  if (dtype_ != other.dtype_ || nan_ != other.nan_) {
    throw Error(ErrorCode::bad_state, std::string("merge: states of ") + name_of(other.dtype_) +
                                          " with NaN policy " + name_of(other.nan_) +
                                          " cannot be merged into states of " + name_of(dtype_) +
                                          " with " + name_of(nan_));
  }
  if (shape_ != other.shape_) {
    throw Error(ErrorCode::shape_mismatch, "merge: states of shape " + to_string(other.shape_) +
                                               " cannot be merged into states of shape " +
                                               to_string(shape_));
  }
  const FloatingPointMode mode;  // floors and comparisons of subnormal numbers
  std::vector<uint64_t> words(words_.size());
  for (Size i = 0; i < size(); ++i) {
    ExponentialState s = state_at(words_, i);
    const ExponentialState more = state_at(other.words_, i);
    if (!is_below(s.count() + more.count())) {
      throw Error(ErrorCode::bad_state, "merge: slice " + std::to_string(i) + " would have " +
                                            std::to_string(s.count() + more.count()) +
                                            " elements; a state holds at most 2^53");
    }
    onefold::merge(s, more);
    std::memcpy(words.data() + i * words_each, &s, sizeof s);
  }
  words_ = std::move(words);
}

Answer LogsumexpStates::answer(bool mean) const {
  const FloatingPointMode mode;
  const auto name = mean ? RowFunction::logmeanexp : RowFunction::logsumexp;
  Answer answer{.op = name_of(name), .dtype = dtype_, .shape = shape_, .data = {}, .status = {}};
  answer.data.resize(size() * bytes_of(dtype_));
  answer.status.resize(size());
  for_slices(size(), [&](Size i) {
    uint64_t bits = 0;
    cpu_backend::as_floating(dtype_, [&]<class T>() {
      answer.status[i] =
          answer_of_state<T>(state_at(words_, i), mean, nan_, cpu_backend::power_tables(), &bits);
      return true;
    });
    cpu_backend::put_element(answer.data.data(), i, dtype_, bits);
  });
  return answer;
}

std::vector<std::byte> LogsumexpStates::save() const {
  Writer w;
  w.raw(magic_of_logsumexp.data(), magic_of_logsumexp.size());
  w.number(holds_);
  w.text(name_of(dtype_));
  w.text(name_of(nan_));
  w.shape(shape_);
  w.raw(words_.data(), words_.size() * sizeof(uint64_t));
  return w.finished();
}

LogsumexpStates LogsumexpStates::load(std::span<const std::byte> bytes) {
  Reader r(bytes, magic_of_logsumexp, "states of logsumexp");
  LogsumexpStates s;
  const uint64_t holds = r.number();
  if (holds > 1) bad_bytes("a flag is neither 0 nor 1");
  s.dtype_ = dtype_called(r.text());
  s.nan_ = policy_called(r.text());
  if (!is_floating(s.dtype_)) bad_bytes("the type is not a float");
  Size slices = 1;
  const Dims shape = r.shape(slices);
  if (holds == 0) {
    if (s != LogsumexpStates() || shape.rank() != 0) {
      bad_bytes("an empty state has a type");
    }
    slices = 0;
  }
  if (r.bytes.size() % sizeof(ExponentialState) != 0 ||
      r.bytes.size() / sizeof(ExponentialState) != slices) {
    bad_bytes("the number of bytes does not fit " + std::to_string(slices) + " slices");
  }
  std::vector<uint64_t> words(slices * words_each);
  r.raw(words.data(), r.bytes.size());
  return holds == 0 ? s : of(words, s.dtype_, s.nan_, shape);
}

LogsumexpStates LogsumexpStates::of(std::span<const uint64_t> words, DType type, NanPolicy nan,
                                    const Dims& shape) {
  Size slices = 1;
  for (const int64_t extent : shape) slices *= static_cast<Size>(extent);
  if (!is_floating(type) || words.size() != slices * words_each) {
    throw Error(ErrorCode::bad_state, "states of " + std::to_string(slices) + " slices of " +
                                          name_of(type) + ": " + std::to_string(words.size()) +
                                          " words were given; each slice needs " +
                                          std::to_string(words_each) +
                                          ", and the type must be a "
                                          "float type");
  }
  LogsumexpStates s;
  s.holds_ = true;
  s.dtype_ = type;
  s.nan_ = nan;
  s.shape_ = shape;
  s.words_.assign(words.begin(), words.end());
  for_slices(slices, [&](Size i) {
    if (const char* const flaw = flaw_of(state_at(s.words_, i), type)) {
      bad_bytes("slice " + std::to_string(i) + ": " + flaw);
    }
  });
  return s;
}

LogsumexpStates gather_logsumexp(const ArrayRef& x, const Options& options) {
  if (x.device.type == Device::Type::cuda || options.device.type == Device::Type::cuda) {
    throw Error(ErrorCode::unsupported,
                "gather_logsumexp: the array is on a device; call gather_logsumexp_into");
  }
  const Answer answer = row_function(RowFunction::logsumexp_state, x, options);
  std::vector<uint64_t> words(answer.data.size() / sizeof(uint64_t));
  if (!words.empty()) std::memcpy(words.data(), answer.data.data(), answer.data.size());
  return LogsumexpStates::of(words, answer.dtype, options.nan, answer.shape);
}

}  // namespace onefold
