#include "lab/kernel_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "lab/kernel_types.hpp"
#include "lab/ptx/program.hpp"
#include "lab/refuse.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

std::vector<std::byte> number_bytes(const std::string& text, const ptx::Variable& param,
                                    const std::string& name, std::optional<DType> type) {
  std::vector<std::byte> bytes(param.bytes);
  const bool floating = param.floating || (type && is_floating(*type));
  const auto store = [&](const auto& v) {
    std::memcpy(bytes.data(), &v, std::min(bytes.size(), sizeof v));
  };
  const char* from = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  if (floating) {
    double v = 0;
    const auto r = std::from_chars(from, end, v);
    if (r.ec == std::errc{} && r.ptr == end) {
      param.bytes == 4 ? store(static_cast<float>(v)) : store(v);
      return bytes;
    }
  } else {
    auto v = whole_number(text);
    if (!v) v = whole_value(text);  // 2^20+3
    if (v) {
      const auto bits = static_cast<int>(8 * std::min<std::size_t>(param.bytes, 8));
      if (*v < -(Wide{1} << (bits - 1)) || *v >= Wide{1} << bits) {
        refuse(fmt::format("{}={} does not fit the {} bytes of the parameter", name, text,
                           param.bytes));
      }
      store(static_cast<uint64_t>(*v));
      return bytes;
    }
    if (text == "true" || text == "false") {
      store(uint64_t{text == "true"});
      return bytes;
    }
  }
  refuse(fmt::format("{}={} is not a{} number", name, text, floating ? "" : " whole"));
}

}  // namespace

Bound bound_of(const KernelLaunch& l, const ptx::Function& f, std::span<const KernelArgument> all,
               const std::string& source) {
  const std::string kernel = ptx::written_name(f.name);
  const std::vector<std::string> types = parameter_types(f.name);
  Bound b{.launch = &l};
  std::vector<std::string> given = l.arguments;
  if (given.empty()) {
    for (const KernelArgument& a : all) given.push_back(a.name);
  }
  if (given.size() == 1 && given[0].empty()) given.clear();
  if (given.size() != f.params.size()) {
    const bool none = given.empty() && types.size() == f.params.size() && types.size() <= 26;
    refuse(fmt::format(
        "kernel {} has {} parameter{}, but {} arguments were given{}", kernel, f.params.size(),
        f.params.size() == 1 ? "" : "s", given.size(),
        none ? fmt::format("; as in {}--args '{}'", l.arguments.empty() ? "--grid 4 " : "",
                           example_arguments(types, parameter_names(source, kernel)))
             : ""));
  }
  std::size_t offset = 0;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const ptx::Variable& p = f.params[k];
    // Places it as in the kernel's parameter space.
    const std::size_t align = std::max<std::size_t>(p.align, 8);
    offset = (offset + align - 1) / align * align;
    Bound::Place place{.offset = offset};
    offset += std::max<std::size_t>(p.bytes, 8);
    const auto a = std::find_if(all.begin(), all.end(),
                                [&](const KernelArgument& o) { return o.name == given[k]; });
    const bool named = a != all.end();
    if (named && (a->is_array || a->typed) && types.size() == given.size()) {
      check_type(*a, types[k], k, kernel);
    }
    if (named && a->is_array) {
      if (p.bytes != 8) {
        refuse(
            fmt::format("{} is an array, but parameter {} of {} is not a pointer: it has {} bytes",
                        given[k], k + 1, kernel, p.bytes));
      }
      place.array = static_cast<std::size_t>(a - all.begin());
    } else if (const std::string& text = named ? a->value : given[k]; text.starts_with('{')) {
      StructBytes s = struct_bytes(given[k], text, {all.begin(), all.end()});
      if (s.bytes.size() != p.bytes) {
        refuse(fmt::format("struct {} has {} bytes, but parameter {} of {} has {}", given[k],
                           s.bytes.size(), k + 1, kernel, p.bytes));
      }
      place.bytes = std::move(s.bytes);
      place.pointers = std::move(s.pointers);
    } else {
      if (p.bytes > 8 || (p.element == 1 && p.bytes > 1)) {
        refuse(fmt::format(
            "parameter {} of {} is a struct of {} bytes; pass its members, as in {}{{in, i32:5}}",
            k + 1, kernel, p.bytes, named ? given[k] + "=" : ""));
      }
      place.bytes = number_bytes(text, p, given[k],
                                 named && a->typed ? std::optional(a->dtype) : std::nullopt);
    }
    b.places.push_back(std::move(place));
  }
  return b;
}

}  // namespace onefold::lab
