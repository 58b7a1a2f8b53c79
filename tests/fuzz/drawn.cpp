// Runs a fuzzer on inputs drawn from a seed: bytes, and the words of its dictionary.
// It needs no clang, no libFuzzer and no second build of the library.
// Usage: PROGRAM DICTIONARY INPUTS
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);

namespace {

// The quoted words of a dictionary, with \\, \" and \xNN replaced by their characters.
std::vector<std::string> words_of(const char* path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find('"'), end = line.rfind('"');
    if (line.starts_with('#') || begin == end) continue;
    std::string word;
    for (std::size_t i = begin + 1; i < end; i++) {
      if (line[i] == '\\' && line[i + 1] == 'x') {
        word += static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16));
        i += 3;
      } else {
        if (line[i] == '\\') i++;
        word += line[i];
      }
    }
    words.push_back(word);
  }
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words = argc == 3 ? words_of(argv[1]) : std::vector<std::string>();
  if (words.empty()) {
    std::fprintf(stderr, "usage: %s DICTIONARY INPUTS\n", argv[0]);
    return 2;
  }
  std::mt19937_64 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int left = std::atoi(argv[2]); left > 0; left--) {
    std::string input;
    for (int i = 0; i < 16; i++) input += static_cast<char>(random());  // the fuzzer's choices
    for (std::size_t n = below(200); n > 0; n--) {
      const std::size_t kind = below(8);
      if (kind == 0) {
        input += static_cast<char>(random());
      } else if (kind < 4) {
        input += "0123456789.,-e\n\n;\t \""[below(20)];
      } else {
        input += words[below(words.size())];
      }
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  }
  std::printf("%s inputs, each with one answer or one error\n", argv[2]);
}
