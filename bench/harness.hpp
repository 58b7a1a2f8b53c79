// Measures ratios of interleaved runs, and records machine, date and command.
//
// Figures on shared machines vary by 20 %; the ratio of two neighbouring runs does not. So every
// share is the median over pairs (baseline, candidate), with quartiles.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace bench {

double seconds();  // a monotonic clock

// Returns the processor seconds of a call, on all threads; other programs' time is not in them.
double processor_seconds_of(const std::function<void()>& call);

struct Share {
  double median, low, high;    // baseline time / candidate time: median and quartiles
  double candidate, baseline;  // median seconds
};
Share compare(const std::function<void()>& baseline, const std::function<void()>& candidate,
              int pairs);

// Returns the median seconds of one call; `repeats` calls are one sample, for calls of nanoseconds.
double median_seconds(const std::function<void()>& f, int samples, int repeats = 1);

// Keeps the compiler from removing a result.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Memory in huge pages, already touched.
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

// Returns the value of "--name value" on the command line, or `otherwise`.
std::string option(int argc, char** argv, const std::string& name, const std::string& otherwise);

}  // namespace bench
