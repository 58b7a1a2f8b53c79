// Quantiles of arrays, and what else stands on the order of numbers.
#include "quantiles.hpp"

#include <cstring>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "answer.hpp"
#include "device.hpp"
#include "files.hpp"
#include "fold.hpp"
#include "long_fold.hpp"
#include "onefold/engine/quantile/array_quantiles.hpp"
#include "onefold/histogram.hpp"
#include "onefold/order.hpp"
#include "request.hpp"
#include "windows.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// Returns the outputs of a tensor's quantiles.
//   shape   of one quantile's answers in C order; those of the next quantile follow, from address
//           `out` on, and beside them statuses at `status`; 0: there are none
std::vector<OutputRef> outputs_at(std::size_t count, DType dtype, const std::vector<int64_t>& shape,
                                  uintptr_t out, uintptr_t status) {
  Dims dims;
  uintptr_t n = 1;
  for (const int64_t extent : shape) {
    dims.push_back(extent);
    n *= static_cast<uintptr_t>(extent);
  }
  std::vector<OutputRef> outs;
  for (std::size_t k = 0; k < count; ++k) {
    outs.emplace_back(reinterpret_cast<void*>(out + k * n * bytes_of(dtype)), dtype, dims,
                      status == 0 ? nullptr : reinterpret_cast<Status*>(status + k * n));
  }
  return outs;
}

// Queues quantiles of a tensor's slices along an axis, of segments of the first one, or of windows.
//   cut  the offsets of segments, or the parts of a Rule of windows; None: slices
void quantile_on_device(const std::string& op, const std::vector<std::string>& words,
                        const std::string& method, nb::handle x, int64_t axis, nb::handle cut,
                        const std::vector<int64_t>& shape, uintptr_t out, uintptr_t status,
                        uintptr_t stream, const nb::dict& keywords) {
  const std::vector<Quantile> quantiles = quantiles_of(words, method);
  const ArrayRef& a = array_on_device(op, x);
  const std::vector<OutputRef> outs = outputs_at(quantiles.size(), a.dtype, shape, out, status);
  Options options = options_there(op, a, stream, keywords);
  const bool of_windows = nb::isinstance<nb::tuple>(cut);
  if (!cut.is_none() && !of_windows) {
    const ArrayRef& borders = array_on_device(op + ": the offsets", cut);
    const WithoutGil released;
    return quantiles_of_segments_into(op, outs, a, borders, quantiles, options);
  }
  options.axes = Axes(axis);
  ReadWindows read;
  if (of_windows) read.read(op, nb::cast<nb::tuple>(cut));
  const WithoutGil released;
  if (of_windows) return quantiles_of_windows_into(op, outs, a, read.windows, quantiles, options);
  quantiles_of_array_into(op, outs, a, quantiles, options);
}

// Quantiles of a tensor's elements by label.
void quantile_by_on_device(const std::string& op, const std::vector<std::string>& words,
                           const std::string& method, nb::handle labels, nb::handle x, Size groups,
                           uintptr_t out, uintptr_t status, uintptr_t stream,
                           const nb::dict& keywords) {
  const std::vector<Quantile> quantiles = quantiles_of(words, method);
  const ArrayRef &a = array_on_device(op, x), &by = array_on_device(op + ": the labels", labels);
  const std::vector<OutputRef> outs =
      outputs_at(quantiles.size(), a.dtype, {static_cast<int64_t>(groups)}, out, status);
  const Options options = options_there(op, a, stream, keywords);
  const WithoutGil released;
  quantiles_of_labels_into(op, outs, by, a, groups, quantiles, options);
}

// An array of the host and what its keywords say of it.
struct Asked {
  Options options;
  Input x;

  // Returns false if an array must be converted first.
  bool read(const std::string& op, nb::handle array, const nb::dict& d) {
    options = options_of(op.c_str(), d);
    return x.read(array.ptr(), op.c_str()) &&
           read_mask(op.c_str(), item(d, "where"), mask, options) &&
           read_optional(op, item(d, "weights"), weights, options.weights) &&
           read_optional(op, item(d, "fweights"), fweights, options.fweights);
  }
  nb::object object_of_answer(Answer answer) const {
    return nb::steal(object_of(std::move(answer), x.source, options.nan, true).release());
  }

 private:
  Input mask, weights, fweights;
};

// Returns None if `x` must be converted first.
nb::object quantile_array(const std::string& op, const std::vector<std::string>& words,
                          const std::string& method, nb::handle x, const nb::dict& d) {
  const std::vector<Quantile> quantiles = quantiles_of(words, method);
  Asked asked;
  if (!asked.read(op, x, d)) return nb::none();
  const Answers answers = [&] {
    const LongFold released(asked.x.bytes());
    return quantiles_of_array(op, quantiles, asked.x.ref, asked.options);
  }();
  nb::list values;
  for (const Answer& answer : answers.list) values.append(asked.object_of_answer(answer));
  return values;
}

