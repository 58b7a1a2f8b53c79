#include "times.hpp"

#include <nanobind/stl/string.h>

#include <limits>
#include <string>

#include "numpy.hpp"

namespace nb = nanobind;

namespace onefold::python {

nb::object array_of_times(const std::vector<std::optional<io::Time>>& times) {
  constexpr int64_t nat = std::numeric_limits<int64_t>::min();
  constexpr Int128 second = 1'000'000'000;
  bool date = true, span = false, narrow = true, whole = true;
  const auto fits = [](Int128 n) { return nat < n && n <= std::numeric_limits<int64_t>::max(); };
  for (const auto& time : times) {
    if (!time) continue;
    date = date && time->kind == io::TimeKind::date;
    span = span || time->kind >= io::TimeKind::time;
    narrow = narrow && fits(time->ns);
    whole = whole && time->ns % second == 0 && fits(time->ns / second);
  }
  if (!date && !narrow && !whole) return nb::none();
  const Int128 unit = date ? Int128{86'400'000'000'000} : narrow ? 1 : second;
  Ref array = numpy::make_array(DType::i64, Dims(static_cast<int64_t>(times.size())));
  auto* const data = static_cast<int64_t*>(numpy::data_of(array.get()));
  for (Size i = 0; i < times.size(); ++i) {
    data[i] = times[i] ? static_cast<int64_t>(times[i]->ns / unit) : nat;
  }
  const nb::object numbers = nb::steal(array.release());
  return numbers.attr("view")(std::string(span ? "m8" : "M8") + (date     ? "[D]"
                                                                 : narrow ? "[ns]"
                                                                          : "[s]"));
}

}  // namespace onefold::python
