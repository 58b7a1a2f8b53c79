#include "onefold/tables/array_windows.hpp"

#include "onefold/system/memory.hpp"
#include "onefold/tables/load.hpp"
#include "onefold/tables/open_files.hpp"

namespace onefold::io {

bool is_one_array(const std::vector<std::string>& files, const InputOptions& input) {
  return files.size() == 1 && !is_stream(files[0]) && open_file(files[0], input, true).dense();
}

Answers fold_array_windows(const Query& query, const std::string& file, const FileRequest& asked,
                           Notes& notes) {
  const RowWindows& w = asked.windows;
  refuse_beside("windows of an array go along one axis",
                !w.over.empty() || !w.within.empty() ? "--over"
                : w.width == 0 && !w.cumulative
                    ? (w.closed ? "--closed without --rolling" : "--min-periods without --rolling")
                : !asked.input.by.empty()      ? "--by"
                : asked.fold.keepdims          ? "--keepdims"
                : !asked.weights.empty()       ? "--weights"
                : !asked.fweights.empty()      ? "--fweights"
                : !asked.offsets.empty()       ? "--offsets"
                : asked.input.peers != nullptr ? "--mpi"
                                               : nullptr);
  refuse_order(asked.order);
  w.check();
  if (!asked.fold.axes.all() && asked.fold.axes.list().rank() != 1) {
    throw Error(ErrorCode::bad_axis,
                query.names() + ": windows lie along one axis; pass it, as in --axis 0");
  }
  const ArrayHeader header = header_of(file, asked.input, &notes);
  Size bytes = bytes_of(header.dtype);
  for (const int64_t extent : header.shape) bytes *= static_cast<Size>(extent);
  const Size most = asked.memory != 0 ? asked.memory : system::available_memory() / 2;
  if (bytes > most && most != 0) {
    throw Error(ErrorCode::out_of_memory, "read " + file +
                                              ": windows need the array in memory, but it takes " +
                                              std::to_string(bytes) + " bytes and the limit is " +
                                              std::to_string(most) + "; allow more with --memory");
  }
  const FileArray x = load_array(file, asked.input);
  Options options = query.options;
  if (options.axes.all() && x.shape.rank() > 0) options.axes = Axes{0};
  Answers answers = fold({.ops = query.names(),
                          .x = x.ref(),
                          .options = options,
                          .windows = w.rule(w.least_of(query))});
  for (std::size_t k = 0; k < answers.list.size(); ++k)
    w.count_none(*query.ops[k], answers.list[k]);
  return answers;
}

}  // namespace onefold::io
