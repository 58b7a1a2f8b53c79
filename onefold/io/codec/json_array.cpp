// Converts a JSON array of objects to JSON Lines, an object on each line, byte by byte.
//
//   errors  a text that ends within the array, or goes on behind it; a comma without an object
#include "onefold/io/character.hpp"
#include "onefold/io/codec.hpp"
#include "onefold/io/json_lines.hpp"

namespace onefold::io {
namespace {

class JsonArray : public Unpacker {
 public:
  Step step(std::span<const std::byte> in, std::span<std::byte> out) override {
    Step step;
    for (; step.used < in.size() && step.made < out.size(); ++step.used) {
      out[step.made++] = static_cast<std::byte>(converted(std::to_integer<char>(in[step.used])));
    }
    if (!in.empty()) return step;
    if (depth_ > 0 || !begun_) throw std::string("it ends inside the array");
    step.ended = true;
    return step;
  }

 private:
  // Commas between the objects end lines; other line ends are blanks.
  char converted(char c) {
    if (quoted_) {
      quoted_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
      return c;
    }
    const bool mark = !begun_ && byte_order_mark.find(c) != byte_order_mark.npos;
    const bool blank = mark || c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (begun_ && depth_ == 0 && !blank) throw std::string("something follows the array");
    if (depth_ == 1 && !blank) {
      const bool ends = c == ',' || c == ']';
      if (ends && !object_ && (c == ',' || comma_)) {
        throw std::string("a comma in the array has no object before or after it");
      }
      comma_ = c == ',';
      object_ = !ends;
    }
    switch (c) {
      case '"':
        quoted_ = true;
        return c;
      case '[':
      case '{':
        begun_ = true;
        return depth_++ == 0 ? ' ' : c;
      case ']':
      case '}':
        return --depth_ == 0 ? '\n' : c;
      case ',':
        return depth_ == 1 ? '\n' : c;
      default:
        return blank ? ' ' : c;
    }
  }

  std::size_t depth_ = 0;
  bool begun_ = false, quoted_ = false, escaped_ = false;
  bool object_ = false, comma_ = false;  // what stood last between the brackets of the array
};

std::unique_ptr<Unpacker> open() { return std::make_unique<JsonArray>(); }

bool begins(std::string_view head) {
  if (head.starts_with(byte_order_mark)) head.remove_prefix(byte_order_mark.size());
  return begins_json_array(head);
}

}  // namespace

namespace codec {
extern const Codec json_array;
const Codec json_array{.name = "json_array",
                       .extensions = {},
                       .magic = {},
                       .package = "nothing",
                       .open = open,
                       .begins = begins};
}  // namespace codec

}  // namespace onefold::io
