#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "lab/kernel_flaws.hpp"
#include "lab/kernel_run.hpp"
#include "lab/kernel_verdict.hpp"
#include "lab/ptx/op/half.hpp"
#include "lab/refuse.hpp"
#include "lab/report_text.hpp"
#include "onefold/error.hpp"
#include "onefold/fold.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr Size most_shown = 64;

// Returns a value as long double, which holds every 64-bit integer and every double.
long double element_of(const KernelArgument& a, Size i) {
  const std::byte* from = a.data.data() + i * bytes_of(a.dtype);
  return visit(a.dtype, [&]<class T>() -> long double {
    T v;
    std::memcpy(&v, from, sizeof v);
    if constexpr (std::is_same_v<T, float16>) {
      return ptx::F16::wide(v.bits);
    } else if constexpr (std::is_same_v<T, bfloat16>) {
      return ptx::Bf16::wide(v.bits);
    } else if constexpr (std::is_same_v<T, Bool8>) {
      return v.byte != 0 ? 1 : 0;
    } else {
      return static_cast<long double>(v);
    }
  });
}

std::string number_text(long double v, DType t) {
  if (t == DType::f32) return fmt::format("{}", static_cast<float>(v));
  if (is_floating(t)) return fmt::format("{}", static_cast<double>(v));
  return fmt::format("{:.0f}", v);
}

std::optional<long double> exact_sum(const KernelArgument& a, DType* type = nullptr) {
  const Answers s = fold("sum", {a.data.data(), a.dtype, {a.n}});
  const onefold::Value v = s.list[0].only();
  if (type != nullptr) *type = v.dtype;
  if (v.status != Status::ok) return std::nullopt;
  KernelArgument one{.dtype = v.dtype, .n = 1, .data = std::vector<std::byte>(8)};
  std::memcpy(one.data.data(), &v.bits, 8);
  return element_of(one, 0);
}

Json values_json(const KernelArgument& a) {
  Json j = Json::array();
  for (Size i = 0; i < a.n; ++i) {
    const long double v = element_of(a, i);
    if (!is_floating(a.dtype)) {
      if (v < 0) {
        j.push_back(static_cast<int64_t>(v));
      } else {
        j.push_back(static_cast<uint64_t>(v));
      }
    } else if (std::isfinite(static_cast<double>(v))) {
      j.push_back(static_cast<double>(v));
    } else {
      j.push_back(element_text(a, i));
    }
  }
  return j;
}

const KernelArgument& array_named(const std::string& name, const std::vector<KernelArgument>& all) {
  for (const KernelArgument& a : all) {
    if (a.name == name && a.is_array) return a;
  }
  std::string there;
  for (const KernelArgument& a : all) {
    if (a.is_array) there += (there.empty() ? "" : ", ") + a.name;
  }
  refuse(fmt::format("no array is called {}; the launch has {}", name,
                     there.empty() ? "none" : there));
}

std::string traffic_text(const sim::Traffic& t, const char* unit) {
  if (t.requests == 0) return "none";
  return fmt::format("{} requests, {} {} (ideal {}), {} bytes", t.requests, t.count, unit, t.ideal,
                     t.bytes);
}

}  // namespace

std::string extent_text(const Extent3& e) {
  if (e.z != 1) return fmt::format("{}x{}x{}", e.x, e.y, e.z);
  return e.y != 1 ? fmt::format("{}x{}", e.x, e.y) : fmt::format("{}", e.x);
}

std::string element_text(const KernelArgument& a, Size i) {
  return number_text(element_of(a, i), a.dtype);
}

double element_value(const KernelArgument& a, Size i) {
  return static_cast<double>(element_of(a, i));
}

std::string sum_text(const KernelArgument& a) {
  if (a.unwritten == a.n && a.n != 0) return "never written";
  if (a.unwritten != 0) return fmt::format("{} of {} never written", a.unwritten, a.n);
  if (a.n == 0) return "empty";
  DType t = a.dtype;
  const auto s = exact_sum(a, &t);
  return s ? "sum " + number_text(*s, t) : "sum too large for its type";
}

