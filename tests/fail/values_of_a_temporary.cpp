// error: (use of|call to) deleted (member )?function
#include <vector>

#include "onefold/onefold.hpp"

int main() {
  const std::vector<double> x{1, 2};
  double sum = 0;
  for (const double v : onefold::fold("sum", x)["sum"].values<double>()) sum += v;
  return sum == 3 ? 0 : 1;
}
