#include "lab/kernel_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "lab/kernel_orders.hpp"
#include "lab/ptx/op/half.hpp"

namespace onefold::lab {
namespace {

constexpr uint64_t most_steps = uint64_t{1} << 27;  // of all runs together: some 1 s
constexpr std::size_t most_listed = 8;

std::vector<std::byte> elements(DType type, std::span<const uint8_t> values) {
  std::vector<std::byte> bytes(values.size() * bytes_of(type));
  visit(type, [&]<class T>() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      T v{};
      if constexpr (std::is_same_v<T, float16>) {
        v.bits = ptx::F16::narrow(static_cast<float>(values[i]));
      } else if constexpr (std::is_same_v<T, bfloat16>) {
        v.bits = ptx::Bf16::narrow(static_cast<float>(values[i]));
      } else if constexpr (!std::is_same_v<T, Bool8>) {
        v = static_cast<T>(values[i]);
      }
      std::memcpy(bytes.data() + i * sizeof v, &v, sizeof v);
    }
  });
  return bytes;
}

// Sums of integers up to this one are exact.
Size exact_up_to(DType t) {
  switch (t) {
    case DType::bf16:
      return 1 << 8;
    case DType::f16:
      return 1 << 11;
    case DType::f32:
      return 1 << 24;
    default:
      return 1 << 30;
  }
}

// The coefficients by which an array's elements are in an answer, found by runs with others.
class Search {
 public:
  Search(const KernelOptions& o, const ptx::Program& program, std::span<const Bound> bound,
         const std::string& expectation, std::size_t array)
      : options_(o), program_(program), bound_(bound), expectation_(expectation), array_(array) {}

  // Returns what is wrong; empty: nothing, or the answer is not a sum of this array.
  std::string run() {
    zero_ = answer(weights(0, 0));
    if (!zero_ || !find_unit() || !adds_up()) return "";
    look(0, n());
    if (lacking_.empty() && repeated_.empty()) return "";
    std::string text;
    for (const auto& [from, to] : lacking_) {
      text += fmt::format("{} {}", text.empty() ? " lacks" : ",", name_of(from));
      if (to - from > 1) text += fmt::format(" to {}", name_of(to - 1));
    }
    for (const auto& [i, times] : repeated_) {
      text += fmt::format("{} counts {} {:.6g} times", text.empty() ? "" : ", and", name_of(i),
                          static_cast<double>(times));
    }
    return text + (ended_ ? ", and perhaps more" : "");
  }

 private:
  using Weights = std::vector<uint8_t>;

  Size n() const { return options_.arguments[array_].n; }
  std::string name_of(Size i) const {
    return fmt::format("{}[{}]", options_.arguments[array_].name, i);
  }
  // Zeros, except elements from..to, which have different small integers, at most `most`.
  Weights weights(Size from, Size to, unsigned most = 15) const {
    Weights w(n(), 0);
    for (Size i = from; i < to; ++i) {
      w[i] = static_cast<uint8_t>(1 + ((i + 1) * 0x9e3779b97f4a7c15u >> 40) % most);
    }
    return w;
  }
  // The answer with other elements; nothing if the kernel cannot run with them.
  std::optional<long double> answer(const Weights& w) {
    ended_ = ended_ || steps_ > most_steps;
    if (ended_) return std::nullopt;
    KernelArgument& a = options_.arguments[array_];
    a.data = elements(a.dtype, w);
    const KernelRun ran = run_once(options_, program_, bound_, {.schedule = 1});
    steps_ += ran.steps + steps_of_run + n();
    if (!ran.failure.empty() || !ran.report.flaws.empty()) return std::nullopt;
    std::vector<KernelArgument> now = options_.arguments;
    for (std::size_t k = 0; k < now.size(); ++k) {
      now[k].data = ran.arrays[k];
      now[k].unwritten = ran.unwritten[k];
    }
    const std::string found = expectation_of(expectation_, now).found;
    char* end = nullptr;
    const long double v = std::strtold(found.c_str(), &end);
    if (end == found.c_str() || !std::isfinite(v)) return std::nullopt;
    return v - zero_.value_or(0);
  }
  std::optional<long double> coefficient(Size i) {
    const auto [at, fresh] = coefficients_.try_emplace(i);
    if (fresh) {
      Weights w(n(), 0);
      w[i] = 1;
      at->second = answer(w);
    }
    return at->second;
  }
  // Finds the coefficient that most elements have, of those that are there: 1 for a sum.
  bool find_unit() {
    constexpr Size most = 16;
    std::map<long double, unsigned> times;
    unsigned all = 0;
    for (Size k = 0; k < std::min(n(), most); ++k) {
      const Size first = k * n() / most, room = std::max<Size>(n() / most, 1);
      const Size i = n() <= most ? k : first + (k * 0x9e3779b97f4a7c15u >> 40) % room;
      const auto c = coefficient(i);
      if (!c) return false;
      if (*c == 0) continue;
      there_.push_back(i);
      ++times[*c], ++all;
    }
    for (const auto& [c, count] : times) {
      if (2 * count >= all) unit_ = c;
    }
    return unit_ != 0;
  }
  // Whether two elements together give what they give apart: a maximum, for example, does not.
  bool adds_up() {
    Weights w(n(), 0);
    long double sum = 0;
    for (std::size_t k = 0; k < std::min<std::size_t>(there_.size(), 2); ++k) {
      w[there_[k]] = 3;
      sum += 3 * *coefficient(there_[k]);
    }
    const auto both = answer(w);
    return both && near(*both, sum);
  }
  bool near(long double v, long double want) const {
    if (unit_ == std::floor(unit_)) return v == want;
    return std::fabs(v - want) <= 1e-5L * std::fabs(want);
  }

