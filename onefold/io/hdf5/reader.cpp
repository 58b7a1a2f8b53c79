// Reads a dataset in boxes: packed chunks are unpacked here, all others by libhdf5.
#include <algorithm>
#include <cstring>

#include "onefold/io/codec.hpp"
#include "onefold/io/format.hpp"
#include "onefold/io/hdf5/array.hpp"
#include "onefold/io/hdf5/filters.hpp"

namespace onefold::io::hdf5 {
namespace {

class DatasetReader : public BoxReader {
 public:
  //   chunk    the extents of a chunk; used if this code undoes the filters
  //   full     the file says that it has all chunks
  DatasetReader(const File& file, std::shared_ptr<FileHandle> opened, Dataset dataset,
                const Dims& step, const Dims& chunk, Filters filters, bool full)
      : file_(file),
        opened_(std::move(opened)),
        dataset_(std::move(dataset)),
        chunk_(chunk),
        filters_(std::move(filters)),
        full_(full) {
    step_ = step;
    const Library& l = library();
    raw_ = filters_.ours() && open_zlib() != nullptr && dataset_.type.plain &&
           l.chunk_size != nullptr && l.read_chunk != nullptr;
  }

  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    if (!raw_) {
      check_written(begin, count);
      return read_by_library(begin, count, to);
    }
    const Size each = dataset_.type.bytes();
    const BoxGrid chunks = chunks_of(begin, count);
    for (Size i = 0; i < chunks.count(); ++i) {
      Dims first, part;
      chunks.box(i, first, part);
      Dims in_chunk = first, in_box = first, corner = first, zero = first;
      Size n = each;
      for (int d = 0; d < first.rank(); ++d) {
        in_chunk[d] = first[d] % chunk_[d];
        in_box[d] = first[d] - begin[d];
        corner[d] = first[d] - in_chunk[d];
        zero[d] = 0;
        n *= static_cast<Size>(part[d]);
      }
      std::vector<std::byte> bytes;
      if (const bool written = read_chunk(corner, bytes); written) {
        if (dataset_.type.swapped) swap_elements(bytes, bytes_of(dataset_.type.dtype));
        copy_box(bytes.data(), chunk_, in_chunk, to, count, in_box, part, each);
      } else {
        bytes.resize(n);
        read_by_library(first, part, bytes.data());  // this gives the fill value
        copy_box(bytes.data(), part, zero, to, count, in_box, part, each);
      }
    }
  }

 private:
  static void swap_elements(std::vector<std::byte>& bytes, Size each) {
    for (auto at = bytes.begin(); at != bytes.end(); at += static_cast<std::ptrdiff_t>(each)) {
      std::reverse(at, at + static_cast<std::ptrdiff_t>(each));
    }
  }

  // Unpacks the chunk that begins at `corner`; returns false if it was never written.
  bool read_chunk(const Dims& corner, std::vector<std::byte>& bytes) const {
    const std::string what = "dataset " + dataset_.name + ", the chunk at " + to_string(corner);
    uint32_t skipped = 0;
    {
      const Session session;
      const Library& l = library();
      Count at[max_rank + 1], stored = 0;
      for (int d = 0; d < corner.rank(); ++d) at[d] = static_cast<Count>(corner[d]);
      if (l.chunk_size(dataset_.id.id(), at, &stored) < 0) {
        // Versions of libhdf5 differ in whether a chunk that was never written is an error.
        const std::string why = session.reason();
        if (why.find("not allocated") == why.npos) {
          file_.fail(ErrorCode::bad_header, what + ": " + why);
        }
        stored = 0;
      }
      if (stored == 0) refuse_hole(corner);
      if (stored == 0) return false;
      // Data that cannot be made smaller become slightly larger when packed.
      if (stored > filters_.chunk_bytes + filters_.chunk_bytes / 8 + 4096) {
        file_.fail(ErrorCode::bad_header, what + " claims " + std::to_string(stored) + " bytes");
      }
      bytes.resize(static_cast<std::size_t>(stored));
      constexpr Id plain = 0;
      if (l.read_chunk(dataset_.id.id(), plain, at, &skipped, bytes.data()) < 0) {
        file_.fail(ErrorCode::read_failed, what + ": " + session.reason());
      }
    }
    try {
      bytes = undone(filters_, skipped, std::move(bytes));
    } catch (const std::string& why) {
      file_.fail(ErrorCode::bad_header, what + ": " + why);
    }
    return true;
  }

