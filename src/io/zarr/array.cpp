#include "io/zarr/array.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/format.hpp"
#include "io/zarr/codecs.hpp"

namespace onefold::io::zarr {
namespace {

// All of a small file; nothing: there is none of the name.
std::optional<std::vector<std::byte>> read_whole(const File& file, const std::string& path,
                                                 std::size_t most) {
  // A pipe of the name must not be waited for.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
  struct Close {
    int fd;
    ~Close() {
      if (fd >= 0) ::close(fd);
    }
  } const close{fd};
  const auto fail = [&](ErrorCode code, const std::string& what) {
    file.fail(code, path + ": " + what);
  };
  struct stat s {};
  if (fd < 0 || ::fstat(fd, &s) != 0) {
    fail(ErrorCode::read_failed, std::generic_category().message(errno));
  }
  if (!S_ISREG(s.st_mode)) fail(ErrorCode::unsupported, "it is no file");
  if (static_cast<uint64_t>(s.st_size) > most) {
    fail(ErrorCode::unsupported,
         "it has more than the " + std::to_string(most) + " bytes that it may have");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(s.st_size));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t r = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (r < 0 && errno == EINTR) continue;
    if (r <= 0) {
      fail(ErrorCode::read_failed,
           r < 0 ? std::generic_category().message(errno) : "it became shorter while it was read");
    }
    done += static_cast<std::size_t>(r);
  }
  return bytes;
}

void swap_bytes(std::vector<std::byte>& bytes, std::size_t each) {
  for (std::size_t at = 0; at + each <= bytes.size(); at += each) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + each));
  }
}

class ChunkReader : public BoxReader {
 public:
  ChunkReader(const File& file, std::string folder, Metadata metadata, Size chunk_elements)
      : file_(file),
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
  // The chunk with this element, its own elements in C order.
  std::vector<std::byte> chunk_at(const Dims& element) const {
    std::string key = m_.prefix;
    for (int d = 0; d < element.rank(); ++d) {
      if (!key.empty()) key += m_.separator;
      key += std::to_string(element[d] / m_.chunk[d]);
    }
    if (key.empty()) key = "0";
    // What packing may add to data that it cannot make smaller.
    const std::size_t most = chunk_bytes_ + chunk_bytes_ / 8 + (std::size_t{64} << 10);
    auto bytes = read_whole(file_, folder_ + "/" + key, most);
    if (!bytes) return filled();
    for (auto codec = m_.codecs.rbegin(); codec != m_.codecs.rend(); ++codec) {
      try {
        const bool last = codec + 1 == m_.codecs.rend();
        bytes = unpacked(*codec, std::move(*bytes), last ? chunk_bytes_ : most);
      } catch (const std::string& why) {
        const bool missing = why.find("install ") != why.npos;
        file_.fail(missing ? ErrorCode::unsupported : ErrorCode::bad_header,
                   "chunk " + key + " cannot be unpacked by " + *codec + ": " + why);
      }
    }
    if (bytes->size() != chunk_bytes_) {
      file_.fail(ErrorCode::truncated, "chunk " + key + " holds " + std::to_string(bytes->size()) +
                                           " bytes and should hold " +
                                           std::to_string(chunk_bytes_));
    }
    if (m_.swapped) swap_bytes(*bytes, each_);
    return std::is_sorted(m_.order.begin(), m_.order.end()) ? std::move(*bytes) : turned(*bytes);
  }

  std::vector<std::byte> filled() const {
    std::vector<std::byte> bytes(chunk_bytes_);
    if (m_.fill == 0) return bytes;
    for (Size at = 0; at < chunk_bytes_; at += each_) {
      std::memcpy(bytes.data() + at, &m_.fill, each_);
    }
    return bytes;
  }

  // From the stored order of axes to C order.
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

  const File& file_;
  std::string folder_;
  Metadata m_;
  Size each_, chunk_bytes_;
};

}  // namespace

std::optional<Metadata> metadata_of(const File& file, const std::string& folder) {
  for (const char* name : {"/zarr.json", "/.zarray", "/.zgroup"}) {
    const auto bytes = read_whole(file, folder + name, longest_document);
    if (!bytes) continue;
    return parse(file, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  }
  return {};
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
                  " have more than " + std::to_string(options.most_chunk_bytes) +
                  " bytes, and no more are unpacked at once; allow more by --memory");
  }
  array.boxes = std::make_shared<ChunkReader>(file, folder, metadata, static_cast<Size>(elements));
  return array;
}

}  // namespace onefold::io::zarr
