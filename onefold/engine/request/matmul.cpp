// Products of matrices as the op dot of two views with strides of 0.
#include "onefold/matmul.hpp"

#include <algorithm>
#include <utility>

#include "onefold/engine/plan/check.hpp"

namespace onefold {
namespace {

[[noreturn]] void refuse_shapes(const ArrayRef& a, const ArrayRef& b, const std::string& why) {
  throw Error(ErrorCode::shape_mismatch,
              "matmul: shapes " + to_string(a.shape) + " and " + to_string(b.shape) + ": " + why);
}

void check_options(const Options& given) {
  const char* const option = option_beside(
      given, {".result", ".wide", ".nan", ".device", ".stream", ".threads", ".target", ".nccl"});
  if (option == nullptr) return;
  throw Error(ErrorCode::bad_option,
              std::string("matmul: ") + option + " has no meaning for a product; leave it out");
}

// Both operands with the axes (.., m, n, k), of which the last is folded.
struct Views {
  ArrayRef a, b;
};

Views views_of(const ArrayRef& a, const ArrayRef& b) {
  const int ra = a.shape.rank(), rb = b.shape.rank();
  if (ra == 0 || rb == 0) refuse_shapes(a, b, "each operand needs an axis");
  const int batch = std::max({ra - 2, rb - 2, 0});
  if (batch > max_rank - 3) {
    refuse_shapes(a, b, "at most " + std::to_string(max_rank - 1) + " axes are taken");
  }
  const int fold_b = rb == 1 ? 0 : rb - 2;
  if (a.shape[ra - 1] != b.shape[fold_b]) {
    refuse_shapes(a, b,
                  "the last axis of the first has " + std::to_string(a.shape[ra - 1]) +
                      " elements, and " + (rb == 1 ? "the only" : "the last axis but one") +
                      " of the second " + std::to_string(b.shape[fold_b]) + "; they must agree");
  }
  Views v{{a.data, a.dtype, {}, {}}, {b.data, b.dtype, {}, {}}};
  v.a.device = a.device;
  v.b.device = b.device;
  const auto add = [&](int64_t extent, int64_t step_a, int64_t step_b) {
    v.a.shape.push_back(extent);
    v.b.shape.push_back(extent);
    v.a.strides.push_back(step_a);
    v.b.strides.push_back(step_b);
  };
  for (int d = batch; d > 0; --d) {
    const int in_a = ra - 2 - d, in_b = rb - 2 - d;
    const int64_t m = in_a < 0 ? 1 : a.shape[in_a], n = in_b < 0 ? 1 : b.shape[in_b];
    if (m != n && m != 1 && n != 1) {
      refuse_shapes(a, b, "the axes before the last two do not broadcast");
    }
    add(m == 1 ? n : m, m == 1 ? 0 : a.strides[in_a], n == 1 ? 0 : b.strides[in_b]);
  }
  if (ra > 1) add(a.shape[ra - 2], a.strides[ra - 2], 0);
  if (rb > 1) add(b.shape[rb - 1], 0, b.strides[rb - 1]);
  add(a.shape[ra - 1], a.strides[ra - 1], b.strides[fold_b]);
  return v;
}

Options with_axis(const Options& options) {
  check_options(options);
  Options o = options;
  o.axes = Axes(-1);
  return o;
}

}  // namespace

Answer matmul(const ArrayRef& a, const ArrayRef& b, const Options& options) {
  const Options o = with_axis(options);
  const Views v = views_of(a, b);
  Answer answer = std::move(fold("dot", v.a, v.b, o).list[0]);
  answer.op = "matmul";
  return answer;
}

void matmul_into(const OutputRef& out, const ArrayRef& a, const ArrayRef& b,
                 const Options& options) {
  const Options o = with_axis(options);
  const Views v = views_of(a, b);
  fold_into(out, "dot", v.a, v.b, o);
}

}  // namespace onefold
