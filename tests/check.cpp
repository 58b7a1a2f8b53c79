#include "check.hpp"

namespace onefold::test {

std::string ops_of_one_array(DType t, std::optional<DType> result) {
  std::string ops;
  for (const std::string_view op : oracle::ops_of_one_array()) {
    const oracle::Type& own = oracle::result_type(op, oracle::type(name_of(t)));
    const bool possible = !result || is_floating(*result) || own.name == name_of(*result) ||
                          (own.integer() && is_integer(*result));
    if (possible) ops += (ops.empty() ? "" : ",") + std::string(op);
  }
  return ops;
}

oracle::Options for_oracle(const Options& options) {
  oracle::Options o{.nan = options.nan == NanPolicy::omit    ? oracle::Nan::omit
                           : options.nan == NanPolicy::raise ? oracle::Nan::raise
                                                             : oracle::Nan::propagate,
                    .ddof = mpq_class(options.ddof.numerator, options.ddof.denominator)};
  o.ddof.canonicalize();
  if (options.result) o.result = &oracle::type(name_of(*options.result));
  return o;
}

std::string compare(std::string_view op, const Value& got, const oracle::Value& expected) {
  const oracle::Type& t = oracle::type(name_of(got.dtype));
  const oracle::Value value{got.bits, name_of(got.status)};
  if (value == expected) return "";
  return "\n  " + std::string(op) + " is " + text(value, t) + ", should be " + text(expected, t);
}

std::string compare(const Answers& got, Size i, const oracle::Fold& expected,
                    const Options& options) {
  const oracle::Options o = for_oracle(options);
  std::string s;
  for (const Answer& a : got.list) s += compare(a.op, a[i], expected(a.op, o));
  return s;
}

Correction spelt(std::string_view text) {
  return Correction::parse(text.data(), text.data() + text.size());
}

Options some_options(Random& r, std::size_t n) {
  Options o;
  if (r() % 2 == 0) return o;
  o.nan = static_cast<NanPolicy>(r() % 3);
  const auto k = static_cast<long>(n);
  const Correction nano = spelt("1e-9"), tenth = spelt("0.1"), large = spelt("123.456");
  const double nearly = static_cast<double>(n) - 0x1p-29;
  const Correction corrections[] = {0, 1,     2,     -1,    0.5,     1.5,      nano,  large, -0.25,
                                    k, k - 1, k + 1, tenth, 0x1p-29, -0x3p-29, -1e18, nearly};
  o.ddof = corrections[r() % std::size(corrections)];
  if (r() % 2 == 0) return o;
  // Only any and all have the type bool.
  const auto result = static_cast<DType>(1 + r() % (dtype_count - 1));
  if (is_floating(result) || r() % 2 == 0) o.result = result;
  return o;
}

std::string describe(const Options& o) {
  std::string s = std::string(" nan=") + name_of(o.nan);
  s += " ddof=" + std::to_string(o.ddof.numerator) + "/" + std::to_string(o.ddof.denominator);
  if (o.result) s += std::string(" result=") + name_of(*o.result);
  if (!o.target.empty()) s += " target=" + std::string(o.target);
  if (o.threads != 0) s += " threads=" + std::to_string(o.threads);
  return s;
}

}  // namespace onefold::test
