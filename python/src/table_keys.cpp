#include "table_keys.hpp"

#include <charconv>
#include <cstring>
#include <optional>

#include "numpy.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/said.hpp"
#include "python.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// Returns a numeric key as bits of its type.
uint64_t bits_of_key(DType type, std::string_view text) {
  return visit(type, [&]<class T>() -> uint64_t {
    if constexpr (dtype_of<T> == DType::boolean) {
      return text.starts_with('t') || text.starts_with('T') || text == "1" ? 1 : 0;
    } else if constexpr (std::is_arithmetic_v<T>) {
      T value{};
      std::from_chars(text.data(), text.data() + text.size(), value);
      uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      return bits;
    } else {
      return 0;
    }
  });
}

}  // namespace

nb::object name_of_column(const std::string& name) {
  const auto n = static_cast<Py_ssize_t>(name.size());
  return nb::steal(checked(PyUnicode_DecodeUTF8(name.data(), n, "surrogateescape")));
}

nb::object array_of_keys(const io::Grouped& grouped, std::size_t k) {
  std::optional<DType> type;
  if (k < grouped.stored.size()) type = grouped.stored[k];
  if (type && is_floating(*type) && *type != DType::f64) type = DType::f32;  // holds 16-bit ones
  const auto part_of = [&](Size g) {
    return io::parts_of_key(grouped.keys[g], grouped.by.size())[k];
  };
  const Size n = grouped.keys.size();
  bool nulls = false;
  for (Size g = 0; g < n; ++g) nulls = nulls || io::is_null(grouped, part_of(g));
  if (type && !nulls) {
    Ref array = numpy::make_array(*type, Dims(static_cast<int64_t>(n)));
    auto* const data = static_cast<std::byte*>(numpy::data_of(array.get()));
    for (Size g = 0; g < n; ++g) {
      const uint64_t bits = bits_of_key(*type, part_of(g));
      std::memcpy(data + g * bytes_of(*type), &bits, bytes_of(*type));
    }
    return nb::steal(array.release());
  }
  nb::list objects;
  for (Size g = 0; g < n; ++g) {
    const std::string_view part = part_of(g);
    objects.append(io::is_null(grouped, part) ? nb::object(nb::none())
                   : type ? nb::steal(numpy::make_python(*type, bits_of_key(*type, part)))
                          : name_of_column(std::string(part)));
  }
  const nb::object array = nb::steal(attribute("numpy", "array"));
  return array(objects, nb::arg("dtype") = "O");
}

}  // namespace onefold::python
