// The memory that a fold of files may use in addition to its answers: 100 MiB in all, of which the
// program itself needs about 10.
#pragma once

#include <algorithm>

#include "onefold/core/base.hpp"

namespace onefold::io {

struct Limits {
  // For windows and buffers of all threads. Windows of 8 MiB are as fast as larger ones. Below 1
  // MiB mapping takes longer than it saves, so files are read.
  Size window_bytes = Size{32} << 20;
  Size most_window_bytes = Size{8} << 20;
  Size least_window_bytes = Size{1} << 20;
  // For states that are gathered at the same time.
  Size state_bytes = Size{40} << 20;
  Size group_copies = 1;  // number of copies of groups' states, which share state_bytes
  // For states of rows that are gathered and rounded while they are in the L2 cache.
  Size group_bytes = Size{512} << 10;
  // Text is parsed in chunks, each by one thread; a batch has about 4 for each thread. A number of
  // two bytes may become eight bytes, so a batch of 8 MiB may need 32 MiB more.
  Size text_chunk_bytes = Size{256} << 10;
  Size text_batch_bytes = Size{8} << 20;
  Size text_chunks(int threads) const {
    const Size most = text_batch_bytes / text_chunk_bytes;
    return threads == 1 ? 1 : std::clamp<Size>(4 * static_cast<Size>(threads), 1, most);
  }
  // Returns how many chunks a batch has whose numbers are kept for a while. Such a batch is in
  // memory twice, and its memory may have grown to double its size: 4 MiB for each chunk.
  Size kept_chunks(int threads, int inputs) const {
    return std::min<Size>(text_chunks(threads), Size{16} / static_cast<Size>(inputs));
  }
  // For numbers of a table until they are folded into its columns.
  Size table_bytes = Size{8} << 20;
  // For answers that wait in memory until all are computed.
  Size answer_bytes = ~Size{0};
  friend bool operator==(const Limits&, const Limits&) = default;
};

}  // namespace onefold::io
