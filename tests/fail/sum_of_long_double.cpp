// error: no match(ing function)? for call to
#include <vector>

#include "onefold/onefold.hpp"

int main() { onefold::sum(std::vector<long double>{1, 2}); }
