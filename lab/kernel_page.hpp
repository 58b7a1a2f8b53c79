// The page of a kernel of the user's: its launches step by step, as the ladder's has its rungs.
#pragma once

#include <string>
#include <vector>

#include "lab/kernel_run.hpp"
#include "lab/record.hpp"

namespace onefold::lab {

// What a page shows beside the result.
struct KernelFilm {
  std::string text;                   // of the kernel's file
  std::vector<Recording> recordings;  // in lock-step; where there are flaws lane after lane too
  std::vector<std::pair<std::string, sim::Counters>> by_chip;
  WrittenOptions sources;  // by file: texts that need not be read
};

// Its data, which page_html shows.
std::string kernel_page_data(const KernelResult& r, const KernelFilm& film);

}  // namespace onefold::lab
