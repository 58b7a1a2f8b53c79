// The page of a user's kernel: its launches step by step, like those of the ladder's rungs.
#pragma once

#include <string>
#include <vector>

#include "lab/kernel_run.hpp"
#include "lab/recorder.hpp"

namespace onefold::lab {

// What a page shows in addition to the result.
struct KernelFilm {
  std::string text;                   // the kernel's file
  std::vector<Recording> recordings;  // in lock-step; if there are flaws, also lane after lane
  std::vector<std::pair<std::string, sim::Counters>> by_chip;
  WrittenOptions sources;  // texts of files by name, which need not be read
  // What the source calls shared memory from an offset on, ascending.
  std::vector<std::pair<std::size_t, std::string>> shared{};
};

// Records launches: what they do, and what arrays have before.
class Filming {
 public:
  static constexpr std::size_t most_moments = 20000;
  // Shared memory is assumed to have the first array's type.
  Filming(const std::vector<KernelArgument>& arguments, unsigned schedule,
          std::size_t most = most_moments);
  sim::Observer& observer() { return *recorder_; }
  Filming(const Filming&) = delete;
  Recording end(const KernelLaunch& first, bool failed);
  std::size_t moments() const { return into_.moments.size(); }

 private:
  Recording into_;
  std::optional<Recorder> recorder_;
};

// A launch of a main(): what it found, and how it ran.
struct FilmedLaunch {
  KernelResult result;
  KernelFilm film;
};

// Returns the page's data, which page_html shows.
std::string kernel_page_data(const KernelResult& r, const KernelFilm& film);
// The same for a main(), of whose launches the first are recorded.
std::string program_page_data(const KernelResult& r, const std::vector<FilmedLaunch>& launches);

}  // namespace onefold::lab
