#include <algorithm>

#include "cli/option.hpp"
#include "cli/quantiles.hpp"
#include "comma_list.hpp"

namespace onefold::cli {
namespace {

// A decimal from 0 to 1 of at most 15 digits behind its point.
io::Quantile read_quantile(const std::string& word) {
  const std::size_t point = std::min(word.find('.'), word.size());
  io::Quantile quantile{.name = "q" + word, .part = 0, .of = 1};
  bool good =
      word.size() > (point < word.size() ? 1 : 0) && word.size() - point <= 16 && word.size() <= 18;
  for (std::size_t k = 0; k < word.size() && good; ++k) {
    if (k == point) continue;
    good = word[k] >= '0' && word[k] <= '9';
    quantile.part = 10 * quantile.part + static_cast<uint64_t>(word[k] - '0');
    if (k > point) quantile.of *= 10;
  }
  if (good && quantile.part <= quantile.of) return quantile;
  throw Error(ErrorCode::bad_option,
              "--q \"" + word + "\" has no meaning; write decimals from 0 to 1, such as 0.25,0.5");
}

void run(Arguments& arguments) {
  const auto given = arguments.own.find("q");
  if (given == arguments.own.end()) {
    throw Error(ErrorCode::bad_option,
                "quantile needs to know which: onefold quantile --q 0.25,0.5 FILE");
  }
  std::vector<io::Quantile> quantiles;
  for (const std::string& word : comma_list(given->second)) {
    quantiles.push_back(read_quantile(word));
  }
  print_quantiles(arguments, quantiles);
}

}  // namespace

const Verb quantile_verb{
    .name = "quantile",
    .usage = "quantile --q LIST FILE...",
    .idea = "Quantiles of all numbers, or of each column, exact, in two passes.",
    .options = quantile_options,
    .examples =
        "onefold quantile --q 0.25,0.5,0.75 data.npy\n"
        "onefold quantile --q 0.99 --columns ms requests.csv\n"
        "seq 11 | onefold quantile --q 0.1,0.9",
    .run = run};

}  // namespace onefold::cli
