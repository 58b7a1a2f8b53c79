// Ratios of interleaved runs, and what they were measured on.
//
// Figures on shared machines jump by 20 %; the ratio of two neighbouring runs does not. So every
// share is the median over pairs (baseline, candidate), with the quartiles beside it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace bench {

double seconds();  // monotonic

// Seconds of the processor that a call takes, on all threads: what others do beside it is not there.
double processor_seconds_of(const std::function<void()>& call);

struct Share {
  double median, low, high;    // baseline time / candidate time: quartiles
  double candidate, baseline;  // median seconds
};
Share compare(const std::function<void()>& baseline, const std::function<void()>& candidate,
              int pairs);

// Median seconds of one call, `repeats` calls a sample (for what takes nanoseconds).
double median_seconds(const std::function<void()>& f, int samples, int repeats = 1);

// Keeps a result alive.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Memory from huge pages, touched.
struct Buffer {
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::byte* data;
  std::size_t bytes;
};

// {"machine", "date", "commit", "command"}.
nlohmann::json provenance(int argc, char** argv);

// "--name value" from the command line, or `otherwise`.
std::string option(int argc, char** argv, const std::string& name, const std::string& otherwise);

}  // namespace bench
