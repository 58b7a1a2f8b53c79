// Several source files of a program as one text.
#pragma once

#include <string>
#include <vector>

namespace onefold::lab {

struct SourceFile {
  std::string path, text;
};

// Returns the texts behind one another, with the lines that their places have. What a file keeps to
// itself stays its own: its macros end with it, and names of static functions and variables and of
// unnamed namespaces that an earlier file has, too, become NAME_of_FILE behind its last #include.
std::string joined(const std::vector<SourceFile>& files);

}  // namespace onefold::lab
