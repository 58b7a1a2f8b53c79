// Which code a process of ours can be made to load: the run paths of what is built, and the
// variables of the environment that choose libraries.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ONEFOLD_FILE {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::string text(fs::file_size(file), 0);
  std::ifstream(file, std::ios::binary).read(text.data(), std::ssize(text));
  return text;
}

// The folders that the loader searches for the libraries of an ELF file; of other files none.
std::vector<std::string> run_paths(const std::string& file) {
  std::vector<std::string> folders;
  Elf64_Ehdr head;
  if (file.size() < sizeof head || file.compare(0, SELFMAG, ELFMAG) != 0) return folders;
  std::memcpy(&head, file.data(), sizeof head);
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  if (head.e_shoff + sections.size() * sizeof(Elf64_Shdr) > file.size()) return folders;
  std::memcpy(sections.data(), file.data() + head.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& s : sections) {
    if (s.sh_type != SHT_DYNAMIC) continue;
    for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= s.sh_size; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      std::memcpy(&entry, file.data() + s.sh_offset + at, sizeof entry);
      if (entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
      const std::string all = file.c_str() + sections[s.sh_link].sh_offset + entry.d_un.d_val;
      std::istringstream parts(all + ":");  // so that an empty last entry is one
      for (std::string folder; std::getline(parts, folder, ':');) folders.push_back(folder);
    }
  }
  return folders;
}

// An empty or relative folder is looked for in the current one, where the data lie.
TEST(BuiltFiles, LoadNoLibraryOfTheCurrentFolder) {
  int libraries = 0;
  for (const auto& entry : fs::recursive_directory_iterator(ONEFOLD_BINARY_DIR)) {
    if (!entry.is_regular_file() || entry.path().string().find("/CMakeFiles/") != std::string::npos)
      continue;
    const std::string name = entry.path().filename().string();
    const bool library = name.find(".so") != std::string::npos;
    const auto rights = entry.status().permissions();
    if (!library && (rights & fs::perms::owner_exec) == fs::perms::none) continue;
    libraries += library ? 1 : 0;
    for (const std::string& folder : run_paths(text_of(entry.path()))) {
      EXPECT_TRUE(folder.starts_with('/') || folder.starts_with("$ORIGIN"))
          << entry.path() << " looks for libraries in \"" << folder << "\"";
    }
  }
  EXPECT_GT(libraries, 0);
}

// The words in quotes that follow `call` in a file.
void add_arguments(const std::string& text, const std::string& call, std::set<std::string>& names) {
  for (auto at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
    const auto begin = at + call.size();
    names.insert(text.substr(begin, text.find('"', begin) - begin));
  }
}

TEST(Environment, IsReadInOnePlaceAndAllThatChoosesCodeIsDocumented) {
  const fs::path source(ONEFOLD_SOURCE_DIR);
  std::set<std::string> names;
  for (const char* folder :
       {"onefold", "lab", "cli", "python/onefold", "python/src", "plugins", "engines"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      const fs::path& file = entry.path();
      if (!entry.is_regular_file()) continue;
      const std::string text = text_of(file);
      if (file.extension() == ".py") {
        add_arguments(text, "os.environ.get(\"", names);
        add_arguments(text, "os.environ[\"", names);
        continue;
      }
      if (file.extension() != ".cpp" && file.extension() != ".hpp" && file.extension() != ".c")
        continue;
      if (file.filename() != "environment.cpp") {
        EXPECT_EQ(text.find("getenv("), text.npos) << file << ": call system::environment";
      }
      add_arguments(text, "environment(\"", names);
      add_arguments(text, "load_plugin(\"", names);
    }
  }
  EXPECT_TRUE(names.contains("ONEFOLD_NVRTC") && names.contains("ONEFOLD_ARROW_PLUGIN"));
  // These choose no code: colours, the number of threads, the launcher of ranks.
  for (const char* harmless : {"NO_COLOR", "TERM", "ONEFOLD_NUM_THREADS", "CI"}) {
    names.erase(harmless);
  }
  const std::string page = text_of(source / "SECURITY.md");
  for (const std::string& name : names) {
    EXPECT_NE(page.find("`" + name + "`"), page.npos)
        << name << " is read from the environment; SECURITY.md does not say what it chooses";
  }
}

}  // namespace ONEFOLD_FILE
