#include "onefold/io/python_literal.hpp"

#include <charconv>

namespace onefold::io {
namespace {

class LiteralParser {
 public:
  LiteralParser(std::string_view text, std::string& why)
      : at_(text.data()), end_(at_ + text.size()), why_(why) {}

  bool dict(NpyDict& d) {
    if (!take('{')) return wrong("it must begin with '{'");
    bool descr = false, order = false, shape = false;
    while (!take('}')) {
      std::string key;
      if (!string(key)) return wrong("a key in quotes was expected");
      if (!take(':')) return wrong("a ':' must follow the key '" + printable(key) + "'");
      bool* seen = key == "descr"           ? &descr
                   : key == "fortran_order" ? &order
                   : key == "shape"         ? &shape
                                            : nullptr;
      if (seen == nullptr) return wrong("the key '" + printable(key) + "' is not known");
      if (*seen) return wrong("the key '" + key + "' appears twice");
      *seen = true;
      if (seen == &descr) {
        space();
        if (at_ != end_ && (*at_ == '[' || *at_ == '(')) {
          d.structured = true;
          return true;
        }
        if (!string(d.descr)) return wrong("descr must be a type in quotes");
      } else if (seen == &order) {
        if (!boolean(d.fortran_order)) return wrong("fortran_order must be True or False");
      } else if (!tuple(d.shape)) {
        return false;
      }
      if (take('}')) break;
      if (!take(',')) return wrong("a ',' or '}' must follow the value of '" + key + "'");
    }
    space();
    if (at_ != end_) return wrong("something follows the '}'");
    for (const auto& [there, key] : {std::pair(descr, "descr"), std::pair(order, "fortran_order"),
                                     std::pair(shape, "shape")}) {
      if (!there) return wrong("the key '" + std::string(key) + "' is missing");
    }
    return true;
  }

 private:
  bool wrong(std::string why) {
    why_ = std::move(why);
    return false;
  }
  static std::string printable(std::string_view s) {
    std::string out;
    for (const char c : s.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
    return out;
  }
  void space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }
  bool take(char c) {
    space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    space();
    if (static_cast<std::size_t>(end_ - at_) < w.size() || std::string_view(at_, w.size()) != w) {
      return false;
    }
    at_ += w.size();
    return true;
  }
  bool string(std::string& s) {
    space();
    if (at_ == end_ || (*at_ != '\'' && *at_ != '"')) return false;
    const char quote = *at_++;
    for (; at_ != end_ && *at_ != quote; ++at_) {
      if (*at_ == '\\' || *at_ == '\n') return false;
      s += *at_;
    }
    if (at_ == end_) return false;
    ++at_;
    return true;
  }
  bool boolean(bool& b) {
    b = word("True");
    return b || word("False");
  }
  bool tuple(Dims& dims) {
    if (!take('(')) return wrong("shape must be a tuple");
    bool comma = true;
    for (; !take(')'); comma = take(',')) {
      if (!comma) return wrong("extents in shape must be separated by commas");
      space();
      if (at_ != end_ && *at_ == '-') return wrong("an extent in shape is negative");
      int64_t extent = 0;
      const auto [stop, error] = std::from_chars(at_, end_, extent);
      if (error == std::errc::result_out_of_range) return wrong("an extent in shape is past 2^63");
      if (error != std::errc()) return wrong("shape must hold integers");
      at_ = stop;
      if (at_ != end_ && *at_ == 'L') ++at_;
      dims.push_back(extent);
    }
    if (dims.rank() == 1 && !comma) return wrong("shape must be a tuple, such as (3,)");
    return true;
  }

  const char* at_;
  const char* end_;
  std::string& why_;
};

}  // namespace

bool parse_npy_dict(std::string_view text, NpyDict& dict, std::string& why) {
  return LiteralParser(text, why).dict(dict);
}

}  // namespace onefold::io
