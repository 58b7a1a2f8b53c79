// The page of a user's kernel: its launches step by step, like those of the ladder's rungs.
#pragma once

#include <string>
#include <vector>

#include "lab/kernel_run.hpp"
#include "lab/record.hpp"

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

// Returns the page's data, which page_html shows.
std::string kernel_page_data(const KernelResult& r, const KernelFilm& film);

}  // namespace onefold::lab
