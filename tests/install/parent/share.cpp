// Asks the parent's own op by its name in C++ and as text, along an axis and of states.
#include <onefold/onefold.hpp>
#include <onefold/states.hpp>

int main() {
  const float table[2][4] = {{0, 1, -0.0F, 3}, {4, 0, 6, 7}};
  const onefold::ArrayRef rows(table, onefold::f32, {2, 4});
  const onefold::Answers each = onefold::fold("share_zero,sum", rows, {.axes = {1}});
  const auto shares = each["share_zero"].values<float>();
  const bool right =
      onefold::share_zero(rows).as<float>() == 0.375F && shares[0] == 0.5F && shares[1] == 0.25F;
  return right ? 0 : 1;
}
