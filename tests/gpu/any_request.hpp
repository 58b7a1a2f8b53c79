// Draws requests of any kind: ops, types, shapes, masks, weights, counts, segments, labels, keys;
// and compares a device, real or simulated, with the processor.
#pragma once

#include "gpu/keys.hpp"
#include "gpu/labels.hpp"
#include "gpu/weighted.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/engine/plan/weighted.hpp"

namespace onefold::test {

// Whether an array of this type has answers to the op.
inline bool takes(std::string_view op, DType t, int inputs) {
  const ArrayRef x(nullptr, t, Dims(int64_t{0}));
  try {
    make_plan(op, x, inputs == 2 ? &x : nullptr, {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

// One to four ops of so many arrays, of those that `fits` allows; empty: there are none.
template <class F>
std::string random_ops(std::mt19937_64& r, DType t, int inputs, F fits) {
  std::vector<std::string> names;
  for (const OpRow& op : op_rows()) {
    if (op.about->inputs == inputs && takes(op.name, t, inputs) && fits(op)) {
      names.emplace_back(op.name);
    }
  }
  std::shuffle(names.begin(), names.end(), r);
  names.resize(std::min<Size>(names.size(), 1 + r() % 4));
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

// Draws a kind of request, a type and ops, and says what is wrong with a few such requests of at
// most about `most` elements; empty: nothing.
inline std::string any_request_flaws(uint64_t seed, int64_t most) {
  std::mt19937_64 r(seed);
  constexpr DType types[] = {f64, f32, f16, bf16, i64, u64, i32, u32, i16, u16, i8, u8, boolean};
  const DType t = types[r() % std::size(types)];
  const auto inputs = static_cast<int>(1 + r() % 2);
  const auto any = [](const OpRow&) { return true; };
  const auto kind = r() % 8;
  const auto n = static_cast<Size>(most);
  const std::string plain = random_ops(r, t, inputs, any);
  const std::string weighted = random_ops(r, t, inputs, [&](const OpRow& op) {
    const auto all = weighted_ops(inputs);
    return std::ranges::find(all, op.name) != all.end();
  });
  const std::string single = random_ops(r, t, 1, any);
  const std::string grouped =
      random_ops(r, t, 1, [](const OpRow& op) { return !op.about->uses_index; });
  const bool initial = r() % 2 == 0, cut = r() % 2 == 0;
  const std::string started =
      random_ops(r, t, 1, [](const OpRow& op) { return op.about->takes_initial; });
  const std::string& asked = kind == 3              ? weighted
                             : kind == 2 && initial ? started
                             : kind == 4            ? single
                             : kind > 5             ? grouped
                                                    : plain;
  if (asked.empty()) return "";
  std::string flaws;
  for (uint64_t k = 0; k < 6 && flaws.empty(); ++k) {
    const uint64_t of = 100 * seed + k;
    if (kind == 0) flaws = random_flaws(plain, t, of, most, inputs == 2);
    if (kind == 1) flaws = random_masked_flaws(plain, t, of, most, inputs == 2, false);
    if (kind == 2 && initial) flaws = random_masked_flaws(started, t, of, most, false, true);
    if (kind == 2 && !initial && k == 0) flaws = shape_flaws(plain, t, most, inputs == 2);
    if (kind == 3) flaws = random_weighted_flaws(weighted, t, of, most, inputs == 2, cut);
    if (kind == 4) flaws = random_repeated_flaws(single, t, of, most, cut);
    if (kind == 5) {
      flaws = matrix_flaws(plain, t, of, 1 + static_cast<int64_t>(of % n / 20), {}, inputs == 2);
    }
    if (kind == 6) flaws = label_flaws(grouped, t, of, of % n);
    if (kind == 7) flaws = key_flaws(grouped, types[of % std::size(types)], t, of, of % n);
  }
  return flaws.empty() ? "" : "request " + std::to_string(seed) + ": " + flaws;
}

}  // namespace onefold::test
