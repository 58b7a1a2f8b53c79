// Variables of the environment.
#pragma once

namespace onefold::system {

// Returns the value of a variable; null: it is not set, or the process has more rights than its
// caller (setuid, setgid, capabilities), who then must not choose which code runs.
const char* environment(const char* name);

}  // namespace onefold::system
