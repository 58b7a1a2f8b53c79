// error: no match(ing function)? for call to
#include <vector>

#include "onefold/onefold.hpp"

int main() {
  const std::vector<double> out(1), x{1, 2};
  onefold::fold_into(out, "sum", x);
}
