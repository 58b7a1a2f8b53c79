// How often loops over seeds run: ONEFOLD_TEST_SCALE times as often as the text says. `make test`
// runs a quarter of the rounds, the nightly tests all of them several times.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace onefold::test {

inline double test_scale() {
  static const double scale = [] {
    const char* text = std::getenv("ONEFOLD_TEST_SCALE");
    return text == nullptr ? 0.25 : std::atof(text);
  }();
  return scale;
}

// Returns the rounds to run of a loop over n seeds; four or all of them at least.
template <class N>
N scaled(N n) {
  return std::max(std::min(n, N{4}), static_cast<N>(static_cast<double>(n) * test_scale()));
}

}  // namespace onefold::test
