// Who may include whom. The table is the rule: a file that is in no layer, or that includes another
// layer than those named beside its own, fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string_view name;
  std::vector<std::string_view> files;        // how their paths begin
  std::vector<std::string_view> may_include;  // layers further up in the table
};

// clang-format off
const std::vector<Layer> layers = {
    // core/ knows nothing of arrays, only of elements and words.
    {"words", {"onefold/core/base.hpp", "onefold/core/cxx20.hpp", "onefold/core/dtype.",
               "onefold/core/status.hpp",
               "onefold/error.hpp", "onefold/version.hpp",
               "onefold/core/accumulators.hpp", "include/onefold/generated/accumulator.list",
               "include/onefold/generated/pair.list",
               "onefold/core/correction.hpp", "onefold/core/scalar.hpp",
               "onefold/core/term.hpp", "onefold/core/uint128.inl"}, {}},
    {"exact", {"onefold/core/exact/"}, {"words"}},
    {"exponential", {"onefold/core/exponential/"}, {"words", "exact"}},
    {"accumulator", {"onefold/core/accumulator/", "onefold/core/pair/",
                     "onefold/core/accumulator_concept.hpp", "onefold/core/numeric.hpp",
                     "onefold/core/order_key.hpp"}, {"words", "exact"}},
    {"quantile", {"onefold/core/quantile/"}, {"words", "exact", "accumulator"}},
    {"layer_norm", {"onefold/core/layer_norm/"}, {"words", "exact", "exponential", "accumulator"}},
    {"accumulators", {"onefold/core/accumulator.hpp", "include/onefold/generated/accumulator.",
                      "include/onefold/generated/pair."},
     {"words", "accumulator"}},
    {"op", {"onefold/core/op/", "onefold/core/op_concept.hpp",
            "onefold/core/op_facts.hpp", "onefold/core/formula.hpp", "onefold/core/formula/",
            "onefold/core/gathered.hpp", "onefold/core/moment_numbers.hpp",
            "onefold/core/named.hpp", "onefold/core/pair_numbers.hpp", "onefold/core/recipe.hpp",
            "onefold/core/sum_rules.hpp", "onefold/core/weighted.hpp"},
     {"words", "exact", "accumulators"}},
    // The classes of the one file.
    {"single", {"onefold/core/single/"}, {"words", "exact", "accumulator", "op"}},
    {"ops", {"include/onefold/generated/op."}, {"op"}},
    // What a user includes: the headers beside the rooms.
    {"public", {"onefold/"}, {"words", "quantile", "accumulators", "op", "ops"}},
    // Kernel sources and the machines that they run on.
    {"machine", {"onefold/machine/"}, {"words"}},
    {"kernel", {"onefold/cuda/kernel/"}, {"words", "exact", "exponential", "layer_norm",
                                          "quantile", "accumulator", "accumulators", "op", "ops",
                                          "machine"}},
    // All calls of the operating system; libraries that are found at run time; threads.
    {"process", {"onefold/system/floating_point.", "onefold/system/made_once."}, {}},
    {"system", {"onefold/system/"}, {"words", "machine", "process"}},
    // The engine. A backend runs a plan; a plan knows no backend.
    {"checksum", {"onefold/engine/crc32."}, {"process"}},
    {"lists", {"onefold/engine/comma_list."}, {}},
    {"vectors", {"onefold/engine/vectors."}, {"process"}},
    {"numbers", {"onefold/engine/as_double."}, {"words"}},
    {"plan", {"onefold/engine/plan/"}, {"words", "exact", "exponential", "accumulator",
                                        "accumulators", "op", "ops", "public", "lists",
                                        "process"}},
    {"feeds", {"generated/feed.list"}, {}},
    {"group", {"onefold/engine/group/"}, {"vectors", "words", "exact", "accumulator",
                                          "accumulators", "op", "public", "plan", "system",
                                          "process"}},
    {"backend", {"onefold/engine/backend/", "onefold/cpu/", "onefold/cuda/"},
     {"vectors", "words", "exact", "exponential", "layer_norm", "quantile", "accumulator",
      "accumulators", "op", "public", "plan", "group", "feeds", "kernel", "system", "process"}},
    {"requests", {"onefold/engine/request/", "onefold/engine/state/", "onefold/engine/fit/",
                  "onefold/engine/quantile/"},
     {"words", "exact", "exponential", "quantile", "accumulator", "accumulators", "op", "ops",
      "public", "numbers", "plan", "backend", "group", "checksum", "system", "process"}},
    // The library for C, on the public API; of states of decimals also on what is below that.
    {"capi", {"onefold/capi/"}, {"words", "public", "numbers", "plan", "requests", "lists"}},
    {"io", {"onefold/io/", "generated/format.", "generated/codec.", "generated/container."},
     {"words", "exact", "public", "plan", "checksum", "lists", "system"}},
    {"plugins", {"plugins/"}, {"io"}},
    {"tables", {"onefold/tables/"}, {"words", "exact", "quantile", "accumulator",
                                     "accumulators", "op", "public", "plan", "backend", "group",
                                     "requests", "io", "lists", "system"}},
    // The lab knows the product by its public API.
    {"lab", {"lab/"}, {"words", "public", "machine", "system"}},
    // The lab in a browser computes sums by the accumulators' definitions.
    {"lab page", {"lab/browser/"}, {"words", "accumulators", "op", "public", "machine", "system",
                                    "lab"}},
    {"cli", {"cli/", "generated/verb.", "generated/answer_format."},
     {"words", "accumulators", "op", "public", "numbers", "plan", "backend", "requests", "io",
      "tables", "checksum", "lists", "system"}},
    // What only the program of the lab has.
    {"cli of the lab", {"cli/lab/"}, {"words", "public", "plan", "lists", "system", "lab", "cli"}},
    {"python", {"python/src/", "generated/op_facts."}, {"words", "op", "ops", "public", "plan",
                                                        "requests", "io", "tables", "system"}},
};
// clang-format on

