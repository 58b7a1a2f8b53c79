// Runs jobs in several processes of this program; each takes the next job from a common queue.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace onefold::system {

// Starts `processes` children, which call work(k) for each k < jobs, one at a time. In this process
// it calls done(k, the text that work returned) when a job ends.
//   work     returns a short text; may load libraries that this process should not load
//   throws   the first Error of `work`, after all jobs that had begun have ended
// If this process is killed, its children end, too.
void in_processes(std::size_t jobs, int processes,
                  const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, const std::string&)>& done);

}  // namespace onefold::system
