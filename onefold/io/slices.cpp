#include "onefold/io/slices.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "onefold/io/boxes.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/time_axis.hpp"

namespace onefold::io {
namespace {

class Slice : public BoxReader {
 public:
  Slice(std::shared_ptr<const BoxReader> reader, const Dims& first, const Dims& shape)
      : reader_(std::move(reader)), first_(first) {
    step_ = reader_->step();
    for (int d = 0; d < step_.rank(); ++d) step_[d] = std::min(step_[d], shape[d]);
  }
  bool in_turn() const override { return reader_->in_turn(); }
  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    Dims at = begin;
    for (int d = 0; d < at.rank(); ++d) at[d] += first_[d];
    reader_->read(at, count, to);
  }

 private:
  std::shared_ptr<const BoxReader> reader_;
  Dims first_;
};

// An array in memory.
class Held : public BoxReader {
 public:
  Held(std::vector<std::byte> bytes, const Dims& shape, unsigned each)
      : bytes_(std::move(bytes)), shape_(shape), each_(each) {
    step_ = box_step(shape, shape, each);
  }
  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    Dims zeros = begin;
    for (int d = 0; d < zeros.rank(); ++d) zeros[d] = 0;
    copy_box(bytes_.data(), shape_, begin, to, count, zeros, count, each_);
  }

 private:
  std::vector<std::byte> bytes_;
  Dims shape_;
  unsigned each_;
};

// Returns the cosine of an angle in degrees, nearly always the nearest f64.
double cosine_of(long double degrees) {
  const long double angle = std::fabs(std::fmod(degrees, 360.0L));
  const long double acute = std::fabs(std::fmod(angle, 180.0L) - 90.0L);
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  const long double cosine = acute == 30.0L ? 0.5L : std::sin(acute * pi / 180.0L);
  return static_cast<double>(angle > 90.0L && angle < 270.0L ? -cosine : cosine);
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The coordinates of one axis.
struct Coordinates {
  std::string name;
  DType dtype = DType::f64;
  std::vector<long double> values;  // which hold integers of 64 bits and f64 exactly
  bool falls = false;
};

std::string shown(long double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, static_cast<double>(value)).ptr;
  return {text, end};
}

class Slicer {
 public:
  Slicer(const File& file, const Container& container, const ItemPath& path,
         const InputOptions& options, DenseArray array)
      : file_(file),
        container_(container),
        path_(path),
        options_(options),
        axes_(container.axes == nullptr ? std::vector<std::string>()
                                        : container.axes(file, path.file, path.item)),
        array_(std::move(array)),
        whole_(array_.shape),
        first_(array_.shape) {
    for (int d = 0; d < first_.rank(); ++d) first_[d] = 0;
  }

  DenseArray run(const std::string& slices) {
    std::string function;
    for (const ListWord& word : words_of_list(slices)) {
      const std::size_t equals = word.text.find('=');
      if (equals != word.text.npos) {
        cut(word.text.substr(0, equals), word.text.substr(equals + 1));
      } else if (word.text.ends_with(')') && function.empty()) {
        function = word.text;
      } else {
        refuse(word.text + " is not a slice such as lat=30:60");
      }
    }
    if (!function.empty()) return values_of(function);
    array_.boxes = std::make_shared<Slice>(array_.boxes, first_, array_.shape);
    return std::move(array_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    file_.fail(ErrorCode::bad_option, what);
  }

  int axis_of(const std::string& name) const {
    const auto found = std::ranges::find(axes_, name, last_name);
    if (found == axes_.end()) {
      std::string known;
      for (const std::string& axis : axes_) {
        if (!axis.empty()) known += (known.empty() ? "" : ", ") + last_name(axis);
      }
      refuse("the array has no axis " + name +
             (known.empty() ? "; its axes have no names" : "; its axes are " + known));
    }
    return static_cast<int>(found - axes_.begin());
  }

  void cut(const std::string& name, const std::string& bounds) {
    const int d = axis_of(name);
    if (std::ranges::find(cut_, d) != cut_.end()) refuse("axis " + name + " is named twice");
    Coordinates c = coordinates_of(d, array_.shape[d]);
    check_order(c);
    const auto [begin, end] = range_of(c, bounds);
    first_[d] = begin;
    array_.shape[d] = end - begin;
    cut_.push_back(d);
  }

  // Opens the array of a dimension: by its path, or in the array's group and those around it.
  DenseArray open_coordinates(const std::string& axis) {
    InputOptions own;
    own.most_chunk_bytes = options_.most_chunk_bytes;
    own.opened = options_.opened;
    std::string group = path_.item;
    while (true) {
      group.resize(group.find('/') == group.npos ? 0 : group.rfind('/'));
      try {
        coordinate_ = axis.starts_with('/') || group.empty() ? axis : group + "/" + axis;
        return container_.open(file_, path_.file, coordinate_, own);
      } catch (const Error&) {
        if (axis.starts_with('/') || group.empty()) {
          refuse("axis " + last_name(axis) +
                 " has no coordinates to slice by, because the file has no numeric array named " +
                 last_name(axis));
        }
      }
    }
  }

  Coordinates coordinates_of(int d, int64_t extent) {
    const std::string& axis = axes_[static_cast<std::size_t>(d)];
    const DenseArray array = open_coordinates(axis);
    Coordinates c;
    c.name = last_name(axis);
    c.dtype = array.dtype;
    if (array.shape.rank() != 1 || array.shape[0] != extent || extent == 0) {
      refuse("the coordinates of axis " + c.name + " have shape " + to_string(array.shape) +
             ", but the axis has " + std::to_string(extent) + " elements");
    }
    const unsigned each = bytes_of(array.dtype);
    std::vector<std::byte> bytes(static_cast<std::size_t>(extent) * each);
    array.boxes->read(Dims(0), Dims(extent), bytes.data());
    visit(array.dtype, [&]<class T>() {
      if constexpr (std::is_arithmetic_v<T>) {
        for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
          T value;
          std::memcpy(&value, bytes.data() + i, sizeof value);
          c.values.push_back(static_cast<long double>(value));
        }
      }
    });
    if (c.values.empty()) refuse("the coordinates of axis " + c.name + " are not numbers");
    return c;
  }

