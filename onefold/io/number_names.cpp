#include "onefold/io/number_names.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace onefold::io {
namespace {

// Whether each number of a line is an integer, and the one before it plus 1.
bool counts_on(const Line& line) {
  const Table plain;
  double before = 0, value = 0;
  for (std::size_t k = 0; k < line.size(); before = value, ++k) {
    if (number_of(line[k].text, plain, value, false) != NumberError::none) return false;
    if (value != std::floor(value) || (k > 0 && value != before + 1)) return false;
  }
  return !line.empty();
}

// Whether each column has a number with a fraction below the first line.
bool has_fractions(const Sample& sample) {
  const Table plain;
  std::vector<bool> found(sample.fields);
  for (std::size_t l = sample.first() + 1; l < sample.lines.size(); ++l) {
    for (std::size_t k = 0; k < std::min(sample.fields, sample.lines[l].size()); ++k) {
      double value = 0;
      const auto error = number_of(sample.lines[l][k].text, plain, value, false);
      if (error == NumberError::none && value != std::floor(value)) found[k] = true;
    }
  }
  return std::ranges::find(found, false) == found.end();
}

}  // namespace

NumberNames number_names(const Line& line, std::size_t from) {
  const Table plain;
  std::vector<double> list;
  for (std::size_t k = from; k < line.size(); ++k) {
    double value = 0;
    if (number_of(line[k].text, plain, value, false) != NumberError::none) {
      return NumberNames::none;
    }
    list.push_back(value);
  }
  if (list.empty() ||
      std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) != list.end()) {
    return NumberNames::none;
  }
  const auto is_whole = [](double x) { return x == std::floor(x); };
  const auto is_year = [&](double x) { return x >= 1500 && x < 2200 && is_whole(x); };
  const auto is_part = [](double x) { return x >= 0 && x <= 1; };
  const bool counts = (list[0] == 0 || list[0] == 1) &&
                      list.back() - list[0] == static_cast<double>(list.size() - 1);
  return counts && std::ranges::all_of(list, is_whole) ? NumberNames::counts
         : std::ranges::all_of(list, is_year)          ? NumberNames::years
         : std::ranges::all_of(list, is_part)          ? NumberNames::parts
                                                       : NumberNames::none;
}

std::string remark_on_numbers(const Sample& sample) {
  const std::size_t first = sample.first();
  if (first + 1 >= sample.lines.size() || sample.fields < 2) return {};
  const NumberNames names = number_names(sample.lines[first], 0);
  const std::string& begin = sample.lines[first][0].text;
  const bool counts = names == NumberNames::counts &&
                      (begin == "0" || begin == "1" || begin == "01") &&
                      (sample.fields > 2 || has_fractions(sample));
  if (names != NumberNames::years && !counts) return {};
  bool all_count = counts && begin != "0";  // as 1,2,3 and 4,5,6 do
  for (std::size_t l = first + 1; l < sample.lines.size(); ++l) {
    if (number_names(sample.lines[l], 0) == names) return {};
    all_count = all_count && (sample.lines[l].empty() || counts_on(sample.lines[l]));
  }
  if (all_count) return {};
  return "line " + std::to_string(first + 1) + " is read as data, though its numbers (" +
         sample.lines[first][0].text + ", " + sample.lines[first][1].text +
         ") may be column names; pass --header yes if they are, --header no if not";
}

}  // namespace onefold::io
