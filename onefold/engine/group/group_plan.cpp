#include "onefold/engine/group/group_plan.hpp"

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/error.hpp"

namespace onefold {

void check_groups(const Query& query, const GroupElements& elements) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::bad_option, query.names() + ": " + what);
  };
  Options o = query.options;
  for (const OpRow* op : query.ops) {
    if (op->about->uses_index && !elements.places) {
      refuse(std::string(op->name) +
             " returns an index, which groups by keys do not support; leave it out");
    }
    if (op->about->inputs == 2 && !elements.pairs) {
      refuse(std::string(op->name) + " takes two arrays, but one was given");
    }
  }
  if (elements.sorted) {
    o.where.reset();
    o.weights.reset();
    o.fweights.reset();
  }
  const char* const option = option_beside(
      o, {".nan", ".result", ".wide", ".ddof", ".empty_nan", ".device", ".stream", ".threads"});
  if (option != nullptr)
    refuse(std::string(option) + " is not supported for groups by keys; leave it out");
}

Plan group_plan(const Query& query, DType dtype, const GroupElements& elements) {
  check_groups(query, elements);
  const auto refuse = [&](const char* what) {
    throw Error(ErrorCode::bad_option, query.names() + ": " + what);
  };
  if (query.options.stream != nullptr) {
    refuse(".stream is not supported for groups by keys; leave it out");
  }
  if (query.options.device.type == Device::Type::cuda) {
    refuse("groups by keys of files are computed on the CPU only; choose the device cpu");
  }
  const ArrayRef nothing(nullptr, dtype, Dims(0));
  return query.plan(nothing, query.two_arrays() ? &nothing : nullptr);
}

}  // namespace onefold
