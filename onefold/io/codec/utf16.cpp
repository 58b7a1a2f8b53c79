// Converts UTF-16 of either byte order, after a byte order mark, to UTF-8.
//
//   errors  a surrogate without its other half; a text that ends within a character
#include <array>
#include <optional>

#include "onefold/io/codec.hpp"

namespace onefold::io {
namespace {

class Utf16 : public Unpacker {
 public:
  Step step(std::span<const std::byte> in, std::span<std::byte> out) override {
    Step step;
    for (;;) {
      while (at_ < n_ && step.made < out.size()) out[step.made++] = made_[at_++];
      if (at_ < n_) return step;  // `out` is full
      if (step.used == in.size()) {
        if (in.empty()) end(step);
        return step;
      }
      take(std::to_integer<uint32_t>(in[step.used++]));
    }
  }

 private:
  void end(Step& step) const {
    if (first_ || high_ != 0) throw std::string("it ends in the middle of a character");
    step.ended = true;
  }

  void take(uint32_t byte) {
    if (!first_) {
      first_ = byte;
      return;
    }
    const uint32_t unit = big_ ? *first_ << 8 | byte : byte << 8 | *first_;
    first_.reset();
    if (!marked_) {
      marked_ = true;
      big_ = unit != 0xfeff;
      return;
    }
    const bool low = unit >= 0xdc00 && unit < 0xe000;
    if (low != (high_ != 0)) throw std::string("it has an unpaired surrogate");
    if (low) {
      put(0x10000 + (high_ - 0xd800) * 0x400 + (unit - 0xdc00));
      high_ = 0;
    } else if (unit >= 0xd800 && unit < 0xdc00) {
      high_ = unit;
    } else {
      put(unit);
    }
  }

  // Writes a code point as UTF-8.
  void put(uint32_t point) {
    at_ = n_ = 0;
    const auto add = [&](uint32_t byte) { made_[n_++] = static_cast<std::byte>(byte); };
    if (point < 0x80) return add(point);
    if (point < 0x800) {
      add(0xc0 | point >> 6);
    } else {
      if (point < 0x10000) {
        add(0xe0 | point >> 12);
      } else {
        add(0xf0 | point >> 18);
        add(0x80 | (point >> 12 & 0x3f));
      }
      add(0x80 | (point >> 6 & 0x3f));
    }
    add(0x80 | (point & 0x3f));
  }

  bool marked_ = false, big_ = false;
  std::optional<uint32_t> first_;    // first byte of a unit whose second byte is missing
  uint32_t high_ = 0;                // a high surrogate that waits for the low one; 0: none
  std::array<std::byte, 4> made_{};  // bytes [at_, n_) must still be written
  std::size_t at_ = 0, n_ = 0;
};

std::unique_ptr<Unpacker> open() { return std::make_unique<Utf16>(); }

constexpr std::string_view magic[] = {"\xff\xfe", "\xfe\xff"};

}  // namespace

namespace codec {
extern const Codec utf16;
const Codec utf16{
    .name = "utf16", .extensions = {}, .magic = magic, .package = "nothing", .open = open};
}  // namespace codec

}  // namespace onefold::io