KernelExpectation expectation_of(const std::string& text, const std::vector<KernelArgument>& all) {
  if (text.starts_with("steady(") && text.ends_with(')')) {
    const KernelArgument& a = array_named(text.substr(7, text.size() - 8), all);
    return {.text = text, .holds = true, .found = "steady", .steady = a.name};
  }
  static constexpr const char* operators[] = {"==", "!=", "<=", ">=", "~=", "<", ">"};
  for (const char* op : operators) {
    const auto at = text.find(op);
    if (at == text.npos) continue;
    std::string left = trimmed(std::string_view(text).substr(0, at));
    const std::string right = trimmed(std::string_view(text).substr(at + std::strlen(op)));
    // libc++ has no from_chars for long double.
    char* stop = nullptr;
    errno = 0;
    long double want = std::strtold(right.c_str(), &stop);
    if (right.empty() || stop != right.c_str() + right.size() || errno == ERANGE) {
      refuse(fmt::format("--expect {}: \"{}\" is not a number", text, right));
    }
    long double found = 0;
    DType type = DType::f64;
    bool there = true;
    if (left.starts_with("sum(") && left.ends_with(')')) {
      const KernelArgument& a = array_named(left.substr(4, left.size() - 5), all);
      const auto s = exact_sum(a, &type);
      there = s.has_value();
      found = s.value_or(0);
    } else if (left.starts_with("unwritten(") && left.ends_with(')')) {
      found =
          static_cast<long double>(array_named(left.substr(10, left.size() - 11), all).unwritten);
      type = DType::u64;
    } else {
      const auto open = left.find('[');
      if (open == left.npos || !left.ends_with(']')) {
        refuse(fmt::format("--expect {}: write out[0]==5, sum(out)==5 or unwritten(out)==0", text));
      }
      const KernelArgument& a = array_named(left.substr(0, open), all);
      Size i = 0;
      const char* from = left.data() + open + 1;
      const char* end = left.data() + left.size() - 1;
      const auto n = std::from_chars(from, end, i);
      if (n.ec != std::errc{} || n.ptr != end || i >= a.n) {
        refuse(fmt::format("--expect {}: {} has {} elements", text, a.name, a.n));
      }
      type = a.dtype;
      found = element_of(a, i);
      if (type == DType::f32) want = static_cast<float>(want);
    }
    const std::string_view how(op);
    const bool holds = how == "=="   ? found == want
                       : how == "!=" ? found != want
                       : how == "<=" ? found <= want
                       : how == ">=" ? found >= want
                       : how == "<"  ? found < want
                       : how == ">"
                           ? found > want
                           : std::fabs(found - want) <= 1e-5L * std::max(1.0L, std::fabs(want));
    return {text, there && holds, there ? number_text(found, type) : "beyond its type"};
  }
  refuse(fmt::format(
      "--expect {}: write out[0]==5, sum(out)==5 or unwritten(out)==0; also !=, <, <=, >, >=, ~=",
      text));
}

namespace {

std::string orders_text(const KernelResult& r) {
  std::string s =
      r.drawn == 0 ? "" : fmt::format("{} random orders with interleaved blocks", r.drawn);
  if (r.small_orders != 0) {
    s += fmt::format("{}{}{} small orders", s.empty() ? "" : ", ", r.all_small ? "all " : "",
                     r.small_orders);
  }
  return r.unfinished == 0 ? s : s + fmt::format(", {} of them stopped early", r.unfinished);
}

std::string warnings_text(const KernelResult& r) {
  std::istringstream lines(r.warnings);
  std::string out, line;
  for (int k = 0; k < 5 && std::getline(lines, line); ++k) out += said("compiler", line);
  const auto more = std::count(r.warnings.begin(), r.warnings.end(), '\n') - 5;
  return more > 0 ? out + said("", fmt::format("{} more", more)) : out;
}

}  // namespace

