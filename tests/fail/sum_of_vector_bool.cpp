// error: no match(ing function)? for call to
#include <vector>

#include "onefold/onefold.hpp"

// std::vector<bool> has no array of bool to point at.
int main() { onefold::sum(std::vector<bool>{true, false}); }
