#include "onefold/io/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "onefold/io/input.hpp"
#include "onefold/io/packed.hpp"

namespace onefold::io {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

using FileKind = system::FileFacts::Kind;

}  // namespace

File::File(const std::string& path, const std::string& name)
    : path_(path),
      name_(name.empty() && path == "-" ? "stdin"
            : name == path              ? ""
                                        : name) {
  if (path == "-") {
    fd_ = system::standard_input;
    owned_ = false;
  } else {
    fd_ = system::open_to_read(path);
    if (fd_ < 0) refuse(reason(errno));
  }
  const system::FileFacts f = system::facts_of(fd_);
  if (f.kind == FileKind::none || f.kind == FileKind::folder) {
    const int error = errno;
    if (owned_) system::close_file(fd_);
    refuse(f.kind == FileKind::none ? reason(error) : "it is a directory; name a file in it");
  }
  facts_ = f;
  if (f.kind != FileKind::regular || f.bytes == 0 || system::is_made_when_read(fd_)) return;
  const int64_t at = system::place_in(fd_);
  if (at < 0) return;
  seekable_ = true;
  base_ = static_cast<uint64_t>(at);
  size_ = f.bytes - std::min(base_, f.bytes);
}

File::~File() {
  packed_.reset();  // first, since its thread reads from the descriptor
  if (owned_ && fd_ >= 0) system::close_file(fd_);
}

void File::share() {
  if (!seekable_ || !owned_ || shared_) return;
  shared_ = true;
  system::close_file(fd_);
  fd_ = -1;
}

void File::acquire() const {
  if (!shared_) return;
  const std::lock_guard lock(mutex_);
  if (users_++ > 0) return;
  fd_ = system::open_to_read(path_);
  const int error = errno;
  try {
    if (fd_ < 0) fail(ErrorCode::read_failed, reason(error));
    check_facts(facts_, system::facts_of(fd_));
  } catch (const Error&) {
    if (fd_ >= 0) system::close_file(fd_);
    fd_ = -1;
    users_ = 0;
    throw;
  }
}

void File::check_facts(const system::FileFacts& before, const system::FileFacts& now) const {
  if (same_contents(before, now)) return;
  if (before.device != now.device || before.id != now.id) {
    fail(ErrorCode::read_failed,
         "another file replaced it while it was read; let its writer finish first");
  }
  if (before.bytes != now.bytes) {
    fail(ErrorCode::read_failed, "the file went from " + std::to_string(before.bytes) + " to " +
                                     std::to_string(now.bytes) +
                                     " bytes while it was read; let its writer finish first");
  }
  fail(ErrorCode::read_failed,
       "the file was written to while it was read; let its writer finish first");
}

void File::check_same(OpenedFiles& opened) const {
  const bool regular = facts_.kind == FileKind::regular && !system::is_made_when_read(fd_);
  if (owned_ && regular) check_facts(opened.first(path_, facts_), facts_);
}

void File::check_name() const {
  if (owned_) check_facts(facts_, system::facts_of(path_));
}

void File::release() const {
  if (!shared_) return;
  const std::lock_guard lock(mutex_);
  if (--users_ > 0) return;
  system::close_file(fd_);
  fd_ = -1;
}

void File::refuse(const std::string& why) const {
  throw Error(ErrorCode::cannot_open, "open " + (name().empty() ? "\"\"" : name()) + ": " + why);
}

void File::fail(ErrorCode code, const std::string& what) const {
  throw Error(code, "read " + name() + ": " + what);
}

void File::narrow(uint64_t offset, uint64_t bytes, std::optional<uint32_t> crc) {
  base_ += offset;
  size_ = bytes;
  if (crc) checksum_ = std::make_unique<Checksum>(*crc, bytes);
}

