// Runs jobs in several processes of this program, which take them one by one from a common queue.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace onefold::system {

// Has `processes` children call work(k) for each k < jobs, one at a time each, and calls
// done(k, what work returned) here as they end.
//   work     gives a short text; may load what this process should not
//   throws   the first Error of `work`, once all that was begun has ended
// When this process is killed, so are they.
void in_processes(std::size_t jobs, int processes,
                  const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, const std::string&)>& done);

}  // namespace onefold::system
