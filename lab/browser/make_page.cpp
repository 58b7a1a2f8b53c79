// Makes lab.html: assembles the module, its example kernels and the parts of the page. Usage:
// make_page MODULE.js EXAMPLES.json PAGE.html
#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "lab/kernel_run.hpp"
#include "lab/page/live.hpp"

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace

int main(int count, char** words) {
  using namespace onefold::lab;
  if (count != 4)
    return fmt::print(stderr, "usage: make_page MODULE.js EXAMPLES.json PAGE.html\n"), 2;
  try {
    const std::string examples = live_examples(true);
    write(words[2], examples);
    write(words[3], live_page(text_of_file(words[1]), examples));
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "make_page: {}\n", e.what());
    return 1;
  }
}
