#include "onefold/io/cf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "onefold/engine/plan/check.hpp"
#include "onefold/io/decimal_text.hpp"
#include "onefold/io/number.hpp"

namespace onefold::io {
namespace {

bool holds_integers(DType t) { return kind_of(t) != Kind::floating; }
bool holds_unsigned(DType t) { return kind_of(t) == Kind::unsigned_integer; }

DType unsigned_of(DType t) {
  switch (t) {
    case DType::i8:
      return DType::u8;
    case DType::i16:
      return DType::u16;
    case DType::i32:
      return DType::u32;
    case DType::i64:
      return DType::u64;
    default:
      return t;
  }
}

// Calls f with a value of the element's type.
template <class F>
auto with_type(DType t, F f) {
  switch (t) {
    case DType::i8:
      return f(int8_t{});
    case DType::i16:
      return f(int16_t{});
    case DType::i32:
      return f(int32_t{});
    case DType::i64:
      return f(int64_t{});
    case DType::u8:
      return f(uint8_t{});
    case DType::u16:
      return f(uint16_t{});
    case DType::u32:
      return f(uint32_t{});
    case DType::u64:
      return f(uint64_t{});
    case DType::f32:
      return f(float{});
    default:
      return f(double{});
  }
}

// Returns whether the conventions have this type; they lack f16, bf16 and bool.
bool known(DType t) {
  return t != DType::boolean && t != DType::f16 && t != DType::bf16 && bytes_of(t) <= 8;
}

// Returns NumPy's common type of two types, one of which is a float.
DType type_of_both(DType a, DType b) {
  if (a == DType::f64 || b == DType::f64) return DType::f64;
  const DType other = holds_integers(a) ? a : b;
  return holds_integers(other) && bytes_of(other) > 2 ? DType::f64 : DType::f32;
}

// Converts elements of type T to type R.
struct Steps {
  bool product = false, sum = false;
  DType product_type = DType::f64, sum_type = DType::f64;
  double scale = 1, offset = 0;
};

// Which elements of type T are missing.
template <class T>
struct MissingValues {
  std::vector<T> values = {};
  std::optional<T> low = {}, high = {};
  bool none() const { return values.empty() && !low && !high; }
  bool has(T stored) const {
    return std::find(values.begin(), values.end(), stored) != values.end() ||
           (low && stored < *low) || (high && stored > *high);
  }
};

template <class T, class R>
class Decoder : public BoxReader {
 public:
  Decoder(const File& file, std::shared_ptr<const BoxReader> stored, MissingValues<T> missing,
          const Steps& steps)
      : file_(file), stored_(std::move(stored)), missing_(std::move(missing)), steps_(steps) {
    step_ = stored_->step();
  }

  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    const Size n = elements_of(count);
    std::vector<T> raw(n);
    stored_->read(begin, count, reinterpret_cast<std::byte*>(raw.data()));
    auto* out = reinterpret_cast<R*>(to);
    for (Size i = 0; i < n; ++i) {
      out[i] = missing_.has(raw[i]) ? std::numeric_limits<R>::quiet_NaN() : decoded(raw[i]);
    }
  }

 private:
  R decoded(T stored) const {
    if (!steps_.product && !steps_.sum) {
      const auto value = static_cast<R>(stored);
      if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        // 2^63 and 2^64 must not be cast to an integer type.
        constexpr R end =
            std::is_signed_v<T> ? R(9223372036854775808.0) : R(18446744073709551616.0);
        if (value == end || static_cast<T>(value) != stored) {
          file_.fail(ErrorCode::out_of_range, "the array has missing values, so it is read as " +
                                                  std::string(sizeof(R) == 4 ? "f32" : "f64") +
                                                  ", which cannot hold " + std::to_string(stored));
        }
      }
      return value;
    }
    // Integers become the type of the first step, which also rounds them.
    const DType first = steps_.product ? steps_.product_type : steps_.sum_type;
    double value = first == DType::f32 ? static_cast<double>(static_cast<float>(stored))
                                       : static_cast<double>(stored);
    if (steps_.product) {
      value = steps_.product_type == DType::f32
                  ? static_cast<float>(value) * static_cast<float>(steps_.scale)
                  : value * steps_.scale;
    }
    if (steps_.sum) {
      value = steps_.sum_type == DType::f32
                  ? static_cast<float>(value) + static_cast<float>(steps_.offset)
                  : value + steps_.offset;
    }
    return static_cast<R>(value);
  }

