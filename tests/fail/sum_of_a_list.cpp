// error: no match(ing function)? for call to
#include <list>

#include "onefold/onefold.hpp"

int main() { onefold::sum(std::list<double>{1, 2}); }
