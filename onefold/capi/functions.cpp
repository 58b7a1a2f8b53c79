// The C ABI: quantiles, products of matrices, and functions of slices.
#include <optional>

#include "onefold/capi/convert.hpp"
#include "onefold/engine/comma_list.hpp"
#include "onefold/layer_norm.hpp"
#include "onefold/logsumexp.hpp"
#include "onefold/matmul.hpp"
#include "onefold/quantile.hpp"

using namespace onefold;
using namespace onefold::capi;

namespace {

std::vector<Quantile> quantiles_of(const char* levels, const char* method) {
  std::vector<Quantile> quantiles;
  for (const std::string& word : comma_list(&needed(levels, "levels"))) {
    quantiles.push_back(read_quantile(word));
    if (method != nullptr) quantiles.back().method = quantile_method(method);
  }
  return quantiles;
}

using Function = void (*)(const OutputRef&, const ArrayRef&, const Options&);

onefold_code call(Function function, const onefold_output* out, const onefold_array* x,
                  const onefold_options* options) {
  return guarded(
      [&] { function(output_of(needed(out, "out")), array_of(x, "x"), options_of(options)); });
}

onefold_code norm(decltype(&layer_norm_into) function, const onefold_output* out,
                  const onefold_array* x, const onefold_array* weight, const onefold_array* bias,
                  double eps, const onefold_options* options) {
  return guarded([&] {
    std::optional<ArrayRef> w, b;
    if (weight != nullptr) w = array_of(weight, "weight");
    if (bias != nullptr) b = array_of(bias, "bias");
    const NormScale scale{w ? &*w : nullptr, b ? &*b : nullptr, eps};
    function(output_of(needed(out, "out")), array_of(x, "x"), scale, options_of(options));
  });
}

}  // namespace

extern "C" {

onefold_code onefold_quantiles_into(const onefold_output* outs, size_t count, const char* levels,
                                    const char* method, const onefold_array* x,
                                    const onefold_options* options) {
  return guarded([&] {
    quantile_into(outputs_of(outs, count), array_of(x, "x"), quantiles_of(levels, method),
                  options_of(options));
  });
}

onefold_code onefold_matmul_into(const onefold_output* out, const onefold_array* a,
                                 const onefold_array* b, const onefold_options* options) {
  return guarded([&] {
    matmul_into(output_of(needed(out, "out")), array_of(a, "a"), array_of(b, "b"),
                options_of(options));
  });
}

onefold_code onefold_logsumexp_into(const onefold_output* out, const onefold_array* x,
                                    const onefold_options* options) {
  return call(logsumexp_into, out, x, options);
}
onefold_code onefold_logmeanexp_into(const onefold_output* out, const onefold_array* x,
                                     const onefold_options* options) {
  return call(logmeanexp_into, out, x, options);
}
onefold_code onefold_softmax_into(const onefold_output* out, const onefold_array* x,
                                  const onefold_options* options) {
  return call(softmax_into, out, x, options);
}
onefold_code onefold_log_softmax_into(const onefold_output* out, const onefold_array* x,
                                      const onefold_options* options) {
  return call(log_softmax_into, out, x, options);
}
onefold_code onefold_rms_norm_into(const onefold_output* out, const onefold_array* x,
                                   const onefold_array* weight, double eps,
                                   const onefold_options* options) {
  return norm(rms_norm_into, out, x, weight, nullptr, eps, options);
}
onefold_code onefold_layer_norm_into(const onefold_output* out, const onefold_array* x,
                                     const onefold_array* weight, const onefold_array* bias,
                                     double eps, const onefold_options* options) {
  return norm(layer_norm_into, out, x, weight, bias, eps, options);
}

}  // extern "C"