  const File& file_;
  std::shared_ptr<const BoxReader> stored_;
  MissingValues<T> missing_;
  Steps steps_;
};

// Returns the number as a T, if T can hold it.
template <class T>
std::optional<T> as(const CfNumber& number, bool as_unsigned) {
  if (!holds_integers(number.dtype)) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(number.real);
    } else {
      const double low = static_cast<double>(std::numeric_limits<T>::min());
      const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
      if (!(number.real >= low && number.real < high)) return {};
      const T value = static_cast<T>(number.real);
      return static_cast<double>(value) == number.real ? std::optional<T>(value) : std::nullopt;
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    const T value = static_cast<T>(number.real);
    return static_cast<double>(value) == number.real ? std::optional<T>(value) : std::nullopt;
  } else {
    // A fill value of the signed type means the unsigned value with the same bits.
    if (as_unsigned && bytes_of(number.dtype) == sizeof(T)) return static_cast<T>(number.integer);
    const T value = static_cast<T>(number.integer);
    const bool negative = !holds_unsigned(number.dtype) && number.integer < 0;
    const bool same =
        negative
            ? std::is_signed_v<T> && static_cast<int64_t>(value) == number.integer
            : value >= T{} && static_cast<uint64_t>(value) == static_cast<uint64_t>(number.integer);
    return same ? std::optional<T>(value) : std::nullopt;
  }
}

// Returns the least or the greatest T within a bound.
template <class T>
T bound_of(const CfNumber& number, bool as_unsigned, bool least) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number.real);
  } else {
    CfNumber whole = number;
    if (!holds_integers(number.dtype)) {
      whole.real = least ? std::ceil(number.real) : std::floor(number.real);
    }
    if (const std::optional<T> value = as<T>(whole, as_unsigned)) return *value;
    return whole.real > 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  }
}

}  // namespace

CfNumber cf_number(DType dtype, const std::byte* at) {
  CfNumber n{.dtype = dtype};
  with_type(dtype, [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    n.real = static_cast<double>(value);
    if constexpr (std::is_integral_v<T>) n.integer = static_cast<int64_t>(value);
  });
  return n;
}

void decode_by(const File& file, const CfRules& rules, DenseArray& array) {
  if (!known(array.dtype)) return;
  if (rules.as_unsigned) array.dtype = unsigned_of(array.dtype);
  Steps steps;
  DType type = array.dtype;
  const auto step = [&](const CfNumber& by, bool& taken, DType& in) {
    taken = true;
    if (holds_integers(type) && holds_integers(by.dtype)) {
      file.fail(
          ErrorCode::unsupported,
          "its scale_factor or add_offset is an integer, as its elements are; it must be a float");
    }
    type = in = type_of_both(type, by.dtype);
  };
  const bool both = rules.scale && rules.offset;
  const bool nothing = both && rules.scale->real == 1 && rules.offset->real == 0;
  if (nothing) {
    if (!holds_integers(rules.scale->dtype)) {
      type = rules.scale->dtype;
    } else if (!holds_integers(type)) {
      file.fail(ErrorCode::unsupported,
                "its scale_factor is an integer; only floats are supported");
    }
  } else {
    if (rules.scale && (both || rules.scale->real != 1)) {
      steps.scale = rules.scale->real;
      step(*rules.scale, steps.product, steps.product_type);
    }
    if (rules.offset && (both || rules.offset->real != 0)) {
      steps.offset = rules.offset->real;
      step(*rules.offset, steps.sum, steps.sum_type);
    }
  }
  const bool some_missing = !rules.missing.empty() || rules.low || rules.high;
  if (holds_integers(type) && some_missing) type = DType::f64;
  if (holds_integers(type)) return;
  const std::shared_ptr<const BoxReader> stored = array.boxes;
  with_type(array.dtype, [&]<class T>(T) {
    if (stored == nullptr) return;
    MissingValues<T> missing;
    for (const CfNumber& n : rules.missing) {
      const std::optional<T> value = as<T>(n, rules.as_unsigned);
      if (value) missing.values.push_back(*value);
    }
    if (rules.low) missing.low = bound_of<T>(*rules.low, rules.as_unsigned, true);
    if (rules.high) missing.high = bound_of<T>(*rules.high, rules.as_unsigned, false);
    if (type == array.dtype && missing.none() && !steps.product && !steps.sum) return;
    if (type == DType::f32) {
      array.boxes = std::make_shared<Decoder<T, float>>(file, stored, missing, steps);
    } else {
      array.boxes = std::make_shared<Decoder<T, double>>(file, stored, missing, steps);
    }
  });
  array.dtype = type;
}