  void check_order(Coordinates& c) const {
    c.falls = c.values.size() > 1 && c.values[1] < c.values[0];
    bool ordered = !std::isnan(c.values[0]);
    for (std::size_t i = 1; i < c.values.size(); ++i) {
      ordered &= c.falls ? c.values[i] < c.values[i - 1] : c.values[i] > c.values[i - 1];
    }
    if (ordered) return;
    file_.fail(ErrorCode::unsupported,
               "axis " + c.name +
                   " cannot be sliced, because its coordinates are neither increasing "
                   "nor decreasing");
  }

  // Returns the values of a function of an axis: cos(lat), to broadcast to the array; or the year,
  // month or day of times, of one dimension.
  DenseArray values_of(const std::string& function) {
    const std::size_t open = function.find('(');
    const std::string name = function.substr(0, open),
                      of = function.substr(open + 1, function.size() - open - 2);
    const int d = axis_of(of);
    const auto cut_there = static_cast<std::ptrdiff_t>(array_.shape[d]);
    const Coordinates c = coordinates_of(d, whole_[d]);
    const auto first = c.values.begin() + static_cast<std::ptrdiff_t>(first_[d]);
    const bool cosine = name == "cos";
    DenseArray made{.dtype = cosine ? DType::f64 : DType::i64, .shape = Dims(array_.shape[d])};
    std::vector<std::byte> bytes;
    const auto append = [&](auto value) {
      const auto* const from = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), from, from + sizeof value);
    };
    if (cosine) {
      if (attribute("units").starts_with("rad"))
        refuse("axis " + of + " is in radians, but cos(lat) supports only degrees");
      std::for_each(first, first + cut_there, [&](long double v) { append(cosine_of(v)); });
      for (int k = d + 1; k < array_.shape.rank(); ++k) made.shape.push_back(1);
    } else {
      if (name != "year" && name != "month" && name != "day") {
        refuse(function +
               " is not a known function of an axis; use cos(lat), year(time), month(time) or "
               "day(time)");
      }
      const std::optional<TimeAxis> times = times_of(c);
      if (!times) refuse("axis " + of + " has coordinates that are not times");
      std::for_each(first, first + cut_there, [&](long double v) {
        const auto date = times->date_of(v);
        if (!date) refuse("axis " + of + ": " + shown(v) + " is not a time in the years 0 to 9999");
        append(name == "year" ? date->year : name == "month" ? int64_t{date->month} : date->day);
      });
    }
    made.boxes = std::make_shared<Held>(std::move(bytes), made.shape, bytes_of(made.dtype));
    return made;
  }

  // Returns the indices of the slice.
  std::pair<int64_t, int64_t> range_of(const Coordinates& c, const std::string& bounds) {
    const std::size_t colon = bounds.find(':');
    const std::string from = bounds.substr(0, colon),
                      to = colon == bounds.npos ? from : bounds.substr(colon + 1);
    // Those below the first bound, and those up to the last one.
    int64_t below = 0, up_to = static_cast<int64_t>(c.values.size());
    const auto is_below = [&](const Bound& b) {
      return std::ranges::count_if(c.values, [&](long double v) { return v < b.value; });
    };
    const auto is_up_to = [&](const Bound& b) {
      return std::ranges::count_if(
          c.values, [&](long double v) { return b.excluded ? v < b.value : v <= b.value; });
    };
    if (bounds.empty() || bounds == ":")
      refuse("the slice of axis " + c.name + " has no bound; write one or two, as in " + c.name +
             "=30:60");
    std::optional<Bound> first, last;
    if (!from.empty()) below = is_below(*(first = bound_of(c, from, false)));
    if (!to.empty()) up_to = is_up_to(*(last = bound_of(c, to, true)));
    if (first && last && first->value > last->value) {
      refuse(
          "the slice " + c.name + "=" + bounds +
          " ends before it begins; write the lower bound first, even if the coordinates decrease");
    }
    if (up_to <= below) {
      refuse("no coordinate of axis " + c.name + " is " + (colon == bounds.npos ? "" : "in ") +
             bounds + "; the coordinates go from " + shown_in(c, c.values.front()) + " to " +
             shown_in(c, c.values.back()));
    }
    const auto n = static_cast<int64_t>(c.values.size());
    return c.falls ? std::pair(n - up_to, n - below) : std::pair(below, up_to);
  }

  // Returns a text among the attributes of the coordinates.
  std::string attribute(const char* name) const {
    return container_.attribute(file_, path_.file, coordinate_, name);
  }
  std::optional<TimeAxis> times_of(const Coordinates& c) const {
    try {
      return TimeAxis::parse(attribute("units"), attribute("calendar"));
    } catch (const std::string& why) {
      file_.fail(ErrorCode::unsupported, "axis " + c.name + ": " + why);
    }
  }

  // Returns a coordinate as a bound is written: a date, or a number.
  std::string shown_in(const Coordinates& c, long double value) const {
    const std::optional<TimeAxis> times = times_of(c);
    const auto date = times ? times->date_of(value) : std::nullopt;
    if (!date) return shown(value);
    char text[40];
    std::snprintf(text, sizeof text, "%04lld-%02d-%02d", static_cast<long long>(date->year),
                  date->month, static_cast<int>(date->day));
    return text;
  }

  struct Bound {
    long double value = 0;
    bool excluded = false;
  };
  Bound bound_of(const Coordinates& c, const std::string& text, bool last) {
    const std::optional<TimeAxis> times = times_of(c);
    if (times) {
      const auto span = times->span_of(text);
      if (!span)
        refuse("axis " + c.name + " has times, but " + text + " is not a date such as 2024-05-31");
      return last ? Bound{span->end, true} : Bound{span->begin, false};
    }
    return {number_of(c, text)};
  }
  long double number_of(const Coordinates& c, const std::string& text) {
    std::optional<long double> found;
    // So that 30.1 is the coordinate that a file of f32 spells 30.1.
    if (c.dtype == DType::f32) {
      found = read<float>(text);
    } else if (c.dtype != DType::f64) {
      found = read<int64_t>(text);
      if (!found) found = read<uint64_t>(text);  // a long double holds both
    }
    if (!found && c.dtype != DType::f32) found = read<double>(text);
    if (!found || std::isnan(*found)) refuse("axis " + c.name + ": " + text + " is not a number");
    return *found;
  }
  template <class T>
  static std::optional<long double> read(const std::string& text) {
    T value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end ? std::optional<long double>(value) : std::nullopt;
  }

  const File& file_;
  const Container& container_;
  const ItemPath& path_;
  const InputOptions& options_;
  std::vector<std::string> axes_;
  DenseArray array_;
  Dims whole_, first_;      // the shape of the array, and where the slice begins
  std::vector<int> cut_;    // axes
  std::string coordinate_;  // the name of the array of coordinates
};

}  // namespace

std::string take_slices(std::string& item) {
  const std::size_t at = item.rfind('[');
  if (at == item.npos || !item.ends_with(']') || item.find_first_of("=(", at) == item.npos) {
    return {};
  }
  std::string slices = item.substr(at + 1, item.size() - at - 2);
  item.resize(at);
  return slices;
}

DenseArray sliced(const File& file, const Container& container, const ItemPath& path,
                  const InputOptions& options, const std::string& slices, DenseArray array) {
  return Slicer(file, container, path, options, std::move(array)).run(slices);
}

}  // namespace onefold::io
