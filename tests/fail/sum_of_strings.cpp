// error: no match(ing function)? for call to
#include <string>
#include <vector>

#include "onefold/onefold.hpp"

int main() { onefold::sum(std::vector<std::string>{"1", "2"}); }
