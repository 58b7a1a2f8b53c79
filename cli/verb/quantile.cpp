#include "cli/option.hpp"
#include "cli/quantiles.hpp"
#include "onefold/engine/comma_list.hpp"

namespace onefold::cli {
namespace {

void run_quantile(Arguments& arguments) {
  const auto given = arguments.own.find("q");
  if (given == arguments.own.end()) {
    throw Error(
        ErrorCode::bad_option,
        "quantile needs --q, the quantiles to compute; write onefold quantile --q 0.25,0.5 FILE");
  }
  const auto told = arguments.own.find("method");
  const QuantileMethod method =
      quantile_method(told == arguments.own.end() ? "linear" : told->second);
  std::vector<Quantile> quantiles;
  for (const std::string& word : comma_list(given->second)) {
    quantiles.push_back(read_quantile(word));
    quantiles.back().method = method;
  }
  print_quantiles(arguments, quantiles);
}

}  // namespace

const Verb quantile_verb{.name = "quantile",
                         .usage = "quantile --q LIST FILE...",
                         .idea = "Print exact quantiles of all numbers, of each column or group.",
                         .options = quantile_options,
                         .examples =
                             "onefold quantile --q 0.25,0.5,0.75 data.npy\n"
                             "onefold quantile --q 0.99 --columns ms requests.csv\n"
                             "onefold quantile --q 0.99 --by host --columns ms requests.csv\n"
                             "seq 11 | onefold quantile --q 0.1,0.9",
                         .run = run_quantile};

}  // namespace onefold::cli
