#include "cli/progress.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/number.hpp"
#include "cli/writer.hpp"
#include "onefold/system/file.hpp"

namespace onefold::cli {
namespace {

using std::chrono_literals::operator""ms;

constexpr auto patience = 1000ms;
constexpr auto interval = 200ms;

std::string duration_text(double seconds) {
  const auto s = static_cast<long long>(std::ceil(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

std::string progress_text(Size done, Size total, double seconds) {
  const auto bytes = static_cast<double>(done);
  const double rate = bytes / std::max(seconds, 1e-9);
  std::string text = bytes_text(bytes);
  if (total != 0) text += " of " + bytes_text(static_cast<double>(total));
  text += fmt::format(", {:.2f} GB/s", rate / 1e9);
  if (total > done && done > 0) {
    text += ", " + duration_text(static_cast<double>(total - done) / rate) + " left";
  }
  return text;
}

ProgressLine::ProgressLine(When when)
    : wanted_(when == When::always || (when == When::automatic && stderr_is_terminal())),
      always_(when == When::always),
      terminal_(stderr_is_terminal()),
      next_(start_ + (always_ ? interval : patience)) {}

ProgressLine::~ProgressLine() { erase_progress(); }

io::Progress ProgressLine::callback() {
  if (!wanted_) return {};
  return [this](Size done, Size total) { show(done, total); };
}

void ProgressLine::show(Size done, Size total) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (done < done_) {  // the files are read again, from their begin
    before_ += done_;
    ++pass_;
    pass_start_ = now;
    next_ = std::max(next_, now + interval);  // a rate needs some time
  }
  done_ = done;
  if (now < next_) return;
  next_ = now + interval;
  const double seconds = std::chrono::duration<double>(now - pass_start_).count();
  const std::string pass = pass_ == 1 ? "" : fmt::format("pass {}: ", pass_);
  const std::string text = pass + progress_text(done_, total, seconds);
  terminal_ ? draw_progress(text) : write(text + "\n");
}

void ProgressLine::finish() {
  erase_progress();
  if (!always_) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const auto bytes = static_cast<double>(before_ + done_);
  write(fmt::format("{} in {:.3f} s, {:.2f} GB/s\n", bytes_text(bytes), seconds,
                    bytes / 1e9 / std::max(seconds, 1e-9)));
}

// If a progress line cannot be written, that is no error.
void ProgressLine::write(const std::string& line) {
  system::write_all(system::standard_error, line.data(), line.size());
}

}  // namespace onefold::cli
