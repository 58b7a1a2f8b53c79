// Folders of tables, and columns that the names of their folders spell, as year=2024/a.parquet.
//
//   folders  a folder stands for all files in it whose names end as those of tables do, in the
//            order of their paths; names that begin with a dot or _ are skipped
//   columns  a folder's name gives a column only if an option names it; if a file has a column of
//            that name itself, the file's column is used
//   type     numbers, if the values of all files are numbers; else texts. %XX is the byte XX
//   null     __HIVE_DEFAULT_PARTITION__, and where a file's path lacks the name
#pragma once

#include <string>
#include <vector>

#include "onefold/io/input.hpp"

namespace onefold::io {

// Returns the files, with each folder that is no container replaced by its tables.
//   throws  cannot_open: a folder has no tables
std::vector<std::string> files_in_folders(const std::vector<std::string>& paths);

// Returns, for each file, those columns of its path that the options name.
std::vector<std::vector<PathColumn>> path_columns(const std::vector<std::string>& files,
                                                  const InputOptions& input);

}  // namespace onefold::io