namespace {

// Returns the number that a text spells.
std::optional<CfNumber> spelt_number(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.pop_back();
  const char *const begin = text.data(), *const end = begin + text.size(), *stop = nullptr;
  if (text.empty() || is_separator(text[0])) return {};
  int64_t integer = 0;
  double real = 0;
  if (parse_number(begin, end, false, integer, stop) == NumberError::none && stop == end) {
    return CfNumber{.dtype = DType::i64, .integer = integer, .real = static_cast<double>(integer)};
  }
  if (parse_number(begin, end, false, real, stop) == NumberError::none && stop == end) {
    return CfNumber{.real = real};
  }
  return {};
}

void add_numbers(const File& file, const std::string& variable, const CfAttributes& of,
                 const char* name, std::vector<CfNumber>& numbers) {
  const auto a = of(name);
  if (!a) return;
  // Texts are compared as the numbers that they spell: classic netCDF has people write "-999.".
  if (const auto spelt = spelt_number(a->text);
      spelt && std::string_view(name) == "missing_value") {
    numbers.push_back(*spelt);
    return;
  }
  if (!a->text.empty() || a->dtype == DType::f16 || a->dtype == DType::bf16) {
    file.fail(ErrorCode::unsupported,
              "variable " + variable + ": its " + name + " is not a number");
  }
  const Size each = bytes_of(a->dtype);
  for (Size at = 0; at + each <= a->numbers.size(); at += each) {
    numbers.push_back(cf_number(a->dtype, a->numbers.data() + at));
  }
}

std::optional<CfNumber> one_number(const File& file, const std::string& variable,
                                   const CfAttributes& of, const char* name) {
  std::vector<CfNumber> list;
  add_numbers(file, variable, of, name, list);
  if (list.size() > 1) {
    file.fail(ErrorCode::unsupported,
              "variable " + variable + ": its " + name + " must be a single number");
  }
  return list.empty() ? std::nullopt : std::optional(list[0]);
}

std::string remark_on(const std::string& variable, const CfRules& rules) {
  const auto bound = [](const char* side, const CfNumber& n) {
    return side + (holds_integers(n.dtype) ? std::to_string(n.integer) : shortest_text(n.real));
  };
  return "elements of " + variable + " whose stored values are" +
         (rules.low ? bound(" below ", *rules.low) : "") + (rules.low && rules.high ? " or" : "") +
         (rules.high ? bound(" above ", *rules.high) : "") +
         " count as missing, because of its valid_min, valid_max or valid_range";
}

}  // namespace

void decode_by(const File& file, const std::string& variable, const CfAttributes& of, bool netcdf,
               DenseArray& array) {
  CfRules rules;
  add_numbers(file, variable, of, "_FillValue", rules.missing);
  if (netcdf) {
    constexpr double never_written = 9.969209968386869e36;  // NC_FILL_FLOAT, NC_FILL_DOUBLE
    if (rules.missing.empty() && is_floating(array.dtype)) {
      rules.missing.push_back({.real = never_written});
    }
    rules.low = one_number(file, variable, of, "valid_min");
    rules.high = one_number(file, variable, of, "valid_max");
    std::vector<CfNumber> range;
    add_numbers(file, variable, of, "valid_range", range);
    if (range.size() == 2) {
      rules.low = range[0];
      rules.high = range[1];
    }
  }
  if (rules.low || rules.high) array.remark = remark_on(variable, rules);
  add_numbers(file, variable, of, "missing_value", rules.missing);
  rules.scale = one_number(file, variable, of, "scale_factor");
  rules.offset = one_number(file, variable, of, "add_offset");
  const auto word = of("_Unsigned");
  rules.as_unsigned = word && (word->text == "true" || word->text == "True");
  decode_by(file, rules, array);
}

}  // namespace onefold::io
