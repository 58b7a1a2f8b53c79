// error: no match(ing function)? for call to
#include <vector>

#include "onefold/onefold.hpp"

int main() { onefold::dot(std::vector<double>{1, 2}); }