std::string to_table(const KernelResult& r) {
  std::string out;
  for (const KernelLaunch& l : r.launches) {
    out += fmt::format("{}, on a simulated {}: grid {}, block {}\n", l.kernel, r.chip,
                       extent_text(l.grid), extent_text(l.block));
  }
  if (!r.compiler.empty()) out += said("compiler", r.compiler);
  std::vector<Line> lines;
  for (const KernelArgument& a : r.arguments) {
    if (!a.is_array) continue;
    lines.push_back({a.name, fmt::format("{}[{}]", name_of(a.dtype), a.n), sum_text(a)});
  }
  const bool differ = !r.unsteady.empty() ||
                      std::any_of(r.expectations.begin(), r.expectations.end(),
                                  [](const KernelExpectation& e) { return !e.order.empty(); });
  if (!lines.empty() && differ) out += "\nafter the first order of threads";
  if (!lines.empty()) out += '\n' + aligned(lines);
  for (const std::string& name : r.print) {
    const KernelArgument& a = array_named(name, r.arguments);
    out += fmt::format("\n{}\n ", a.name);
    for (Size i = 0; i < std::min(a.n, most_shown); ++i) out += ' ' + element_text(a, i);
    if (a.n > most_shown) out += fmt::format(" ... {} more", a.n - most_shown);
    out += '\n';
  }
  const sim::Counters& c = r.report.counters;
  out += '\n';
  out += said("global", "loads: " + traffic_text(c.global_load, "sectors"));
  out += said("", "stores: " + traffic_text(c.global_store, "sectors"));
  out += said("shared", "loads: " + traffic_text(c.shared_load, "wavefronts"));
  out += said("", "stores: " + traffic_text(c.shared_store, "wavefronts"));
  out +=
      said("warps", fmt::format("{}; barriers {}, atomics {}, branches {}, divergent {}", c.warps,
                                c.barriers, c.atomics, c.branches, c.divergent_branches));
  if (!r.counted.empty()) out += '\n' + aligned(launch_lines(r), 0, 100);
  std::vector<Line> by_line{
      {"line", "instructions", "lanes", "sectors", "wavefronts", "divergent"}};
  for (const auto& [site, l] : r.report.lines) {
    by_line.push_back({place_of(site), fmt::format("{}", l.instructions),
                       fmt::format("{:.1f}", double(l.lanes) / double(l.instructions)),
                       fmt::format("{}", l.global.count), fmt::format("{}", l.shared.count),
                       fmt::format("{}", l.divergent_branches)});
  }
  if (by_line.size() > 1) out += '\n' + aligned(by_line, 0);
  if (!r.printed.empty())
    out += "\nprinted\n" + r.printed + (r.printed.ends_with('\n') ? "" : "\n");
  out += '\n';
  if (r.drawn + r.small_orders != 0) out += said("orders", orders_text(r));
  for (const KernelUnsteady& u : r.unsteady) {
    out +=
        said("note", fmt::format("{} has different values under another order of threads (--order "
                                 "{}); to treat this as a failure, pass --expect 'steady({})'",
                                 u.name, u.order, u.name));
  }
  for (const KernelExpectation& e : r.expectations) {
    out += said("expected", e.holds ? e.text : e.text + ": " + found_text(e));
  }
  for (const KernelSuppressed& s : r.suppressed) {
    out += said("allowed", s.text + "; " + s.reason);
  }
  for (const Suppression& s : r.unused) {
    out +=
        said("note", fmt::format("the suppression of {} at {}:{} did not match any flaw; remove it",
                                 s.kind, s.file, s.line));
  }
  if (r.unwaited) {
    out += said("note",
                "main() ends without cudaDeviceSynchronize() after a kernel that prints: on a GPU "
                "the output may be lost");
  }
  if (r.leaked != 0) {
    out +=
        said("note", fmt::format("main() ends without freeing {} bytes of cudaMalloc", r.leaked));
  }
  if (r.failure.empty() && r.flaws.empty()) {
    return out + said("flaws", "none") + (r.expected() ? "" : warnings_text(r));
  }
  if (!r.failure.empty()) out += said("flaw", failure_sentence(r));
  std::set<std::string> fixes{""};
  if (const std::string fix = fix_of_failure(r.failure); !fix.empty()) out += said("fix", fix);
  for (std::size_t k = 0; k < r.flaws.size(); ++k) {
    out += said("flaw", r.flaws[k]);
    const std::string fix = fix_of(r.report.flaws[k]);
    if (fixes.insert(fix).second) out += said("fix", fix);
  }
  return out + warnings_text(r) +
         said("more",
              "for the meaning of each flaw, see docs/course/README.md#kernels-of-your-own");
}

