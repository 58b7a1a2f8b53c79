// error: no match(ing (member )?function)? for call to
#include <string>
#include <vector>

#include "onefold/onefold.hpp"

int main() { onefold::sum.as<std::string>(std::vector<double>{1, 2}); }
