// A progress line on stderr: how much is done, how fast, and the time left.
//
//   auto    only on a terminal, from the second second on
//   always  from the start, also without a terminal, and at the end a line with the total
//           of all passes over the files
//   never   nothing
#pragma once

#include <chrono>
#include <mutex>

#include "cli/verb.hpp"
#include "onefold/tables/fold_files.hpp"

namespace onefold::cli {

class ProgressLine {
 public:
  explicit ProgressLine(When when);
  ~ProgressLine();  // erases the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Returns the callback for fold_files; any thread may call it.
  io::Progress callback();
  // Called after the last byte was read; erases the line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void show(Size done, Size total);
  static void write(const std::string& line);

  const bool wanted_, always_, terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point pass_start_ = start_;
  std::mutex mutex_;
  Clock::time_point next_;
  Size done_ = 0;    // bytes of this pass
  Size before_ = 0;  // bytes of the passes before it
  int pass_ = 1;
};

// Returns "12.3 of 40.0 GB, 5.10 GB/s, 6 s left"; total 0: unknown.
std::string progress_text(Size done, Size total, double seconds);

}  // namespace onefold::cli
