#include "onefold/io/zarr/array.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>

#include "onefold/io/format.hpp"
#include "onefold/io/zarr/codecs.hpp"
#include "onefold/system/file.hpp"

namespace onefold::io::zarr {
namespace {

// A file that is read in parts; it is empty if there is no file of this name.
class PartFile {
 public:
  static std::unique_ptr<PartFile> open(const File& file, const std::string& path) {
    // If a pipe has that name, opening it must not wait.
    const int fd = system::open_to_read(path, system::Opening::no_wait);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return nullptr;
    std::unique_ptr<PartFile> part(new PartFile(file, path, fd));
    const system::FileFacts f = fd < 0 ? system::FileFacts{} : system::facts_of(fd);
    if (f.kind == system::FileFacts::Kind::none) {
      part->fail(ErrorCode::read_failed, std::generic_category().message(errno));
    }
    if (f.kind != system::FileFacts::Kind::regular) {
      part->fail(ErrorCode::unsupported, "it is not a file");
    }
    part->facts_ = f;
    return part;
  }
  ~PartFile() {
    if (fd_ >= 0) system::close_file(fd_);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  uint64_t size() const { return facts_.bytes; }
  const system::FileFacts& facts() const { return facts_; }
  [[noreturn]] void fail(ErrorCode code, const std::string& what) const {
    file_.fail(code, path_ + ": " + what);
  }
  // Reads n bytes, at most `most`.
  std::vector<std::byte> read(uint64_t at, uint64_t n, std::size_t most) const {
    if (n > most) {
      fail(ErrorCode::unsupported,
           "it is larger than the " + std::to_string(most) + " bytes allowed");
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(n));
    for (std::size_t done = 0; done < bytes.size();) {
      const auto r = system::read_some_at(fd_, bytes.data() + done, bytes.size() - done, at + done);
      if (r <= 0) {
        fail(ErrorCode::read_failed,
             r < 0 ? std::generic_category().message(errno)
                   : "it became shorter while it was read; let its writer finish first");
      }
      done += static_cast<std::size_t>(r);
    }
    return bytes;
  }

 private:
  PartFile(const File& file, const std::string& path, int fd) : file_(file), path_(path), fd_(fd) {}
  const File& file_;
  std::string path_;
  int fd_;
  system::FileFacts facts_;
};

// Reads all of a small file.
std::optional<std::vector<std::byte>> read_whole(const std::unique_ptr<PartFile>& part,
                                                 std::size_t most) {
  if (part == nullptr) return {};
  return part->read(0, part->size(), most);
}

void swap_bytes(std::vector<std::byte>& bytes, std::size_t each) {
  for (std::size_t at = 0; at + each <= bytes.size(); at += each) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + each));
  }
}

