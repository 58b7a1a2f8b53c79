// Prints what the C++ example of each op's page on the documentation site prints.
#include <cstdio>
#include <onefold/onefold.hpp>
#include <vector>

namespace {

const std::vector<double> x{2, 4, 4, 4, 5, 5, 7, 9}, y{1, 3, 2, 5, 4, 6, 8, 9};

template <class Definition>
void show(const onefold::Op<Definition>& op) {
  if constexpr (Definition::about.inputs == 1) {
    std::printf("%s %.17g\n", op.name, static_cast<double>(op(x)));
  } else {
    std::printf("%s %.17g\n", op.name, static_cast<double>(op(x, y)));
  }
}

}  // namespace

int main() {
#define ONEFOLD_ENTRY(name) show(onefold::name);
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
}
