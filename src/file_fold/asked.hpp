// The entry point for folds of files, for the command line and for Python.
//
//   options  are parsed from text: file_fold/input_words.hpp
//   sayings  are notes to print in addition to the answers: file_fold/said.hpp
#pragma once

#include <string>
#include <vector>

#include "file_fold/group_fold.hpp"
#include "file_fold/plan_beside.hpp"
#include "file_fold/quantiles.hpp"

namespace onefold::io {

struct Asked {
  InputOptions input;
  Options fold;                            // .where is an array in memory
  bool quicker_device = false;             // --device auto
  std::string weights, fweights, offsets;  // files of arrays; weights: or a column; empty: none
  Size memory = 0;                         // bytes; 0: as it comes
  GroupOrder order = {};                   // of --by
  bool describes = false;                  // groups: the ops are describe's, and may have no answer
};

// Whether a name is that of a pipe, a FIFO or a device, which can be read once; "-" is stdin.
bool is_stream(const std::string& path);

// The limits that --memory sets, divided as the default is: 100 MiB, or for groups and streams a
// quarter of the free memory. A larger --memory makes no limit smaller.
Limits limits_of(const Asked& asked, const std::vector<std::string>& files);

// Throws bad_option where another option is given that does not go with what one folds.
//   what   "--by folds ..."
//   other  "--axis"; null: there is none
void refuse_beside(const std::string& what, const char* other);

// The request, on the device that --device auto stands for.
//   why  is told, and empty where it was not asked for
Request placed(const Request& request, const std::vector<std::string>& files, const Asked& asked,
               std::string* why = nullptr);

// Opens and checks what headers show.
//   throws  as the folds below, but for what the data hold
FilePlan plan_asked(const Request& request, const std::vector<std::string>& files,
                    const Asked& asked);

// Folds the files in one pass, with weights and offsets beside them. Statuses are not checked.
//   sink    as fold_files has it
//   throws  bad_option: options that do not go together; what fold_files throws
Answers fold_asked(const Request& request, const std::vector<std::string>& files,
                   const Asked& asked, const Progress& progress, Notes& notes,
                   AnswerSink* sink = nullptr);

// Folds columns by the keys of `asked.input.by`, and checks statuses.
//   throws  bad_option: an option that has no meaning beside --by; what group_files throws
void check_groups(const Asked& asked);
Grouped group_asked(const Request& request, const std::vector<std::string>& files,
                    const Asked& asked, const Progress& progress, Notes& notes);

// Finds quantiles of all numbers or of each column, and checks statuses.
//   throws  what quantiles_of_files throws
Answers quantiles_asked(const std::vector<Quantile>& quantiles,
                        const std::vector<std::string>& files, const Asked& asked,
                        const Progress& progress, Notes& notes);

}  // namespace onefold::io
