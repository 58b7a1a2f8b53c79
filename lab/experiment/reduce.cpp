#include "lab/experiment/reduce.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "lab/gpu.hpp"
#include "lab/ladder.hpp"
#include "onefold/error.hpp"
#include "parallel.hpp"

namespace onefold::lab {
namespace {

constexpr std::array types{Type::i32, Type::i64, Type::f32, Type::f64};
constexpr std::array ops{Op::sum, Op::min, Op::max};

[[noreturn]] void refuse(const std::string& what, const std::string& value,
                         const std::string& legal) {
  throw Error(ErrorCode::bad_option,
              "lab reduce: " + what + " \"" + value + "\" has no meaning; " + legal);
}

// 1000, 2^20 or 2^20+3.
uint64_t number(const std::string& what, std::string_view text, uint64_t most) {
  const std::string whole(text);
  const auto read = [&](std::string_view part) {
    uint64_t v = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), v);
    if (error != std::errc() || stop != part.data() + part.size() || part.empty()) {
      refuse(what, whole, "write a number such as 1000, 2^20 or 2^20+3");
    }
    return v;
  };
  uint64_t more = 0;
  if (const auto plus = text.find('+'); plus != text.npos) {
    more = read(text.substr(plus + 1));
    text = text.substr(0, plus);
  }
  uint64_t v = 0;
  if (text.starts_with("2^")) {
    const uint64_t exponent = read(text.substr(2));
    v = exponent < 40 ? uint64_t{1} << exponent : most + 1;
  } else {
    v = read(text);
  }
  if (v > most || more > most - v) refuse(what, whole, "the most is " + std::to_string(most));
  return v + more;
}

template <class List>
auto choose(const std::string& what, const std::string& value, const List& list) {
  std::string legal;
  for (const auto v : list) {
    if (value == name_of(v)) return v;
    legal += (legal.empty() ? "choose one of " : ", ") + std::string(name_of(v));
  }
  refuse(what, value, legal);
}

const Entry* rung_named(const std::string& name) {
  if (const Entry* e = find_rung(reduce_ladder(), name)) return e;
  std::string legal;
  for (const Entry* e : reduce_ladder())
    legal += (legal.empty() ? "" : ", ") + std::string(e->name);
  refuse("rung", name, "choose one of " + legal);
}

bool exists(const Entry& e, const Setting& s) {
  if (e.about.flow == Flow::host) return e.host_kernel(s.type, s.op, false) != nullptr;
  return e.kernel(s.type, s.op, s.block, false) != nullptr;
}

Setting setting_of(const ReduceOptions& o) {
  Setting s;
  s.type = choose("type", o.type, types);
  s.op = choose("op", o.op, ops);
  s.n = o.n.empty() ? Size{1} << 16 : number("n", o.n, Size{1} << 32);
  s.block = static_cast<unsigned>(number("block", o.block, 1024));
  if (!std::has_single_bit(s.block)) {
    refuse("block", o.block, "choose one of 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024");
  }
  if (!o.grid.empty()) s.grid = std::max<Size>(number("grid", o.grid, 65535), 1);
  const unsigned size = s.type == Type::i32 || s.type == Type::f32 ? 4 : 8;
  s.offset = static_cast<unsigned>(number("offset", o.offset, 255)) / size;
  if (std::to_string(s.offset * size) != o.offset) {
    refuse("offset", o.offset, "write a multiple of " + std::to_string(size) + " bytes below 256");
  }
  s.seed = number("seed", o.seed, ~uint64_t{0} >> 1);
  s.schedules = static_cast<unsigned>(number("schedules", o.schedules, 1000));
  if (s.schedules == 0) refuse("schedules", o.schedules, "the least is 1");
  const auto chip = std::find_if(sim::chips.begin(), sim::chips.end(),
                                 [&](const sim::Chip& c) { return c.name == o.chip; });
  if (chip == sim::chips.end()) refuse("chip", o.chip, "choose one of cc10, cc12, cc20, sm_90");
  s.chip = *chip;
  return s;
}

std::vector<Setting> swept(const ReduceOptions& o, const Setting& s) {
  std::vector<Setting> all;
  const auto add = [&](auto change) {
    all.push_back(s);
    change(all.back());
  };
  if (o.sweep.empty()) {
    all.push_back(s);
  } else if (o.sweep == "block") {
    for (unsigned b = 32; b <= 1024; b *= 2) add([&](Setting& v) { v.block = b; });
  } else if (o.sweep == "grid") {
    for (Size g = 1; g <= 256; g *= 4) add([&](Setting& v) { v.grid = g; });
  } else if (o.sweep == "n") {
    for (Size n = 1 << 10; n < s.n; n *= 4) add([&](Setting& v) { v.n = n; });
    all.push_back(s);
  } else {
    refuse("sweep", o.sweep, "choose one of block, grid, n");
  }
  return all;
}

