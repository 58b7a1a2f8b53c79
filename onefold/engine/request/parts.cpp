// Gathers one array that is given in parts.
#include "onefold/engine/request/folds.hpp"

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

void refuse_option(std::string_view ops, const char* option) {
  throw Error(ErrorCode::bad_option,
              std::string(ops) + ": " + option +
                  " is not supported for a list of parts; pass it with each part");
}

template <class F>
auto of_part(std::size_t k, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    throw Error(e.code(), "part " + std::to_string(k) + ": " + e.what());
  }
}

// Gathers each part with its own options, and merges the results.
//   elements(part)  the number of elements from this part's first index to that of the next one
template <class S, class Elements, class F>
S gather_all(std::string_view ops, std::span<const Part> parts, const Options& options,
             Elements elements, F f) {
  parse_ops(ops);
  if (options.device != Device{}) refuse_option(ops, ".device");
  if (options.stream != nullptr) refuse_option(ops, ".stream");
  if (options.first != 0) refuse_option(ops, ".first");
  if (parts.empty()) {
    throw Error(ErrorCode::bad_option,
                std::string(ops) + ": the list of parts is empty; pass one or more");
  }
  std::vector<Size> first;
  Size next = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    first.push_back(parts[k].first.value_or(next));
    next = first.back() + of_part(k, [&] { return elements(parts[k]); });
  }
  std::vector<S> states(parts.size());
  in_threads(parts.size(), static_cast<int>(parts.size()), [&](std::size_t k) {
    Options own = options;
    own.device = parts[k].x.device;
    own.stream = parts[k].stream;
    own.first = first[k];
    states[k] = of_part(k, [&] { return f(parts[k].x, own); });
  });
  for (std::size_t k = 1; k < states.size(); ++k) {
    of_part(k, [&] { states[0].merge(states[k]); });
  }
  return std::move(states[0]);
}

}  // namespace

State gather(std::string_view ops, std::span<const Part> parts, const Options& options) {
  return gather_all<State>(
      ops, parts, options, [](const Part& part) { return elements_of(part.x.shape); },
      [&](const ArrayRef& x, const Options& own) { return gather(ops, x, own); });
}

States gather_states(std::string_view ops, std::span<const Part> parts, const Options& options) {
  const auto elements = [&](const Part& part) {
    const Dims& shape = part.x.shape;
    const std::vector<bool> folded =
        folded_axes(options.axes, shape.rank(), "shape " + to_string(shape), std::string(ops));
    if (folded.empty() || !folded[0]) {
      throw Error(ErrorCode::bad_option,
                  std::string(ops) +
                      ": parts divide the first axis, so this axis must be folded; if it " +
                      "is kept, fold each part by itself");
    }
    Size n = 1;
    for (int a = 0; a < shape.rank(); ++a) {
      if (folded[static_cast<std::size_t>(a)]) n *= static_cast<Size>(shape[a]);
    }
    return n;
  };
  return gather_all<States>(
      ops, parts, options, elements,
      [&](const ArrayRef& x, const Options& own) { return gather_states(ops, x, own); });
}

}  // namespace onefold
