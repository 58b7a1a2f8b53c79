#include "onefold/tables/plan_beside.hpp"

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/engine/request/segments.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/load.hpp"

namespace onefold::io {
namespace {

std::string text_of(const ArrayHeader& a) {
  return std::string(name_of(a.dtype)) + " " + to_string(a.shape);
}

}  // namespace

FilePlan plan_beside(const Query& query, const std::string& file, const SideFiles& beside,
                     const InputOptions& input) {
  const std::string ops = query.names();
  Options options = query.options;
  ArrayHeader x = header_of(file, input);
  FilePlan how;
  how.files = {file};
  how.format = x.format;
  how.shape = x.shape;
  how.dtype = x.dtype;
  how.access = "whole";
  Size beside_bytes = 0;
  const auto header = [&](const std::string& path, std::string* text) {
    ArrayHeader a = header_of(path);
    if (text != nullptr) *text = text_of(a);
    beside_bytes += elements_of(a.shape) * bytes_of(a.dtype);
    return a;
  };
  if (!beside.weights.empty()) options.weights = header(beside.weights, &how.weights).ref();
  if (!beside.fweights.empty()) options.fweights = header(beside.fweights, &how.fweights).ref();
  if (!beside.offsets.empty()) {
    const ArrayHeader offsets = header(beside.offsets, nullptr);
    how.plan = plan_segments(ops, x.ref(), offsets.ref(), options);
    how.segments = static_cast<Size>(offsets.shape[0]) - 1;
  } else {
    if (options.weights && options.weights->dtype == DType::f64 && x.dtype == DType::f32) {
      x.dtype = DType::f64;
      for (int d = 0; d < x.strides.rank(); ++d) x.strides[d] *= 2;
    }
    how.plan = backend::checked(make_plan(ops, x.ref(), nullptr, options));
    how.grouped = options.weights.has_value();
    if (options.fweights) check_fweights(how.plan, x.ref(), *options.fweights);
  }
  how.bytes = elements_of(x.shape) * bytes_of(x.dtype) + beside_bytes;
  how.window_bytes = how.bytes;
  return how;
}

}  // namespace onefold::io