class ChunkReader : public BoxReader {
 public:
  ChunkReader(const File& file, std::string folder, Metadata metadata, Size chunk_elements,
              std::shared_ptr<OpenedFiles> opened)
      : file_(file),
        opened_(std::move(opened)),
        folder_(std::move(folder)),
        m_(std::move(metadata)),
        each_(bytes_of(m_.dtype)),
        chunk_bytes_(chunk_elements * each_) {
    step_ = box_step(m_.shape, m_.chunk, each_);
  }

  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    Dims end = begin;
    for (int d = 0; d < begin.rank(); ++d) end[d] += count[d];
    const BoxGrid chunks(m_.chunk, begin, end);
    for (Size i = 0; i < chunks.count(); ++i) {
      Dims first, part;
      chunks.box(i, first, part);
      Dims in_chunk = first, in_box = first;
      for (int d = 0; d < first.rank(); ++d) {
        in_chunk[d] = first[d] % m_.chunk[d];
        in_box[d] = first[d] - begin[d];
      }
      const std::vector<std::byte> bytes = chunk_at(first);
      copy_box(bytes.data(), m_.chunk, in_chunk, to, count, in_box, part, each_);
    }
  }

 private:
  // Returns the chunk that has this element, with its elements in C order.
  std::vector<std::byte> chunk_at(const Dims& element) const {
    const Dims& grid = m_.shard.rank() > 0 ? m_.shard : m_.chunk;
    std::string key = m_.prefix;
    for (int d = 0; d < element.rank(); ++d) {
      if (!key.empty()) key += m_.separator;
      key += std::to_string(element[d] / grid[d]);
    }
    if (key.empty()) key = "0";
    // Data that cannot be made smaller become slightly larger when packed.
    const std::size_t most = chunk_bytes_ + chunk_bytes_ / 8 + (std::size_t{64} << 10);
    auto bytes = m_.shard.rank() > 0 ? chunk_of_shard(folder_ + "/" + key, element, most)
                                     : read_whole(open_part(folder_ + "/" + key), most);
    if (!bytes) return filled();
    for (auto codec = m_.codecs.rbegin(); codec != m_.codecs.rend(); ++codec) {
      try {
        const bool last = codec + 1 == m_.codecs.rend() && m_.filters.empty();
        bytes = unpacked(*codec, std::move(*bytes), last ? chunk_bytes_ : most);
      } catch (const std::string& why) {
        const bool missing = why.find("install ") != why.npos;
        file_.fail(missing ? ErrorCode::unsupported : ErrorCode::bad_header,
                   "chunk " + key + " cannot be unpacked by " + *codec + ": " + why);
      }
    }
    for (auto filter = m_.filters.rbegin(); filter != m_.filters.rend(); ++filter) {
      try {
        bytes = undone(*filter, std::move(*bytes), most);
      } catch (const std::string& why) {
        file_.fail(ErrorCode::bad_header,
                   "chunk " + key + ": its filters cannot be decoded: " + why);
      }
    }
    if (bytes->size() != chunk_bytes_) {
      file_.fail(ErrorCode::truncated, "chunk " + key + " holds " + std::to_string(bytes->size()) +
                                           " bytes but should hold " +
                                           std::to_string(chunk_bytes_));
    }
    if (m_.swapped) swap_bytes(*bytes, each_);
    return std::is_sorted(m_.order.begin(), m_.order.end()) ? std::move(*bytes) : turned(*bytes);
  }

  // Returns the packed bytes of the chunk with this element, from its shard.
  std::optional<std::vector<std::byte>> chunk_of_shard(const std::string& path, const Dims& element,
                                                       std::size_t most) const {
    Size chunks = 1, at = 0;
    for (int d = 0; d < element.rank(); ++d) {
      const auto n = static_cast<Size>(m_.shard[d] / m_.chunk[d]);
      at = at * n + static_cast<Size>(element[d] % m_.shard[d] / m_.chunk[d]);
      chunks *= n;
    }
    const std::lock_guard lock(mutex_);
    if (path != shard_path_) {
      shard_path_.clear();
      shard_ = open_part(path);
      index_.clear();
      if (shard_ != nullptr) index_ = index_of(*shard_, chunks);
      shard_path_ = path;
    }
    if (shard_ == nullptr) return {};
    uint64_t begin = 0, n = 0;
    std::memcpy(&begin, index_.data() + 16 * at, 8);
    std::memcpy(&n, index_.data() + 16 * at + 8, 8);
    constexpr uint64_t nothing = ~uint64_t{0};
    if (begin == nothing && n == nothing) return {};
    const uint64_t index = index_.size() + (m_.index_checked ? 4 : 0);
    const uint64_t end = shard_->size() - (m_.index_first ? 0 : index);
    if (begin > end || n > end - begin || (m_.index_first && begin < index)) {
      shard_->fail(ErrorCode::truncated, "a chunk extends past its end");
    }
    return shard_->read(begin, n, most);
  }

  std::vector<std::byte> index_of(const PartFile& shard, Size chunks) const {
    constexpr std::size_t most = std::size_t{4} << 20;
    const uint64_t n = 16 * chunks + (m_.index_checked ? 4 : 0);
    if (n > shard.size()) shard.fail(ErrorCode::truncated, "it is shorter than its index");
    auto index = shard.read(m_.index_first ? 0 : shard.size() - n, n, most);
    if (!m_.index_checked) return index;
    try {
      return unpacked("crc32c", std::move(index), most);
    } catch (const std::string& why) {
      shard.fail(ErrorCode::bad_header, "its index: " + why);
    }
  }

  std::vector<std::byte> filled() const {
    std::vector<std::byte> bytes(chunk_bytes_);
    if (m_.fill == 0) return bytes;
    for (Size at = 0; at < chunk_bytes_; at += each_) {
      std::memcpy(bytes.data() + at, &m_.fill, each_);
    }
    return bytes;
  }

  // Converts the stored order of axes to C order.
  std::vector<std::byte> turned(const std::vector<std::byte>& stored) const {
    const std::size_t rank = m_.order.size();
    std::vector<Size> apart(rank), at(rank, 0);
    Size n = each_;
    for (std::size_t d = rank; d-- > 0;) {
      apart[d] = n;
      n *= static_cast<Size>(m_.chunk[static_cast<int>(d)]);
    }
    std::vector<std::byte> bytes(stored.size());
    Size to = 0;
    for (Size from = 0; from < stored.size(); from += each_) {
      std::memcpy(bytes.data() + to, stored.data() + from, each_);
      for (std::size_t k = rank; k-- > 0;) {
        const auto d = static_cast<std::size_t>(m_.order[k]);
        const auto extent = static_cast<Size>(m_.chunk[m_.order[k]]);
        to += apart[d];
        if (++at[d] < extent) break;
        to -= apart[d] * extent;
        at[d] = 0;
      }
    }
    return bytes;
  }

  // Opens a file of chunks, which must be that of the earlier passes.
  std::unique_ptr<PartFile> open_part(const std::string& path) const {
    auto part = PartFile::open(file_, path);
    const system::FileFacts facts = part == nullptr ? system::FileFacts{} : part->facts();
    if (!system::same_contents(opened_->first(path, facts), facts)) {
      file_.fail(ErrorCode::read_failed,
                 path + ": it was written to while it was read; let its writer finish first");
    }
    return part;
  }

  const File& file_;
  std::shared_ptr<OpenedFiles> opened_;
  std::string folder_;
  Metadata m_;
  Size each_, chunk_bytes_;
  // The shard that was read last, and its index.
  mutable std::mutex mutex_;
  mutable std::string shard_path_;
  mutable std::unique_ptr<PartFile> shard_;
  mutable std::vector<std::byte> index_;
};

}  // namespace