  // Notes all elements from..to whose coefficient is another one.
  void look(Size from, Size to) {
    if (ended_) return;
    if (to - from == 1) {
      const auto c = coefficient(from);
      if (c && *c == 0) lack(from, to);
      if (c && *c != 0 && !near(*c, unit_)) repeated_.emplace_back(from, *c / unit_);
      ended_ = ended_ || lacking_.size() + repeated_.size() > most_listed;
      return;
    }
    const Size most =
        std::min<Size>(15, exact_up_to(options_.arguments[array_].dtype) / (to - from));
    if (most != 0) {
      const Weights w = weights(from, to, static_cast<unsigned>(most));
      long double sum = 0;
      for (const uint8_t v : w) sum += v;
      const auto found = answer(w);
      if (!found || near(*found, unit_ * sum)) return;
      if (*found == 0) return lack(from, to);
    }
    look(from, from + (to - from) / 2);
    look(from + (to - from) / 2, to);
  }
  void lack(Size from, Size to) {
    if (!lacking_.empty() && lacking_.back().second == from) {
      lacking_.back().second = to;
    } else {
      lacking_.emplace_back(from, to);
    }
  }

  KernelOptions options_;
  const ptx::Program& program_;
  std::span<const Bound> bound_;
  const std::string& expectation_;
  std::size_t array_;
  std::optional<long double> zero_{};  // the answer without any element
  long double unit_ = 0;
  std::map<Size, std::optional<long double>> coefficients_;
  std::vector<Size> there_;  // elements with a coefficient
  std::vector<std::pair<Size, Size>> lacking_;
  std::vector<std::pair<Size, long double>> repeated_;
  uint64_t steps_ = 0;
  bool ended_ = false;  // the search took too long, or found enough
};

}  // namespace

void find_lacking_inputs(const KernelOptions& o, const ptx::Program& program,
                         std::span<const Bound> bound, KernelResult& r) {
  const auto wrong = std::find_if(r.expectations.begin(), r.expectations.end(), [](const auto& e) {
    return !e.holds && e.order.empty() && e.steady.empty() && !e.text.starts_with("unwritten(");
  });
  if (wrong == r.expectations.end() || !r.failure.empty() || !r.flaws.empty()) return;
  const std::string answer = wrong->text.substr(0, wrong->text.find_first_of(" =!<>~"));
  for (std::size_t k = 0; k < o.arguments.size(); ++k) {
    const KernelArgument& a = o.arguments[k];
    if (!a.is_array || !a.written || a.n < 2 || a.dtype == DType::boolean) continue;
    const std::string found = Search(o, program, bound, wrong->text, k).run();
    if (found.empty()) continue;
    wrong->inputs = answer + found;
    return;
  }
}

}  // namespace onefold::lab
