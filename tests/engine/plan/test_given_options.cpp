// An option that is set and has no meaning for a request is named.
#include <gtest/gtest.h>

#include "onefold/engine/plan/check.hpp"
#include "onefold/options.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

TEST(GivenOptions, AreNamedUnlessTheyAreMeant) {
  static constexpr double some[] = {1};
  const ArrayRef array(some, DType::f64, Dims(1));
  const std::pair<std::string_view, Options> each[] = {
      {".axes", {.axes = {0}}},
      {".keepdims", {.keepdims = true}},
      {".result", {.result = DType::f32}},
      {".wide", {.wide = true}},
      {".nan", {.nan = NanPolicy::omit}},
      {".ddof", {.ddof = 1}},
      {".where", {.where = Mask(array)}},
      {".initial", {.initial = Scalar{}}},
      {".weights", {.weights = array}},
      {".fweights", {.fweights = array}},
      {".empty_nan", {.empty_nan = true}},
      {".device", {.device = cpu}},
      {".stream", {.stream = const_cast<double*>(some)}},
      {".threads", {.threads = 2}},
      {".target", {.target = "avx2"}},
      {".first", {.first = 3}},
      {".nccl", {.nccl = const_cast<double*>(some)}},
  };
  EXPECT_EQ(option_beside({}, {}), nullptr);
  for (const auto& [name, options] : each) {
    ASSERT_NE(option_beside(options, {}), nullptr) << name;
    EXPECT_EQ(option_beside(options, {}), name);
    EXPECT_EQ(option_beside(options, {name}), nullptr) << name;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