void File::unpack(const Codec& codec, const std::string& before, const std::string& after) {
  Packed::Raw raw;
  if (seekable_) {
    raw = [this, before, after, at = uint64_t{0}](void* to, std::size_t n,
                                                  const std::atomic<bool>&) mutable {
      std::size_t done = 0;
      const auto from = [&](const std::string& text, uint64_t begin) {
        if (at < begin || at - begin >= text.size()) return;
        const auto skip = static_cast<std::size_t>(at - begin);
        const std::size_t some = std::min(n - done, text.size() - skip);
        std::memcpy(static_cast<char*>(to) + done, text.data() + skip, some);
        done += some;
        at += some;
      };
      from(before, 0);
      const uint64_t end = before.size() + size_;
      if (at >= before.size() && at < end) {
        const auto some = static_cast<std::size_t>(std::min<uint64_t>(n - done, end - at));
        read_at(at - before.size(), static_cast<char*>(to) + done, some);
        if (checksum_ != nullptr) {
          checksum_->add(at - before.size(), static_cast<char*>(to) + done, some);
        }
        done += some;
        at += some;
      }
      from(after, end);
      return done;
    };
    regular_ = true;
    seekable_ = false;
  } else {
    raw = [this, head = std::move(ahead_), inner = std::shared_ptr<Packed>(std::move(packed_))](
              void* to, std::size_t n, const std::atomic<bool>& stop) mutable {
      std::size_t done = std::min(n, head.size());
      if (done > 0) std::memcpy(to, head.data(), done);
      head.erase(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(done));
      if (inner != nullptr) {
        return done + inner->read(static_cast<std::byte*>(to) + done, n - done, &stop);
      }
      while (done < n) {
        // A thread that waits for a pipe wakes up regularly, so that the program can end.
        constexpr int interval_ms = 100;
        while (!stop && !system::wait_for_input(fd_, interval_ms)) {
        }
        if (stop) break;
        const auto r = system::read_some(fd_, static_cast<std::byte*>(to) + done, n - done);
        if (r < 0) fail(ErrorCode::read_failed, reason(errno));
        if (r == 0) break;
        done += static_cast<std::size_t>(r);
      }
      return done;
    };
  }
  ahead_.clear();
  packed_ = std::make_unique<Packed>(*this, codec, std::move(raw));
}

std::size_t File::read_stream(void* to, std::size_t n) {
  if (packed_ != nullptr) return packed_->read(to, n);
  std::size_t done = 0;
  while (done < n) {
    const auto r = system::read_some(fd_, static_cast<std::byte*>(to) + done, n - done);
    if (r < 0) fail(ErrorCode::read_failed, reason(errno));
    if (r == 0) break;
    done += static_cast<std::size_t>(r);
  }
  return done;
}

std::size_t File::read(void* to, std::size_t n) {
  std::size_t done = 0;
  if (seekable_) {
    done = static_cast<std::size_t>(std::min<uint64_t>(n, size_ - position_));
    read_at(position_, to, done);
  } else {
    done = std::min(n, ahead_.size());
    if (done > 0) {
      std::memcpy(to, ahead_.data(), done);
      ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(done));
    }
    done += read_stream(static_cast<std::byte*>(to) + done, n - done);
  }
  position_ += done;
  return done;
}

void File::skip(uint64_t bytes) {
  if (seekable_) {
    position_ = std::min(bytes, size_);
    return;
  }
  std::vector<std::byte> passed(static_cast<std::size_t>(bytes));
  (void)read(passed.data(), passed.size());
}

std::vector<std::byte> File::peek(std::size_t n) {
  std::vector<std::byte> head;
  if (seekable_) {
    head.resize(static_cast<std::size_t>(std::min<uint64_t>(n, size_)));
    read_at(0, head.data(), head.size());
  } else {
    const std::size_t had = ahead_.size();
    if (had < n) {
      ahead_.resize(n);
      ahead_.resize(had + read_stream(ahead_.data() + had, n - had));
    }
    head = ahead_;
  }
  return head;
}

void File::read_at(uint64_t offset, void* to, std::size_t n) const {
  std::size_t done = 0;
  while (done < n) {
    const auto r = system::read_some_at(fd_, static_cast<std::byte*>(to) + done, n - done,
                                        base_ + offset + done);
    if (r < 0) fail(ErrorCode::read_failed, reason(errno));
    if (r == 0) {
      fail(ErrorCode::read_failed, "the file became shorter than its " + std::to_string(size_) +
                                       " bytes while it was read; let its writer finish first");
    }
    done += static_cast<std::size_t>(r);
  }
}

void File::check_end() {
  const Use use(*this);
  if (packed_ != nullptr) {
    for (std::vector<std::byte> rest(4096); packed_->read(rest.data(), rest.size()) > 0;) {
    }
  }
  if (!seekable_ && !regular_) return;
  const system::FileFacts f = system::facts_of(fd_);
  if (f.kind == FileKind::none) return;
  check_facts(facts_, f);
  const auto read = [&](uint64_t at, void* to, std::size_t n) { read_at(at, to, n); };
  if (checksum_ != nullptr && checksum_->compare(read) == Checksum::Match::wrong) {
    fail(ErrorCode::bad_header,
         "its bytes do not match the checksum in the archive; the file is damaged");
  }
}

std::shared_ptr<OpenedFiles> no_files_yet() { return std::make_shared<OpenedFiles>(); }

}  // namespace onefold::io
