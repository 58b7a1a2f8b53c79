#include "lab/kernel_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "lab/kernel_flaws.hpp"
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

bool is_whole(long double v) { return v == std::floor(v); }

std::string times_text(long double times) {
  return times == 1 ? "once" : fmt::format("{:.6g} times", double(times));
}

// The same with ones in other inputs by which this one may be multiplied, as in a dot product.
KernelOptions with_factors_of_one(KernelOptions o, std::size_t array, const std::string& expected) {
  for (std::size_t k = 0; k < o.arguments.size(); ++k) {
    KernelArgument& a = o.arguments[k];
    if (k == array || !a.is_array || !a.written || a.n != o.arguments[array].n) continue;
    if (expected.starts_with(a.name + '[') || expected.starts_with("sum(" + a.name + ')')) continue;
    if (is_floating(a.dtype)) a.data = elements(a.dtype, std::vector<uint8_t>(a.n, 1));
  }
  return o;
}

// The coefficients by which an array's elements are in an answer, found by runs with others.
class Search {
 public:
  Search(const KernelOptions& o, const ptx::Program& program, std::span<const Bound> bound,
         const KernelExpectation& expectation, std::size_t array)
      : given_(o),
        options_(with_factors_of_one(o, array, expectation.text)),
        program_(program),
        bound_(bound),
        expectation_(expectation),
        array_(array),
        multiplied_(options_.arguments != o.arguments) {}

  // Returns what is wrong with the answer `name`; empty if nothing is, or if it is not a sum of
  // this array.
  std::string run(const std::string& name) {
    zero_ = answer(Weights(n(), 0));
    if (!zero_ || !find_unit() || !adds_up()) return "";
    if (!varied_) look(0, n());
    for (Size i = 0; varied_ && i < n() && coefficient(i); ++i) note(i, i + 1, *coefficient(i));
    if (is_itself(name) || !explains()) return "";
    return parts_.size() > most_listed && !ended_ ? range_text(name) : text(name, factor());
  }
  // Whether the plain sum of this array is wanted; run() comes first.
  bool wants_sum() {
    unit_ = 1;
    return zero_ && gives(wanted(), true);
  }

 private:
  using Weights = std::vector<uint8_t>;