const fs::path source = ONEFOLD_SOURCE_DIR;
const fs::path binary = ONEFOLD_BINARY_DIR;

// The layer of a file by its path from the source or the binary directory.
std::optional<std::size_t> layer_of(const std::string& path) {
  std::optional<std::size_t> found;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const auto prefix : layers[i].files) {
      if (path.starts_with(prefix) && prefix.size() > longest) {
        found = i;
        longest = prefix.size();
      }
    }
  }
  return found;
}

std::size_t index_of(std::string_view name) {
  const auto at = std::find_if(layers.begin(), layers.end(),
                               [&](const Layer& layer) { return layer.name == name; });
  return static_cast<std::size_t>(at - layers.begin());
}

std::vector<std::string> own_files() {
  std::vector<std::string> files;
  for (const char* folder : {"onefold", "lab", "cli", "python", "plugins"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      const auto extension = entry.path().extension();
      if (extension == ".hpp" || extension == ".cpp" || extension == ".inl" ||
          extension == ".def" || extension == ".cuh") {
        files.push_back(fs::relative(entry.path(), source).string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What `file` includes by #include "...", as paths from the source or the binary directory.
std::vector<std::string> includes_of(const std::string& file) {
  std::vector<std::string> found;
  std::ifstream in(source / file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t word = line.find_first_not_of("# \t");
    const std::size_t open = line.find('"');
    const bool include = line.starts_with('#') && word != std::string::npos &&
                         line.compare(word, 7, "include") == 0 && open <= word + 9;
    if (!include) continue;
    const std::string path = line.substr(open + 1, line.find('"', open + 1) - open - 1);
    const std::string beside = (fs::path(file).parent_path() / path).lexically_normal().string();
    std::string resolved;
    for (const std::string& candidate : {path, beside}) {
      if (resolved.empty() && fs::exists(source / candidate)) resolved = candidate;
    }
    for (const std::string& candidate : {"include/" + path, path, "lab/" + path}) {
      if (resolved.empty() && fs::exists(binary / candidate)) resolved = candidate;
    }
    EXPECT_FALSE(resolved.empty()) << file << " includes \"" << path << "\", which is nowhere";
    if (!resolved.empty()) found.push_back(resolved);
  }
  return found;
}

TEST(Layers, ArePutInOrderByTheTable) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const auto name : layers[i].may_include) {
      EXPECT_LT(index_of(name), i) << layers[i].name << " -> " << name;
    }
  }
}

TEST(Layers, HoldEveryFile) {
  ASSERT_GT(own_files().size(), 60u);
  for (const std::string& file : own_files()) {
    EXPECT_TRUE(layer_of(file)) << file << " belongs to no layer: name its folder in the table";
  }
}

TEST(Layers, IncludeOnlyWhatTheTableAllows) {
  for (const std::string& file : own_files()) {
    const auto from = layer_of(file);
    if (!from) continue;
    for (const std::string& included : includes_of(file)) {
      const auto to = layer_of(included);
      if (!to) {
        ADD_FAILURE() << file << " includes " << included << ", which belongs to no layer";
        continue;
      }
      const auto& allowed = layers[*from].may_include;
      const bool legal = *from == *to || std::find(allowed.begin(), allowed.end(),
                                                   layers[*to].name) != allowed.end();
      EXPECT_TRUE(legal) << file << " (" << layers[*from].name << ") includes " << included << " ("
                         << layers[*to].name << ")";
    }
  }
}

// What ports to other systems replace is one folder.
TEST(Layers, IncludeHeadersOfTheSystemInOneFolder) {
  constexpr std::string_view folders[] = {"sys/", "linux/", "net", "arpa/"};
  constexpr std::string_view headers[] = {
      "csignal",  "dirent.h", "dlfcn.h",   "execinfo.h", "fcntl.h", "glob.h",
      "link.h",   "malloc.h", "poll.h",    "pthread.h",  "pwd.h",   "sched.h",
      "signal.h", "spawn.h",  "termios.h", "ucontext.h", "unistd.h"};
  for (const std::string& file : own_files()) {
    if (file.starts_with("onefold/system/")) continue;
    std::ifstream in(source / file);
    for (std::string line; std::getline(in, line);) {
      const std::size_t open = line.find('<');
      if (!line.starts_with("#include") || open == std::string::npos) continue;
      const std::string header = line.substr(open + 1, line.find('>') - open - 1);
      const bool of_the_system =
          std::find(std::begin(headers), std::end(headers), header) != std::end(headers) ||
          std::any_of(std::begin(folders), std::end(folders),
                      [&](std::string_view folder) { return header.starts_with(folder); });
      EXPECT_FALSE(of_the_system) << file << " includes <" << header
                                  << ">; call the system in onefold/system";
    }
  }
}

TEST(Files, AreAtMost400LinesOf100Columns) {
  std::vector<std::string> files = own_files();
  for (const auto& entry : fs::recursive_directory_iterator(source / "tests")) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp") {
      files.push_back(fs::relative(entry.path(), source).string());
    }
  }
  for (const auto& entry : fs::directory_iterator(source / "lab/page")) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp") continue;
    files.push_back(fs::relative(entry.path(), source).string());
  }
  for (const std::string& file : files) {
    std::ifstream in(source / file);
    std::size_t lines = 0;
    for (std::string line; std::getline(in, line);) {
      ++lines;
      // UTF-8 continuation bytes are no columns.
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      });
      EXPECT_LE(columns, 100) << file << ":" << lines;
    }
    EXPECT_LE(lines, 400u) << file << ": look for the seam";
  }
}