std::optional<Metadata> metadata_of(const File& file, const std::string& folder) {
  for (const char* name : {"/zarr.json", "/.zarray", "/.zgroup"}) {
    const auto bytes = read_whole(PartFile::open(file, folder + name), longest_document);
    if (!bytes) continue;
    const auto text = [](const std::vector<std::byte>& b) {
      return std::string(reinterpret_cast<const char*>(b.data()), b.size());
    };
    const auto attributes = read_whole(PartFile::open(file, folder + "/.zattrs"), longest_document);
    return parse(file, text(*bytes), attributes ? text(*attributes) : "");
  }
  return {};
}

void decode(const File& file, const std::string& folder, const Metadata& metadata,
            DenseArray& array) {
  decode_by(
      file, folder.substr(folder.rfind('/') + 1),
      [&](const char* name) -> std::optional<CfAttribute> {
        const auto found = metadata.attributes.find(name);
        return found == metadata.attributes.end() ? std::nullopt : std::optional(found->second);
      },
      false, array);
}

DenseArray array_in(const File& file, const std::string& folder, const Metadata& metadata,
                    const InputOptions& options) {
  DenseArray array{.dtype = metadata.dtype, .shape = metadata.shape};
  data_bytes(file, array, ErrorCode::bad_header);
  Uint128 elements = 1;
  for (const int64_t extent : metadata.chunk) {
    elements *= static_cast<uint64_t>(extent);
    if (elements * bytes_of(array.dtype) <= options.most_chunk_bytes) continue;
    file.fail(ErrorCode::unsupported,
              "its chunks of " + to_string(metadata.chunk) + " " + name_of(array.dtype) +
                  " are larger than the " + std::to_string(options.most_chunk_bytes) +
                  " bytes that are unpacked at once; allow more with --memory");
  }
  // An index takes 16 bytes for each chunk.
  Uint128 chunks = 1;
  for (int d = 0; d < metadata.shard.rank(); ++d) {
    chunks *= static_cast<uint64_t>(metadata.shard[d] / metadata.chunk[d]);
    if (chunks > (1 << 18) - 1) {
      file.fail(ErrorCode::unsupported,
                "its shards of " + to_string(metadata.shard) + " have more than 2^18 chunks each");
    }
  }
  array.boxes = std::make_shared<ChunkReader>(file, folder, metadata, static_cast<Size>(elements),
                                              options.opened);
  decode(file, folder, metadata, array);
  return array;
}

}  // namespace onefold::io::zarr
