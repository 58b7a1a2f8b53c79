// Chooses the rows of an experiment: parses options, and finds which rungs lack a type, an op or an
// option.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "lab/experiment.hpp"
#include "lab/experiment/option.hpp"
#include "lab/experiment/reduce.hpp"
#include "lab/ladder.hpp"
#include "lab/plugin.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

constexpr std::array types{Type::i32, Type::i64, Type::f32, Type::f64};
constexpr std::array ops{Op::sum, Op::min, Op::max};

unsigned size_of(Type t) { return t == Type::i32 || t == Type::f32 ? 4 : 8; }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
  return text;
}

const Entry* rung_named(const std::string& name) {
  if (const Entry* e = find_rung(reduce_ladder(), name)) return e;
  std::vector<std::string> legal;
  for (const Entry* e : reduce_ladder()) legal.emplace_back(e->name);
  refuse("rung", name, "choose one of " + joined(legal));
}

bool has_kernel(const Entry& e) { return e.has_kernel(); }

bool grid_is_open(const Entry& e) { return e.has_kernel() && e.about.grid == Grid::chosen; }

unsigned block_of(const ReduceOptions& o) {
  const auto b = static_cast<unsigned>(number("block", o.block.empty() ? "256" : o.block, 0, 1024));
  if (!std::has_single_bit(b)) {
    refuse("block", o.block, "choose one of 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024");
  }
  return b;
}

Setting setting_of(const ReduceOptions& o, int multiprocessors) {
  const bool simulated = multiprocessors == 0;
  Setting s;
  s.type = choose("type", o.type, types);
  s.op = choose("op", o.op, ops);
  const unsigned levels = simulated ? 16 : o.counters ? 20 : 24;
  s.n = o.n.empty() ? Size{1} << levels : number("n", o.n, 0, Size{1} << 32);
  s.block = block_of(o);
  // On a GPU, 4 blocks of 256 a multiprocessor have too few bytes in flight: 27 % of a plain read.
  if (!simulated) s.grid = static_cast<Size>(multiprocessors) * 16;
  if (!o.grid.empty()) s.grid = number("grid", o.grid, 1, 65535);
  const unsigned size = size_of(s.type);
  const auto skipped = static_cast<unsigned>(number("offset", o.offset, 0, 255));
  s.offset = skipped / size;
  if (skipped % size != 0) {
    refuse("offset", o.offset, "write a multiple of " + std::to_string(size) + " bytes below 256");
  }
  s.seed = number("seed", o.seed, 0, ~uint64_t{0} >> 1);
  if (!o.schedules.empty()) {
    s.schedules = static_cast<unsigned>(number("schedules", o.schedules, 1, 1000));
  }
  if (!o.chip.empty()) s.chip = chip_of({{"chip", o.chip}});
  if (simulated) return s;
  for (const auto& [name, value] : {std::pair{"chip", o.chip}, {"schedules", o.schedules}}) {
    if (value.empty()) continue;
    refuse(name, value,
           "it applies to the simulated machine only; add --machine sim, or leave it out");
  }
  return s;
}

// Returns a setting for each value of --sweep; only `s` if other values would change nothing.
std::vector<Setting> swept(const ReduceOptions& o, const Setting& s, const Entry& e,
                           int multiprocessors) {
  std::vector<Setting> all;
  const auto add = [&](auto change) {
    all.push_back(s);
    change(all.back());
  };
  if (o.sweep == "block" && e.has_kernel()) {
    for (unsigned b = 32; b <= 1024; b *= 2) add([&](Setting& v) { v.block = b; });
  } else if (o.sweep == "grid" && grid_is_open(e)) {
    const auto unit = static_cast<Size>(std::max(multiprocessors, 1));
    const Size most = multiprocessors == 0 ? 256 : 64 * unit, factor = unit == 1 ? 4 : 2;
    for (Size g = unit; g <= most; g *= factor) add([&](Setting& v) { v.grid = g; });
  } else if (o.sweep == "n") {
    for (Size n = 1 << 10; n < s.n; n *= 4) add([&](Setting& v) { v.n = n; });
    all.push_back(s);
  } else {
    all.push_back(s);
  }
  return all;
}

// Returns why a rung cannot run; empty if it can.
std::string why_absent(const Entry& e, bool on_a_gpu) {
  if (e.has_kernel() || e.host_kernel != nullptr) return "";
  if (!on_a_gpu) return "CUB runs on a GPU, not on a simulated one";
  return why_no_cub();
}

// The option, with its value, for which the rung has no kernel.
struct Lack {
  std::string option, value;
};

std::optional<Lack> lacks(const Entry& e, const Setting& s) {
  if (e.about.flow == Flow::host) return {};
  if (e.about.i32_only && s.type != Type::i32) return Lack{"type", name_of(s.type)};
  if (!e.about.any_op && s.op != Op::sum) return Lack{"op", name_of(s.op)};
  if (e.has_kernel() && s.block < e.about.min_block) return Lack{"block", std::to_string(s.block)};
  return {};
}