  BoxGrid chunks_of(const Dims& begin, const Dims& count) const {
    Dims end = begin;
    for (int d = 0; d < begin.rank(); ++d) end[d] += count[d];
    return {chunk_, begin, end};
  }

  // libhdf5 gives the fill value for a chunk that it does not find, also if its place is damaged.
  void refuse_hole(const Dims& corner) const {
    if (!full_) return;
    file_.fail(ErrorCode::bad_header, "dataset " + dataset_.name + ": the file has no chunk at " +
                                          to_string(corner) + "; it is damaged");
  }
  void check_written(const Dims& begin, const Dims& count) const {
    const Library& l = library();
    if (!full_ || l.chunk_size == nullptr) return;
    const BoxGrid chunks = chunks_of(begin, count);
    for (Size i = 0; i < chunks.count(); ++i) {
      Dims first, part;
      chunks.box(i, first, part);
      Count at[max_rank + 1], stored = 0;
      for (int d = 0; d < first.rank(); ++d) {
        first[d] -= first[d] % chunk_[d];
        at[d] = static_cast<Count>(first[d]);
      }
      const Session session;
      if (l.chunk_size(dataset_.id.id(), at, &stored) < 0 || stored == 0) refuse_hole(first);
    }
  }

  void read_by_library(const Dims& begin, const Dims& count, std::byte* to) const {
    const Session session;
    const Library& l = library();
    Count first[max_rank + 1], n[max_rank + 1];
    for (int d = 0; d < begin.rank(); ++d) {
      first[d] = static_cast<Count>(begin[d]);
      n[d] = static_cast<Count>(count[d]);
    }
    Handle there, here;
    bool ok = true;
    if (begin.rank() > 0) {
      there = Handle(l.H5Dget_space(dataset_.id.id()), l.H5Sclose);
      here = Handle(l.H5Screate_simple(begin.rank(), n, nullptr), l.H5Sclose);
      constexpr int replace = 0;
      ok = there && here &&
           l.H5Sselect_hyperslab(there.id(), replace, first, nullptr, n, nullptr) >= 0;
    }
    constexpr Id all = 0, plain = 0;
    ok = ok && l.H5Dread(dataset_.id.id(), dataset_.type.memory.id(), here ? here.id() : all,
                         there ? there.id() : all, plain, to) >= 0;
    if (!ok) {
      file_.fail(ErrorCode::read_failed,
                 "dataset " + dataset_.name + " at " + to_string(begin) + ": " + session.reason());
    }
  }

  const File& file_;
  std::shared_ptr<FileHandle> opened_;
  Dataset dataset_;
  Dims chunk_;
  Filters filters_;
  bool full_;
  bool raw_;  // true: chunks are unpacked by this code
};

// Returns the filters that pack the chunks of a dataset.
//   made  its list of properties
std::vector<int> filters_of(const File& file, const std::string& what, Id made) {
  const Library& l = library();
  std::vector<int> list;
  const int n = l.H5Pget_nfilters(made);
  for (int k = 0; k < n; ++k) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    char name[64] = "";
    const int filter = l.H5Pget_filter2(made, static_cast<unsigned>(k), &flags, &values, nullptr,
                                        sizeof name, name, &config);
    list.push_back(filter);
    if (l.H5Zfilter_avail(filter) > 0 || filter == Filters::lzf) continue;
    file.fail(
        ErrorCode::unsupported,
        what + " is compressed by filter " + std::to_string(filter) +
            (name[0] != 0 ? " (" + std::string(name, ::strnlen(name, sizeof name)) + ")" : "") +
            ", which libhdf5 does not have; set HDF5_PLUGIN_PATH to a folder of filters, such as "
            "that of the package hdf5plugin");
  }
  return list;
}

}  // namespace