  Size n() const { return options_.arguments[array_].n; }
  std::string name_of(Size from, Size to) const {
    const std::string& name = options_.arguments[array_].name;
    return to - from == 1 ? fmt::format("{}[{}]", name, from)
                          : fmt::format("{0}[{1}] to {0}[{2}]", name, from, to - 1);
  }
  // Returns the sentence. Each element is counted `factor` times where the answer should count one.
  std::string text(const std::string& answer, long double factor) const {
    std::string lacks, has, counts;
    Size lacking = 0, from = 0;
    const auto list = [](std::string& to, const std::string& part) {
      to += (to.empty() ? "" : ", ") + part;
    };
    for (const Part& p : parts_) {
      if (p.times != 0) {
        list(counts, name_of(p.from, p.to) + ' ' + times_text(p.times * factor));
        continue;
      }
      list(lacks, name_of(p.from, p.to));
      if (from < p.from) list(has, name_of(from, p.from));
      from = p.to;
      lacking += p.to - p.from;
    }
    if (from < n()) list(has, name_of(from, n()));
    const bool few = 2 * lacking > n() && !ended_ && !has.empty();
    std::string all = few ? answer + " has only " + has : "";
    if (all.empty() && !lacks.empty()) all = answer + " lacks " + lacks;
    if (factor != 1) {
      all = all.empty() ? "every input is counted " + times_text(factor)
                        : all + ", and counts " + (few ? "them " : "every other input ") +
                              times_text(factor);
      if (!counts.empty()) all += ", but " + counts;
    } else if (!counts.empty()) {
      all = (all.empty() ? answer + " counts " : all + ", and counts ") + counts;
    }
    return all.empty() || !ended_ ? all : all + ", and perhaps more";
  }
  // Returns the sentence if there are too many parts to list.
  std::string range_text(const std::string& answer) const {
    long double least = 1, most = 1;
    Size from = 0, once = 0;
    std::string right;
    for (const Part& p : parts_) {
      least = std::min(least, p.times), most = std::max(most, p.times);
      if (from < p.from) right += (once++ == 0 ? "" : ", ") + name_of(from, p.from);
      from = p.to;
    }
    if (from < n()) right += (once++ == 0 ? "" : ", ") + name_of(from, n());
    const std::string all = fmt::format("{} counts inputs between {:.6g} and {:.6g} times", answer,
                                        double(least), double(most));
    return once == 0 || once > most_listed ? all : all + ", and only " + right + " once";
  }
  // Returns how often the answer counts all that it should count; 1 if it should have that factor.
  long double factor() const {
    if (unit_ == 1) return 1;
    if (!is_whole(unit_)) return counts_some() ? unit_ : 1;  // of a mean
    if (is_plain()) return gives(wanted(), true) ? 1 : unit_;
    if (!std::ranges::all_of(parts_, [](const Part& p) { return is_whole(p.times); })) return unit_;
    // What is added up is not known.
    const long double rest = *zero_ + (found() - *zero_) / unit_;
    return parts_.empty() && std::fabs(rest - wanted()) <= 1e-5L * std::fabs(wanted()) ? unit_ : 1;
  }
  // Returns the number that the expectation wants; NaN if it is only a bound.
  long double wanted() const {
    const std::string& e = expectation_.text;
    const auto sign = e.find('=');
    if (sign == e.npos || sign == 0 || std::strchr("!<>", e[sign - 1]) != nullptr) return NAN;
    return std::strtold(e.c_str() + e.find_first_not_of("= ", sign), nullptr);
  }
  // Whether some elements are in the answer, with another coefficient than the unit.
  bool counts_some() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.times != 0; });
  }
  // Whether the array's only element in the answer is the answer's own old value.
  bool is_itself(const std::string& answer) const {
    Size lacking = 0;
    for (const Part& p : parts_) lacking += p.times == 0 ? p.to - p.from : 0;
    return lacking == n() - 1 && answer.starts_with(options_.arguments[array_].name + '[');
  }
  // Whether the answer is a sum of the elements as they were given, with the coefficients found.
  bool is_plain() const { return linear_ && !ended_ && !multiplied_; }
  // Whether that sum, or with `as_wanted` the one without exceptions, is `v`.
  bool gives(long double v, bool as_wanted) const {
    long double sum = *zero_, size = std::fabs(sum);
    const KernelArgument& a = given_.arguments[array_];
    auto part = parts_.begin();
    for (Size i = 0; i < n(); ++i) {
      while (part != parts_.end() && part->to <= i) ++part;
      const bool is_part = !as_wanted && part != parts_.end() && part->from <= i;
      const long double term = (is_part ? part->times : 1) * unit_ * element_value(a, i);
      sum += term, size += std::fabs(term);
    }
    if (is_floating(a.dtype) || !is_whole(unit_)) return std::fabs(sum - v) <= 1e-5L * size;
    constexpr long double wraps = 4294967296.0L;  // f32 may round sums of integers
    return std::fabs(std::remainder(sum - v, wraps)) <= 1e-6L * size;
  }
  long double found() const { return std::strtold(expectation_.found.c_str(), nullptr); }
  // Whether what was found by other elements is true of those that were given: they may also be
  // indices or bounds. Where terms are not known, the exceptions must add what they add apart.
  bool explains() {
    if (is_plain()) return gives(found(), false);
    if (varied_ || (ended_ && !is_whole(unit_) && counts_some())) return false;
    if (parts_.empty()) return true;
    const std::vector<std::byte>& all = given_.arguments[array_].data;
    std::vector<std::byte> none(all.size()), others = all, lacked = none, counted = none;
    const std::size_t size = bytes_of(given_.arguments[array_].dtype);
    for (const Part& p : parts_) {
      std::vector<std::byte>& these = p.times == 0 ? lacked : counted;
      std::copy(all.data() + p.from * size, all.data() + p.to * size, these.data() + p.from * size);
      std::fill(others.data() + p.from * size, others.data() + p.to * size, std::byte{0});
    }
    std::array<long double, 4> v{};
    std::size_t k = 0;
    for (const auto* each : {&none, &lacked, &others, &counted}) {
      const auto answered = answer(given_, *each);
      if (!answered) return false;
      v[k++] = *answered;
    }
    const long double most = 1e-5L * (std::fabs(v[0]) + std::fabs(v[2]) + std::fabs(v[3]));
    return v[1] == v[0] && std::fabs(v[2] + v[3] - v[0] - found()) <= most;
  }

  // Zeros, except elements from..to, which have different small integers, at most `most`, others
  // for each trial. If the answer is a sum of something else than the elements (squares), the first
  // trial has ones, and each later one has ones at random places.
  Weights weights(Size from, Size to, unsigned most, unsigned trial) const {
    Weights w(n(), 0);
    for (Size i = from; i < to; ++i) {
      const uint64_t random =
          (i + 1) * (0x9e3779b97f4a7c15u + 2 * trial * 0x632be59bd9b4e019u) >> 40;
      w[i] = static_cast<uint8_t>(linear_ ? 1 + random % most : trial == 0 ? 1 : random >> 3 & 1);
    }
    return w;
  }
  // The answer with other elements, less the one with zeros; nothing if the kernel cannot run with
  // them.
  std::optional<long double> answer(const Weights& w) {
    ended_ = ended_ || steps_ > most_steps;
    if (ended_) return std::nullopt;
    const auto v = answer(options_, elements(options_.arguments[array_].dtype, w));
    if (v) return *v - zero_.value_or(0);
    return v;
  }
  std::optional<long double> answer(KernelOptions& o, std::vector<std::byte> given) {
    o.arguments[array_].data.swap(given);
    const KernelRun ran = run_once(o, program_, bound_, {.schedule = 1});
    o.arguments[array_].data.swap(given);
    steps_ += ran.steps + steps_of_run + n();
    if (!ran.failure.empty() || !ran.report.flaws.empty()) return std::nullopt;
    std::vector<KernelArgument> now = o.arguments;
    for (std::size_t k = 0; k < now.size(); ++k) {
      now[k].data = ran.arrays[k];
      now[k].unwritten = ran.unwritten[k];
    }
    const std::string found = expectation_of(expectation_.text, now).found;
    char* end = nullptr;
    const long double v = std::strtold(found.c_str(), &end);
    if (end == found.c_str() || !std::isfinite(v)) return std::nullopt;
    return v;
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
  // Finds the coefficient by which others are divided: 1 if all are whole numbers and there are
  // only a few different ones, or if the plain sum is wanted; otherwise the most frequent one.
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
    const bool whole =
        std::all_of(times.begin(), times.end(), [](const auto& t) { return is_whole(t.first); });
    if (times.size() <= 3 && times.contains(1) && (whole || unit_ == 0)) unit_ = 1;
    if (unit_ != 0 || all == 0 || !whole) return unit_ != 0;
    unit_ = 1;
    varied_ = true;
    return gives(wanted(), true) && steps_ / std::min(n(), most) * n() < most_steps;
  }
  // Whether two elements together give what they give apart: a maximum, for example, does not.
  bool adds_up() {
    const auto together = [&](uint8_t value) {
      Weights w(n(), 0);
      long double sum = 0;
      for (std::size_t k = 0; k < std::min<std::size_t>(there_.size(), 2); ++k) {
        w[there_[k]] = value;
        sum += value * *coefficient(there_[k]);
      }
      const auto both = answer(w);
      return both && near(*both, sum);
    };
    linear_ = together(3);
    return linear_ || (there_.size() > 1 && together(1));
  }
  bool near(long double v, long double want) const {
    if (is_whole(unit_)) return v == want;
    return std::fabs(v - want) <= 1e-5L * std::max(std::fabs(want), std::fabs(unit_));
  }

  // Notes all elements from..to whose coefficient is not the unit.
  void look(Size from, Size to) {
    if (ended_) return;
    const auto c = to - from == 1 ? coefficient(from) : common(from, to);
    if (c) return note(from, to, *c);
    if (to - from == 1) return;
    look(from, from + (to - from) / 2);
    look(from + (to - from) / 2, to);
  }
  // Returns the coefficient of elements from..to; nothing: they have different ones.
  std::optional<long double> common(Size from, Size to) {
    const auto often = static_cast<Size>(std::clamp(std::fabs(unit_), 1.0L, 1048576.0L));
    const Size exact = exact_up_to(options_.arguments[array_].dtype) / (to - from) / often;
    const auto most = static_cast<unsigned>(std::min<Size>(exact, linear_ ? 15 : 1));
    if (most == 0) return std::nullopt;
    std::optional<long double> c;
    for (unsigned trial = 0; trial < (linear_ ? 2u : 6u); ++trial) {
      const Weights w = weights(from, to, most, trial);
      long double sum = 0;
      for (const uint8_t v : w) sum += v;
      if (sum == 0) continue;
      const auto found = answer(w);
      ended_ = ended_ || !found;
      if (!found || (c && !near(*found, *c * sum))) return std::nullopt;
      if (!c) c = *found / sum;
    }
    return c;
  }
  void note(Size from, Size to, long double c) {
    if (near(c, unit_)) return;
    const long double times = c / unit_;
    if (!parts_.empty() && parts_.back().to == from && parts_.back().times == times) {
      parts_.back().to = to;
      return;
    }
    parts_.push_back({from, to, times});
    ended_ = ended_ || (!varied_ && parts_.size() > most_listed);
  }

  KernelOptions given_, options_;
  const ptx::Program& program_;
  std::span<const Bound> bound_;
  const KernelExpectation& expectation_;
  std::size_t array_;
  bool multiplied_;  // other arrays have ones, by which its elements may be multiplied
  std::optional<long double> zero_{};  // the answer with zeros
  long double unit_ = 0;
  std::map<Size, std::optional<long double>> coefficients_;
  std::vector<Size> there_;  // elements with a coefficient
  struct Part {
    Size from, to;
    long double times;  // how often these elements are counted
  };
  std::vector<Part> parts_;  // those that are not counted once
  bool linear_ = true;       // the answer is a sum of the elements themselves
  bool varied_ = false;      // there are many different coefficients
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
    Search search(o, program, bound, *wrong, k);
    wrong->inputs = search.run(answer);
    if (wrong->inputs.empty() && o.order.empty() && search.wants_sum()) {
      wrong->inputs = lost_text(run_once(o, program, bound, {}).lost);
    }
    if (!wrong->inputs.empty()) return;
  }
}

}  // namespace onefold::lab
