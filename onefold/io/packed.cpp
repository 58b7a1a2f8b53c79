#include "onefold/io/packed.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace onefold::io {
namespace {

// Returns the codec of a file's first bytes.
const Codec* find_codec_of(File& file) {
  constexpr std::size_t beginning = 32;  // a JSON array may begin with blanks
  const std::vector<std::byte> bytes = file.peek(beginning);
  return find_codec_by_magic({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

Packed::Packed(const File& file, const Codec& codec, Raw raw)
    : file_(file), codec_(codec), raw_(std::move(raw)), in_(std::size_t{64} << 10) {}

Packed::~Packed() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::size_t Packed::unpack(std::byte* to, std::size_t n) {
  std::size_t made = 0;
  while (made < n) {
    if (at_ == have_ && !raw_ended_) {
      have_ = raw_(in_.data(), in_.size(), stop_);
      at_ = 0;
      raw_ended_ = have_ < in_.size();
    }
    if (unpacker_ == nullptr) {
      // A member may be followed by zeros, which fill a block of a tape or a device.
      while (begun_ && at_ < have_ && in_[at_] == std::byte{0}) ++at_;
      if (at_ == have_) {
        if (!raw_ended_) continue;
        break;
      }
      if (codec_.open == nullptr) {
        file_.fail(ErrorCode::unsupported, std::string("it is compressed with ") + codec_.name +
                                               ", which this build cannot read");
      }
      try {
        unpacker_ = codec_.open();
      } catch (const std::string& why) {
        file_.fail(ErrorCode::unsupported, std::string("it is compressed with ") + codec_.name +
                                               ", and " + why + "; install " + codec_.package +
                                               " or unpack it first");
      }
      begun_ = true;
    }
    Unpacker::Step step;
    try {
      step = unpacker_->step({in_.data() + at_, have_ - at_}, {to + made, n - made});
    } catch (const std::string& why) {
      file_.fail(ErrorCode::bad_header,
                 (codec_.converts() ? std::string("it cannot be read as ")
                                    : std::string("it cannot be unpacked with ")) +
                     codec_.name + ": " + why);
    }
    at_ += step.used;
    made += step.made;
    if (step.ended) {
      unpacker_.reset();
    } else if (step.used == 0 && step.made == 0) {
      if (at_ == have_ && !raw_ended_) continue;
      if (at_ == have_) {
        file_.fail(ErrorCode::truncated, std::string("the data compressed with ") + codec_.name +
                                             " end early; the file is cut short");
      }
      file_.fail(ErrorCode::bad_header, std::string("it cannot be unpacked with ") + codec_.name +
                                            ": its data are damaged");
    }
  }
  return made;
}

void Packed::start() {
  thread_ = std::thread([this] { work(); });
}

void Packed::work() {
  try {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || ready_.size() < most_pieces; });
        if (stop_) return;
      }
      std::vector<std::byte> piece(piece_bytes);
      piece.resize(unpack(piece.data(), piece.size()));
      const std::lock_guard lock(mutex_);
      ended_ = piece.size() < piece_bytes;
      ready_.push_back(std::move(piece));
      changed_.notify_all();
      if (ended_) return;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
    changed_.notify_all();
  }
}

std::size_t Packed::read(void* to, std::size_t n, const std::atomic<bool>* stop) {
  auto* out = static_cast<std::byte*>(to);
  std::size_t made = 0;
  if (!thread_.joinable()) {
    made = unpack(out, std::min(n, alone - std::min(alone, done_)));
    done_ += made;
    if (made == n || done_ < alone) return made;
    start();
  }
  while (made < n) {
    if (read_ == piece_.size()) {
      std::unique_lock lock(mutex_);
      const auto is_there = [&] { return !ready_.empty() || ended_ || error_; };
      // A thread that reads from this one's wakes up regularly, so that the program can end.
      constexpr std::chrono::milliseconds interval(100);
      while (!changed_.wait_for(lock, interval, is_there)) {
        if (stop != nullptr && *stop) return made;
      }
      if (ready_.empty()) {
        if (error_) std::rethrow_exception(error_);
        break;
      }
      piece_ = std::move(ready_.front());
      ready_.erase(ready_.begin());
      read_ = 0;
      changed_.notify_all();
      continue;
    }
    const std::size_t some = std::min(n - made, piece_.size() - read_);
    std::memcpy(out + made, piece_.data() + read_, some);
    read_ += some;
    made += some;
  }
  return made;
}

void unpack_if_packed(File& file, const std::string& path, const InputOptions& options) {
  const Codec* const named = path == "-" ? nullptr : find_codec_by_name(path);
  const Codec* begun = find_codec_of(file);
  if (named != nullptr && begun == nullptr) {
    file.fail(ErrorCode::bad_header, std::string("its name says that it is compressed with ") +
                                         named->name +
                                         ", but its content is not; rename it without that ending");
  }
  if (begun == nullptr) return;
  const std::string inside = without_codec(path);
  const bool raw =
      options.format == "raw" ||
      (options.format.empty() && (inside.ends_with(".bin") || inside.ends_with(".raw")));
  if (named != nullptr || !raw) file.unpack(*begun);
  // Its text may be in UTF-16, or an array of JSON.
  while (!raw && (begun = find_codec_of(file)) != nullptr && begun->converts()) {
    file.unpack(*begun);
  }
}

}  // namespace onefold::io