using Inputs = std::map<Size, std::vector<int32_t>>;

void simulate_all(ReduceResult& result, const Inputs& inputs, int threads) {
  parallel(result.rows.size(), threads, [&](std::size_t k) {
    ReduceRow& row = result.rows[k];
    row.outcome = simulate(*row.rung, row.twin, row.setting, inputs.at(row.setting.n)).value();
  });
}

// Why kernels cannot run on a GPU here, in one sentence; empty if they can.
std::string why_no_gpu() {
  if (!jit::Driver::get().usable()) return jit::Driver::get().why();
  if (!jit::Nvrtc::get().usable()) return "libnvrtc.so was not found";
  return "";
}

void measure(GpuMachine& gpu, ReduceRow& row, const std::vector<int32_t>& x) {
  if (row.rung->about.flow == Flow::host) {
    row.outcome = simulate(*row.rung, row.twin, row.setting, x).value();
    return;
  }
  const Timed timed = gpu.run(*row.rung, row.twin, row.setting, x).value();
  row.outcome = timed.outcome;
  if (timed.outcome.launches != 0) {
    row.outcome.ms = timed.ms;
    // One block reads no more than its own elements, whatever n is.
    const bool one = row.twin && row.rung->twin.grid == Grid::one;
    const Size read = one ? std::min<Size>(row.setting.n, row.outcome.block) : row.setting.n;
    row.outcome.gbps = timed.gbps * static_cast<double>(read) /
                       static_cast<double>(std::max<Size>(row.setting.n, 1));
  }
  if (!row.outcome.correct && !row.outcome.report.has(sim::FlawKind::wrong_result)) {
    row.outcome.report.flaws.push_back({.kind = sim::FlawKind::wrong_result, .times = 1});
  }
}

}  // namespace

const char* name_of(Type type) {
  constexpr const char* names[] = {"i32", "i64", "f32", "f64"};
  return names[static_cast<int>(type)];
}

const char* name_of(Op op) {
  constexpr const char* names[] = {"sum", "min", "max"};
  return names[static_cast<int>(op)];
}

ReduceResult reduce(const ReduceOptions& o) {
  Setting s = setting_of(o);
  if (!o.machine.empty() && o.machine != "gpu" && o.machine != "sim") {
    refuse("machine", o.machine, "choose one of gpu, sim");
  }
  const std::string why = o.machine == "sim" ? "--machine sim" : why_no_gpu();
  if (o.machine == "gpu" && !why.empty()) {
    throw Error(ErrorCode::no_backend,
                "lab reduce: no GPU can be used: " + why + "; use --machine sim");
  }
  std::optional<GpuMachine> gpu;
  if (why.empty()) gpu.emplace();
  if (gpu) {
    if (o.n.empty()) s.n = Size{1} << 24;
    // 4 blocks of 256 a multiprocessor keep too few bytes in flight: 27 % of the read limit.
    if (o.grid.empty()) s.grid = static_cast<Size>(gpu->facts().multiprocessors) * 16;
  }
  std::vector<const Entry*> rungs;
  for (const std::string& name : o.rungs) rungs.push_back(rung_named(name));
  if (rungs.empty()) rungs.assign(reduce_ladder().begin(), reduce_ladder().end());
  ReduceResult result{
      .simulated = !gpu, .chip = gpu ? gpu->facts().name : std::string(s.chip.name), .setting = s};
  for (const Entry* e : rungs) {
    for (const Setting& v : swept(o, s)) {
      if (!exists(*e, v)) {
        if (o.rungs.empty() || !o.sweep.empty()) continue;
        std::string legal = e->about.i32_only ? "type i32" : "types i32, i64, f32, f64";
        legal +=
            e->about.any_op || e->about.flow == Flow::host ? ", ops sum, min, max" : ", op sum";
        legal += ", blocks " + std::to_string(e->about.min_block) + " to 1024";
        refuse("rung", std::string(e->name), "it has " + legal);
      }
      result.rows.push_back({.rung = e, .setting = v});
      if (e->has_twin) result.rows.push_back({.rung = e, .twin = true, .setting = v});
    }
  }
  Inputs inputs;
  for (const ReduceRow& row : result.rows) {
    if (!inputs.contains(row.setting.n)) {
      inputs[row.setting.n] = elements(row.setting.n, row.setting.seed);
    }
  }
  if (gpu) {
    result.limit_gbps = gpu->read_limit(Size{1} << 30);
    for (ReduceRow& row : result.rows) measure(*gpu, row, inputs.at(row.setting.n));
  } else {
    simulate_all(result, inputs, o.threads);
  }
  for (const ReduceRow& row : result.rows) {
    if (row.twin) continue;
    result.agree = result.agree && row.outcome.correct;
    result.flawless = result.flawless && row.outcome.correct && row.outcome.report.flaws.empty();
  }
  return result;
}

}  // namespace onefold::lab
