// The arrays of a draw in memory, and which elements belong to which answer.
#pragma once

#include "law/random/arrays.hpp"
#include "law/random/draw.hpp"

namespace onefold::law {

class Problem {
 public:
  explicit Problem(const Draw&);
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  const Draw& draw;
  Options options;  // all, with the arrays that they name
  ArrayRef x, y;
  // For each element in C order: x, y, the weight, how often it counts, and whether it is selected.
  Data xs, ys, weights;
  std::vector<uint64_t> counts;
  std::vector<bool> taken;
  bool weights_are_counts = false;  // the weights are 1, 2 and 3, which repeat elements
  bool y_is_weights = false;        // `average` gets y as options.weights
  std::vector<int64_t> offsets;     // of segments
  Data labels;                      // the keys or labels of groups
  ArrayRef label_array;
  Size groups = 0;  // how many labels there may be
  std::vector<int64_t> keys;

  bool two() const { return draw.two() && !y_is_weights; }
  Size answers() const;
  Dims output() const;  // the shape of the answers
  // The numbers in C order of all elements of an answer. An index counts within this list.
  std::vector<Size> elements_of(Size answer) const;
  // x or y in C order.
  ArrayRef in_order(const Data& data) const { return {data.data(), draw.type, draw.shape}; }

 private:
  void make_mask();
  void make_weights();
  void make_groups();

  Placed x_place_, y_place_, mask_place_, weight_place_;
  std::vector<std::byte> bits_, labels_;
};

// A number with the sign of its type.
int64_t number_of(DType t, uint64_t bits);

}  // namespace onefold::law
