// A random fold: its ops, type, shape, data and options, as plain values. Number k of a seed is
// always the same, and a value can be changed to shrink a fold whose answer is wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generate.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/fold.hpp"

namespace onefold::law {

using test::Random;

//   whole     all axes of an array
//   axes      some axes; the others are kept
//   output    the same, into outputs with strides
//   segments  between offsets along the first axis
//   labels    by numbers of groups
//   keys      by any integers
//   state     of parts, merged in random order, saved and loaded
//   states    the same for each slice along axes
//   running   running sums of groups, to which elements are added one by one
enum class Kind { whole, axes, output, segments, labels, keys, state, states, running };
inline constexpr int kinds = 9;
const char* name_of(Kind);

enum class Selected { all, by_bools, by_bits };
enum class Weighing { none, weights, fweights };

struct Draw {
  Kind kind = Kind::whole;
  DType type = DType::f64;
  std::vector<const OpRow*> ops = {};
  Dims shape = {};
  std::vector<bool> folded = {};  // for each axis
  bool strided = false;           // arrays have strides of any kind; otherwise C order
  std::string_view x_data = {}, y_data = {};
  bool specials = false;  // a few NaN, infinities and -0 among floats
  Selected selected = Selected::all;
  Weighing weighing = Weighing::none;
  bool initial = false;
  Options options = {};  // without arrays and `initial`, which the problem (problem.hpp) makes
  uint64_t seed = 0;     // of data, strides, masks, offsets, cuts

  bool two() const { return ops[0]->about->inputs == 2; }
  bool along_axes() const;
  bool by_groups() const;     // labels, keys, running
  std::string names() const;  // "mean,var"
};

// What may be drawn. An empty list: everything.
struct Choice {
  std::vector<const OpRow*> ops = {};
  std::vector<DType> types = {};
  std::vector<Kind> kinds = {};
};
// Reads "sum,f32,axes". throws std::invalid_argument
Choice choice_of(std::string_view words);

Draw draw(uint64_t seed, uint64_t number, const Choice& choice = {});
std::string describe(const Draw&);

}  // namespace onefold::law
