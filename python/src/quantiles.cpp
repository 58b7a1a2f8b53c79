// Quantiles of arrays on a device.
#include "quantiles.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "device.hpp"
#include "files.hpp"
#include "fold.hpp"
#include "long_fold.hpp"
#include "onefold/engine/quantile/array_quantiles.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// Queues quantiles of a tensor's slices along one axis.
//   shape   of one quantile's answers in C order; those of the next quantile follow, from address
//           `out` on, and beside them statuses at `status`; 0: there are none
void quantile_on_device(const std::string& op, const std::vector<std::string>& words,
                        const std::string& method, nb::handle x, int64_t axis,
                        const std::vector<int64_t>& shape, uintptr_t out, uintptr_t status,
                        uintptr_t stream, const nb::dict& keywords) {
  const std::vector<Quantile> quantiles = quantiles_of(words, method);
  const ArrayRef& a = array_on_device(op, x);
  Options options = options_of(op.c_str(), keywords);
  options.axes = Axes(axis);
  options.device = a.device;
  options.stream = reinterpret_cast<void*>(stream);
  Dims dims;
  uintptr_t n = 1;
  for (const int64_t extent : shape) {
    dims.push_back(extent);
    n *= static_cast<uintptr_t>(extent);
  }
  std::vector<OutputRef> outs;
  for (std::size_t k = 0; k < quantiles.size(); ++k) {
    outs.emplace_back(reinterpret_cast<void*>(out + k * n * bytes_of(a.dtype)), a.dtype, dims,
                      status == 0 ? nullptr : reinterpret_cast<Status*>(status + k * n));
  }
  const WithoutGil released;
  quantiles_of_array_into(op, outs, a, quantiles, options);
}

}  // namespace

void add_quantiles(nb::module_& m) { m.def("quantile_on_device", quantile_on_device); }

}  // namespace onefold::python
