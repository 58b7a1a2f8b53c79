// Shares of files: each rank of a cluster folds its own.
#include <algorithm>

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/merge_kind.hpp"
#include "onefold/tables/open_files.hpp"

namespace onefold::io {
namespace {

// Whether a part of the file can be read without the rest.
bool can_be_cut(const OpenFile& f) {
  return f.dense() && f.file->seekable() && f.array->boxes == nullptr;
}

Size take_elements(OpenFiles& files, const Share& share) {
  Size n = 0;
  for (const OpenFile& f : files.x) n += elements_of(f.array->shape);
  const Size begin = share.begin(n), end = share.end(n);
  std::vector<OpenFile> mine;
  Size at = 0;
  for (OpenFile& f : files.x) {
    const Size here = elements_of(f.array->shape), low = std::clamp(begin, at, at + here) - at,
               high = std::clamp(end, at, at + here) - at;
    at += here;
    if (low == high) continue;
    DenseArray part = *f.array;
    part.offset += low * bytes_of(part.dtype);
    part.shape = Dims(static_cast<int64_t>(high - low));
    f.array = std::make_shared<DenseArray>(part);
    mine.push_back(std::move(f));
  }
  files.x = std::move(mine);
  return begin;
}

}  // namespace

ShareOf share_of(const OpenFiles& files) {
  ShareOf whole;
  const bool dense = files.dense();
  std::string seen;
  for (const OpenFile& f : files.x) {
    if (dense) whole.elements += elements_of(f.array->shape);
    if (!f.dense()) whole.bytes += f.file->size();
    seen += std::string(f.format_name()) + ' ' + name_of(f.array->dtype) + ' ' +
            (f.dense() ? to_string(f.array->shape) : std::to_string(f.file->size())) +
            (f.array->fortran ? " fortran" : "");
    if (f.table != nullptr) {
      for (const std::string& column : f.table->folded) seen += " " + column;
    }
    seen += '\n';
  }
  whole.hash = hash_of(seen);
  return whole;
}

Size take_share(OpenFiles& files, const Share& share, bool indexed) {
  for (const OpenFile& f : files.x) {
    if (!indexed || (can_be_cut(f) && !f.array->fortran)) continue;
    f.file->fail(ErrorCode::unsupported,
                 f.array->fortran && f.dense()
                     ? "argmin and argmax cannot be gathered from an array in Fortran order; save "
                       "it in C order"
                     : "argmin and argmax of a share need the number of elements before it, which "
                       "this format does not store; save the data as .npy");
  }
  if (std::all_of(files.x.begin(), files.x.end(), can_be_cut)) return take_elements(files, share);
  const auto begin = files.x.begin() + static_cast<std::ptrdiff_t>(share.begin(files.x.size())),
             end = files.x.begin() + static_cast<std::ptrdiff_t>(share.end(files.x.size()));
  std::vector<OpenFile> mine(std::make_move_iterator(begin), std::make_move_iterator(end));
  files.x = std::move(mine);
  return 0;
}

}  // namespace onefold::io