// A function of a kernel, and how many lines it has.
struct Function {
  std::string head;
  std::size_t lines;
};
// Returns the functions of a header that has no braces in strings. A head with parentheses is that
// of a function, or of a statement inside one.
std::vector<Function> functions_of(std::istream& in) {
  struct Open {
    std::size_t line;
    std::string head;
  };
  std::vector<Function> found;
  std::vector<Open> open;
  std::string head;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = line.substr(0, line.find("//"));
    if (line.starts_with('#')) continue;
    for (const char c : line + "\n") {
      if (c == '{') {
        head.erase(0, head.find_first_not_of(" \n"));
        open.push_back({number, head});
      } else if (c == '}' && !open.empty()) {
        const auto [begin, its] = open.back();
        open.pop_back();
        const auto lines_before =
            static_cast<std::size_t>(std::count(its.begin(), its.end(), '\n'));
        const bool is_code = its.find('(') != std::string::npos && !its.starts_with("struct");
        if (is_code) found.push_back({its, number - begin + 1 + lines_before});
      }
      if (c == '{' || c == '}' || c == ';') {
        head.clear();
      } else {
        head += c;
      }
    }
  }
  return found;
}

TEST(Kernels, HaveFilesOf300LinesAndFunctionsOf80) {
  std::size_t functions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source / "onefold/cuda/kernel")) {
    if (entry.path().extension() != ".hpp") continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string file = fs::relative(entry.path(), source).string();
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 300) << file << ": look for the seam";
    std::istringstream again(text);
    for (const Function& f : functions_of(again)) {
      EXPECT_LE(f.lines, 80u) << file << ":\n" << f.head;
      ++functions;
    }
  }
  EXPECT_GT(functions, 1000u);  // they are found at all
}

TEST(Kernels, WithAFunctionOfMoreLinesAreFound) {
  std::string text = "namespace n {\nstruct alignas(16) S {\n  template <class T>\n  void f(T) {\n";
  for (int k = 0; k < 77; ++k) text += "    if (k) {}  // }\n";
  std::istringstream of_80(text + "  }\n};\n}\n"), of_81(text + "\n  }\n};\n}\n");
  EXPECT_EQ(functions_of(of_80).back().lines, 80u);
  EXPECT_EQ(functions_of(of_81).back().lines, 81u);
}

}  // namespace
