// Undoes the usual filters of HDF5 chunks. libhdf5 is not used for them, since it unpacks one chunk
// at a time, and without a limit on its unpacked size.
//
//   filters  deflate, shuffle, fletcher32 (the checksum is verified), and h5py's lzf, for which
//            libhdf5 has no code
//   memory   for one chunk, packed and unpacked
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onefold::io::hdf5 {

struct Filters {
  static constexpr int lzf = 32000;
  std::vector<int> list;  // in the order in which they packed
  std::size_t element_bytes = 1, chunk_bytes = 0;
  // Returns whether there are filters, and this code can undo all of them.
  bool ours() const;
};

// Returns a chunk as it was before filters were applied.
//   skipped  bit k: filter k was not applied
//   throws   std::string: what is wrong with the chunk
std::vector<std::byte> undone(const Filters& filters, uint32_t skipped,
                              std::vector<std::byte> bytes);

}  // namespace onefold::io::hdf5