void make_readable(const File& file, std::shared_ptr<FileHandle> opened, Dataset dataset,
                   const InputOptions& options, DenseArray& array) {
  const Session session;
  const Library& l = library();
  const std::string what = "dataset " + dataset.name;
  if (!dataset.type.why.empty()) {
    file.fail(ErrorCode::unsupported, what + ": " + dataset.type.why);
  }
  const bool is_complex = dataset.type.is_complex;
  if (is_complex && options.planes == Planes::none) {
    file.fail(ErrorCode::unsupported, what + ": " + why_complex);
  }
  array.dtype = dataset.type.dtype;
  array.shape = dataset.shape;
  const Size needed = data_bytes(file, array, ErrorCode::bad_header) * (is_complex ? 2 : 1);
  const Handle made(l.H5Dget_create_plist(dataset.id.id()), l.H5Pclose);
  constexpr int chunked = 2, is_virtual = 3;
  const int layout = made ? l.H5Pget_layout(made.id()) : -1;
  if (layout < 0) file.fail(ErrorCode::bad_header, what + ": " + session.reason());
  if (layout == is_virtual || l.H5Pget_external_count(made.id()) > 0) {
    file.fail(ErrorCode::unsupported, what + " stores its data in other files; pass those instead");
  }
  const Size each = dataset.type.bytes();
  const int rank = array.shape.rank();
  Dims step = array.shape, chunk = step;
  Filters filter_list{.list = {}, .element_bytes = each};
  for (int d = 0; d < rank; ++d) step[d] = 1;
  bool full = false;
  if (layout != chunked) {
    step = box_step(array.shape, step, each);
    // If nothing was ever written, the file stores no data, and all elements are fill values.
    constexpr int contiguous = 1;
    const Count stored = l.H5Dget_storage_size(dataset.id.id());
    if (layout == contiguous && dataset.type.plain && stored != 0 && stored != needed) {
      file.fail(ErrorCode::bad_header, what + " has " + std::to_string(stored) +
                                           " bytes, but its elements need " +
                                           std::to_string(needed) + "; it is damaged");
    }
  } else {
    Count extents[32];
    if (l.H5Pget_chunk(made.id(), rank, extents) != rank) {
      file.fail(ErrorCode::bad_header, what + ": " + session.reason());
    }
    Uint128 bytes = each;
    // HDF5 keeps extents, and their product, below 2^32.
    for (int d = 0; d < rank; ++d) bytes *= extents[d];
    filter_list.list = filters_of(file, what, made.id());
    const bool packed = !filter_list.list.empty();
    if (packed && bytes > options.most_chunk_bytes) {
      file.fail(ErrorCode::unsupported,
                what + " has compressed chunks of " + std::to_string(static_cast<uint64_t>(bytes)) +
                    " bytes; at most " + std::to_string(options.most_chunk_bytes) +
                    " bytes are unpacked at once; allow more with --memory");
    }
    filter_list.chunk_bytes = static_cast<std::size_t>(bytes);
    for (int d = 0; d < rank; ++d) chunk[d] = static_cast<int64_t>(extents[d]);
    Count chunks = 0;
    Dims begin = array.shape;
    for (int d = 0; d < rank; ++d) begin[d] = 0;
    const Handle space(l.H5Dget_space(dataset.id.id()), l.H5Sclose);
    if (l.chunk_count != nullptr && l.chunk_count(dataset.id.id(), space.id(), &chunks) < 0 &&
        l.H5Dget_storage_size(dataset.id.id()) != 0) {
      file.fail(ErrorCode::bad_header, what + ": its chunks cannot be counted; it is damaged");
    }
    full = chunks != 0 && chunks >= BoxGrid(chunk, begin, array.shape).count();
    // Large chunks without filters can be read in parts.
    step = !packed && bytes > box_bytes ? box_step(chunk, step, each)
                                        : box_step(array.shape, chunk, each);
  }
  array.boxes = std::make_shared<DatasetReader>(file, std::move(opened), std::move(dataset), step,
                                                chunk, std::move(filter_list), full);
  if (!is_complex) return;
  array.planes = options.planes;
  array.boxes = boxes_of_planes(array.boxes, options.planes, bytes_of(array.dtype));
  if (options.planes == Planes::both) array.shape.push_back(2);
}

}  // namespace onefold::io::hdf5
