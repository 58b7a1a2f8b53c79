// rms_norm and layer_norm of arrays, and what may be wrong with their weights.
#include "onefold/layer_norm.hpp"

#include <cmath>
#include <cstdio>

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/request/row_function.hpp"

namespace onefold {
namespace {

void check_factor(RowFunction f, const char* what, const ArrayRef& a, const ArrayRef& x,
                  const Dims& shape) {
  const std::string where = std::string(name_of(f)) + ": the " + what;
  check_array(a, name_of(f));
  const DType own = is_floating(x.dtype) ? x.dtype : DType::f64;
  const bool short_type = own == DType::f16 || own == DType::bf16;
  if (a.dtype != own && !(short_type && a.dtype == DType::f32)) {
    throw Error(ErrorCode::type_mismatch,
                where + " is of type " + name_of(a.dtype) + "; convert it to " + name_of(own) +
                    (short_type ? " or f32" : "") + ", for an array of type " + name_of(x.dtype));
  }
  if (a.shape != shape) {
    throw Error(ErrorCode::shape_mismatch, where + " has shape " + to_string(a.shape) +
                                               ", but the slices have shape " + to_string(shape) +
                                               "; they must be equal");
  }
  if (a.device.type != x.device.type || a.device.index != x.device.index) {
    throw Error(ErrorCode::bad_option,
                where + " and the array are on different devices; copy one of them");
  }
}

}  // namespace

void check_scale(RowFunction f, const ArrayRef& x, const std::vector<bool>& folded,
                 const NormScale& scale) {
  if (!(scale.eps >= 0) || std::isinf(scale.eps)) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", scale.eps);
    throw Error(ErrorCode::bad_option, std::string(name_of(f)) + ": eps is " + text +
                                           "; pass a finite number that is 0 or more");
  }
  if (f == RowFunction::rms_norm && scale.bias != nullptr) {
    throw Error(ErrorCode::bad_option, "rms_norm: .bias applies to layer_norm only; leave it out");
  }
  Dims shape;
  for (int d = 0; d < x.shape.rank(); ++d) {
    if (folded[static_cast<std::size_t>(d)]) shape.push_back(x.shape[d]);
  }
  if (scale.weight != nullptr) check_factor(f, "weight", *scale.weight, x, shape);
  if (scale.bias != nullptr) check_factor(f, "bias", *scale.bias, x, shape);
}

Answer rms_norm(const ArrayRef& x, const NormScale& scale, const Options& options) {
  return row_function(RowFunction::rms_norm, x, options, scale);
}
Answer layer_norm(const ArrayRef& x, const NormScale& scale, const Options& options) {
  return row_function(RowFunction::layer_norm, x, options, scale);
}
void rms_norm_into(const OutputRef& out, const ArrayRef& x, const NormScale& scale,
                   const Options& options) {
  row_function_into(RowFunction::rms_norm, out, x, options, scale);
}
void layer_norm_into(const OutputRef& out, const ArrayRef& x, const NormScale& scale,
                     const Options& options) {
  row_function_into(RowFunction::layer_norm, out, x, options, scale);
}

}  // namespace onefold