// The same of segments.
nb::object quantile_segments(const std::string& op, const std::vector<std::string>& words,
                             const std::string& method, nb::handle x, nb::handle offsets,
                             const nb::dict& d) {
  const std::vector<Quantile> quantiles = quantiles_of(words, method);
  Asked asked;
  Input borders;
  if (!asked.read(op, x, d) || !borders.read(offsets.ptr(), op.c_str())) return nb::none();
  const Answers answers = [&] {
    const LongFold released(asked.x.bytes());
    return quantiles_of_segments(op, asked.x.ref, borders.ref, quantiles, asked.options);
  }();
  nb::list values;
  for (const Answer& answer : answers.list) values.append(asked.object_of_answer(answer));
  return values;
}

// The same for a function of order.hpp, and the share of numbers that it takes.
nb::object order_array(const std::string& op, const std::string& share, nb::handle x,
                       const nb::dict& d) {
  Asked asked;
  if (!asked.read(op, x, d)) return nb::none();
  Answer answer = [&] {
    const LongFold released(asked.x.bytes());
    const ArrayRef& a = asked.x.ref;
    if (op == "mode") return mode(a, asked.options);
    if (op == "nunique") return nunique(a, asked.options);
    const Quantile p = read_quantile(share);
    return op == "trimmed_mean" ? trimmed_mean(a, p, asked.options)
                                : winsorized_mean(a, p, asked.options);
  }();
  return asked.object_of_answer(std::move(answer));
}

//   edges  two numbers each, which are added; if count > 0, the first and the last of equal bins
Bins bins_of(const std::vector<std::pair<double, double>>& edges, Size count) {
  std::vector<Bins::Edge> all;
  for (const auto& [value, rest] : edges) all.push_back({value, rest});
  return count > 0 && all.size() == 2 ? Bins::equal(all[0], all[1], count) : Bins::between(all);
}

// Counts of bins, or each element's bin.
nb::object histogram(nb::handle x, const std::vector<std::pair<double, double>>& edges, Size count,
                     bool places, const nb::dict& keywords) {
  const int threads = options_of("histogram", keywords).threads;
  Input a;
  if (!a.read(x.ptr(), "histogram")) return nb::none();
  const Bins bins = bins_of(edges, count);
  const Size n = places ? a.size() : bins.count();
  Answer answer{.op = "histogram",
                .dtype = DType::i64,
                .shape = Dims(static_cast<int64_t>(n)),
                .data = std::vector<std::byte>(n * sizeof(int64_t)),
                .status = std::vector<Status>(n)};
  {
    const LongFold released(a.bytes());
    if (places) {
      bins.bins_into(reinterpret_cast<int64_t*>(answer.data.data()), a.ref, threads);
    } else {
      const std::vector<int64_t> counts = bins.count_of(a.ref, threads);
      std::memcpy(answer.data.data(), counts.data(), n * sizeof(int64_t));
    }
  }
  return nb::steal(array_of(std::move(answer), a.source, NanPolicy::propagate).release());
}

// The same of a tensor on a device, in its stream's order.
//   out  memory of the host for the counts, or of the device for the bins of elements
void histogram_on_device(nb::handle x, const std::vector<std::pair<double, double>>& edges,
                         Size count, bool places, uintptr_t out, uintptr_t stream) {
  const ArrayRef& a = array_on_device("histogram", x);
  const Bins bins = bins_of(edges, count);
  auto* const to = reinterpret_cast<int64_t*>(out);
  auto* const order = reinterpret_cast<void*>(stream);
  const WithoutGil released;
  if (places) return bins.bins_into(to, a, 0, order);
  const std::vector<int64_t> counts = bins.count_of(a, 0, order);
  std::copy(counts.begin(), counts.end(), to);
}

}  // namespace

void add_quantiles(nb::module_& m) {
  m.def("quantile_on_device", quantile_on_device, nb::arg("op"), nb::arg("words"),
        nb::arg("method"), nb::arg("x"), nb::arg("axis"), nb::arg("cut").none(), nb::arg("shape"),
        nb::arg("out"), nb::arg("status"), nb::arg("stream"), nb::arg("keywords"));
  m.def("quantile_by_on_device", quantile_by_on_device);
  m.def("quantile_array", quantile_array, nb::arg("op"), nb::arg("words"), nb::arg("method"),
        nb::arg("x").none(), nb::arg("keywords"));
  m.def("quantile_segments", quantile_segments, nb::arg("op"), nb::arg("words"), nb::arg("method"),
        nb::arg("x").none(), nb::arg("offsets"), nb::arg("keywords"));
  m.def("histogram", histogram);
  m.def("histogram_on_device", histogram_on_device);
  m.def("order_array", order_array, nb::arg("op"), nb::arg("share"), nb::arg("x").none(),
        nb::arg("keywords"));
}

}  // namespace onefold::python