std::string what_it_has(const Entry& e) {
  std::string text = std::string(e.name) + " has " +
                     (e.about.i32_only ? "type i32" : "types i32, i64, f32, f64") +
                     (e.about.any_op ? ", ops sum, min, max" : ", op sum");
  if (!e.has_kernel()) return text;
  text += ", blocks of ";
  for (unsigned b = e.about.min_block; b < 1024; b *= 2) text += std::to_string(b) + ", ";
  return text + "1024";
}

// Names the rungs for which a given option means nothing.
void note_what_does_not_apply(const ReduceOptions& o, const std::vector<const Entry*>& rungs,
                              bool on_a_gpu, std::vector<std::string>& notes) {
  const auto note = [&](const std::string& option, auto applies, const std::string& why) {
    std::vector<std::string> to, not_to;
    for (const Entry* e : rungs) (applies(*e) ? to : not_to).emplace_back(e->name);
    if (not_to.empty()) return;
    notes.push_back(to.size() < not_to.size()
                        ? option + " applies to " +
                              (to.empty() ? "none of these kernels" : joined(to)) + ": " + why
                        : option + " does not apply to " + joined(not_to) + ": " + why);
  };
  const auto offset_applies = [&](const Entry& e) {
    return e.has_kernel() || (on_a_gpu && e.queue != nullptr);
  };
  const std::string open = "other kernels determine the number of blocks from n";
  const std::string no_blocks = "kernels on the host have no blocks, and a library chooses its own";
  if (!o.grid.empty()) note("--grid", grid_is_open, open);
  if (o.sweep == "grid") note("--sweep grid", grid_is_open, open);
  if (o.sweep == "block") note("--sweep block", has_kernel, no_blocks);
  if (!o.block.empty()) note("--block", has_kernel, no_blocks);
  if (o.offset != "0")
    note("--offset", offset_applies, "kernels on the host read the input in place");
  if (!o.replays.empty() && !on_a_gpu)
    notes.emplace_back("--replays: left out, because a simulated machine measures no times");
  if (o.block.empty() && o.sweep != "block") return;
  for (const Entry* e : rungs) {
    if (!e->has_twin || e->twin.fixed_block == 0) continue;
    notes.push_back(std::string(e->name) + " as published supports only blocks of " +
                    std::to_string(e->twin.fixed_block));
  }
}

}  // namespace

ReduceResult rows_of(const ReduceOptions& o, int multiprocessors) {
  if (!o.sweep.empty() && o.sweep != "block" && o.sweep != "grid" && o.sweep != "n") {
    refuse("sweep", o.sweep, "choose one of block, grid, n");
  }
  std::vector<const Entry*> rungs;
  for (const std::string& name : o.rungs) {
    if (name == "path") {
      rungs.insert(rungs.end(), reduce_path().begin(), reduce_path().end());
    } else {
      rungs.push_back(rung_named(name));
    }
  }
  if (rungs.empty()) rungs.assign(reduce_ladder().begin(), reduce_ladder().end());
  const Setting s = setting_of(o, multiprocessors);
  ReduceResult result{
      .simulated = multiprocessors == 0,
      .chip = std::string(s.chip.name),
      .setting = s,
      .replays = o.replays.empty() ? 9 : static_cast<int>(number("replays", o.replays, 0, 1000)),
      .sweep = o.sweep};
  std::map<std::string, std::vector<std::string>> left_out;
  for (const Entry* e : rungs) {
    if (const std::string why = why_absent(*e, multiprocessors != 0); !why.empty()) {
      if (!o.rungs.empty()) {
        throw Error(ErrorCode::no_backend,
                    "lab reduce: rung " + std::string(e->name) + " cannot run: " + why);
      }
      result.notes.push_back(std::string(e->name) + " is left out: " + why);
      continue;
    }
    if (o.counters && e->about.flow == Flow::library) {
      if (!o.rungs.empty()) {
        refuse("rung", std::string(e->name),
               "--counters needs a prediction, but the lab has none for a library call; leave "
               "--counters or this kernel out");
      }
      left_out["prediction for --counters"].emplace_back(e->name);
      continue;
    }
    bool twin_stays = false;  // the twin's block is fixed, so a sweep gives it one row
    for (const Setting& v : swept(o, s, *e, multiprocessors)) {
      if (const auto lack = lacks(*e, v)) {
        if (!o.rungs.empty() && o.sweep.empty()) {
          refuse(lack->option, lack->value, what_it_has(*e));
        }
        left_out[lack->option + " " + lack->value].emplace_back(e->name);
        continue;
      }
      result.rows.push_back({.rung = e, .setting = v});
      if (!e->has_twin || twin_stays) continue;
      result.rows.push_back({.rung = e, .twin = true, .setting = v});
      twin_stays = o.sweep == "block" && e->twin.fixed_block != 0;
    }
  }
  if (result.rows.empty()) refuse("rung", joined(o.rungs), what_it_has(*rungs[0]));
  for (const auto& [what, names] : left_out) {
    result.notes.push_back("rungs without " + what + " are left out: " + joined(names));
  }
  note_what_does_not_apply(o, rungs, multiprocessors != 0, result.notes);
  return result;
}

}  // namespace onefold::lab
