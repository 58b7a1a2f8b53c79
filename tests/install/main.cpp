#include <onefold/onefold.hpp>
#include <vector>

bool calls_are_right();  // calls.cpp

int main() {
  const std::vector<float> x{1e30f, 1, -1e30f};
  const auto [sum, least] = onefold::fold<onefold::sum, onefold::argmin>(x);
  return sum == 1 && least == 2 && calls_are_right() ? 0 : 1;
}