std::string to_json(const KernelResult& r) {
  Json j{{"file", r.file}, {"machine", "sim"}, {"chip", r.chip}, {"schedules", r.schedules}};
  if (!r.compiler.empty()) j["compiler"] = r.compiler;
  j["warnings"] = r.warnings;
  const sim::Chip& chip = *sim::find_chip(r.chip);
  j["peak"] = {{"gbps", chip.gbps}, {"gflops", chip.gflops}};
  j["launches"] = Json::array();
  const std::vector<Line> rows = launch_lines(r);
  for (std::size_t k = 0; k < r.launches.size(); ++k) {
    const KernelLaunch& l = r.launches[k];
    Json one{{"kernel", l.kernel},
             {"grid", {l.grid.x, l.grid.y, l.grid.z}},
             {"block", {l.block.x, l.block.y, l.block.z}},
             {"shared", l.shared}};
    for (std::size_t c = 3; k + 1 < rows.size() && c < rows[0].size(); ++c) {
      const std::string& cell = rows[k + 1][c];
      one[rows[0][c]] = cell == "-" ? Json() : Json::accept(cell) ? Json::parse(cell) : Json(cell);
    }
    j["launches"].push_back(one);
  }
  j["arguments"] = Json::array();
  for (const KernelArgument& a : r.arguments) {
    Json one{{"name", a.name}};
    if (a.is_array) {
      one["type"] = name_of(a.dtype);
      one["n"] = a.n;
      if (a.unwritten != 0) {
        one["unwritten"] = a.unwritten;
      } else if (a.n != 0) {
        DType t = a.dtype;
        if (const auto s = exact_sum(a, &t)) {
          one["sum"] = is_floating(t) ? Json(static_cast<double>(*s))
                       : *s < 0       ? Json(static_cast<int64_t>(*s))
                                      : Json(static_cast<uint64_t>(*s));
        }
      }
      if (std::find(r.print.begin(), r.print.end(), a.name) != r.print.end()) {
        one["values"] = values_json(a);
      }
    } else {
      one["value"] = a.value;
    }
    j["arguments"].push_back(one);
  }
  for (const std::string& name : r.print) array_named(name, r.arguments);
  j["expected"] = Json::array();
  for (const KernelExpectation& e : r.expectations) {
    j["expected"].push_back(
        {{"text", e.text}, {"holds", e.holds}, {"found", e.found}, {"order", e.order}});
    if (!e.inputs.empty()) j["expected"].back()["inputs"] = e.inputs;
  }
  j["counters"] = counters_json(r.report);
  j["counters"]["warps"] = r.report.counters.warps;
  j["counters"]["thread_instructions"] = r.steps;
  j["orders"] = {{"drawn", r.drawn},
                 {"small", r.small_orders},
                 {"all_small", r.all_small},
                 {"unfinished", r.unfinished}};
  j["unsteady"] = Json::array();
  for (const KernelUnsteady& u : r.unsteady) j["unsteady"].push_back(u.name);
  j["flaws"] = flaws_json(r.report);
  for (std::size_t k = 0; k < r.flaws.size(); ++k) {
    j["flaws"][k]["text"] = r.flaws[k];
    j["flaws"][k]["fix"] = fix_of(r.report.flaws[k]);
  }
  if (!r.failure.empty()) {
    Json first{{"kind", "given_up"}, {"text", failure_sentence(r)}};
    first["fix"] = fix_of_failure(r.failure);
    if (const unsigned line = line_in(r.failure, r.file))
      first["file"] = r.file, first["line"] = line;
    j["flaws"].insert(j["flaws"].begin(), std::move(first));
  }
  if (r.leaked != 0) j["leaked"] = r.leaked;
  j["suppressed"] = Json::array();
  for (const KernelSuppressed& s : r.suppressed) {
    j["suppressed"].push_back({{"text", s.text}, {"reason", s.reason}});
  }
  j["verdict"] = name_of(verdict_of(r));
  if (!r.failure.empty()) j["failure"] = r.failure;
  j["printed"] = r.printed;
  return text_of(j);
}

}  // namespace onefold::lab
