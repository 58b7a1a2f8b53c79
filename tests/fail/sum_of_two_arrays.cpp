// error: no match(ing function)? for call to
#include <vector>

#include "onefold/onefold.hpp"

int main() { onefold::sum(std::vector<double>{1, 2}, std::vector<double>{3, 4}); }
