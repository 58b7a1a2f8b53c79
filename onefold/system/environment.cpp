#include "onefold/system/environment.hpp"

#include <cstdlib>

namespace onefold::system {

const char* environment(const char* name) { return ::secure_getenv(name); }

}  // namespace onefold::system
