#include "times.hpp"

#include <nanobind/stl/string.h>

#include <limits>
#include <string>

#include "io/time_text.hpp"
#include "numpy.hpp"

namespace nb = nanobind;

namespace onefold::python {

nb::object array_of_times(const std::vector<std::optional<std::string_view>>& texts) {
  constexpr int64_t nat = std::numeric_limits<int64_t>::min();
  std::vector<std::optional<io::Time>> times;
  bool date = true, span = false, narrow = true, whole = true;
  for (const auto& text : texts) {
    const auto time = text ? io::parse_time(*text) : std::nullopt;
    times.push_back(time);
    if (!time) continue;
    date = date && time->kind == io::TimeKind::date;
    span = span || time->kind >= io::TimeKind::time;
    narrow = narrow && nat < time->ns && time->ns <= std::numeric_limits<int64_t>::max();
    whole = whole && time->ns % 1'000'000'000 == 0;
  }
  if (!date && !narrow && !whole) return nb::none();
  const Int128 unit = date ? Int128{86'400'000'000'000} : narrow ? 1 : 1'000'000'000;
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
