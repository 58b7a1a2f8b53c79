#include "onefold/parts.hpp"

#include "parallel.hpp"
#include "plan/check.hpp"

namespace onefold {
namespace {

void refuse(std::string_view ops, const char* option) {
  throw Error(ErrorCode::bad_option, std::string(ops) + ": " + option +
                                         " has no meaning for parts, which have their own; leave "
                                         "it out");
}

template <class F>
auto of_part(std::size_t k, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    throw Error(e.code(), "part " + std::to_string(k) + ": " + e.what());
  }
}

}  // namespace

State gather_parts(std::string_view ops, std::span<const Part> parts, const Options& options) {
  parse_ops(ops);
  if (options.device != Device{}) refuse(ops, ".device");
  if (options.stream != nullptr) refuse(ops, ".stream");
  if (options.first != 0) refuse(ops, ".first");
  if (parts.empty()) {
    throw Error(ErrorCode::bad_option, std::string(ops) + ": there are no parts to gather");
  }
  std::vector<Size> first;
  Size next = 0;
  for (const Part& p : parts) {
    first.push_back(p.first.value_or(next));
    next = first.back() + elements_of(p.x.shape);
  }
  std::vector<State> states(parts.size());
  in_threads(parts.size(), static_cast<int>(parts.size()), [&](std::size_t k) {
    Options own = options;
    own.device = parts[k].x.device;
    own.stream = parts[k].stream;
    own.first = first[k];
    states[k] = of_part(k, [&] { return gather(ops, parts[k].x, own); });
  });
  for (std::size_t k = 1; k < states.size(); ++k) {
    of_part(k, [&] { states[0].merge(states[k]); });
  }
  return std::move(states[0]);
}

}  // namespace onefold
