#include "onefold/io/codec.hpp"

namespace onefold::io {

namespace codec {
#define ONEFOLD_ENTRY(name) extern const Codec name;
#include "generated/codec.list"
#undef ONEFOLD_ENTRY
}  // namespace codec

namespace {

constexpr const Codec* rows[] = {
#define ONEFOLD_ENTRY(name) &codec::name,
#include "generated/codec.list"
#undef ONEFOLD_ENTRY
};

}  // namespace

std::span<const Codec* const> codecs() { return rows; }

std::string why_not(const Codec& codec) {
  if (codec.open == nullptr) return std::string("this build cannot read ") + codec.name;
  try {
    codec.open();
  } catch (const std::string& why) {
    return why + "; install " + codec.package;
  }
  return "";
}

const Codec* find_codec_by_name(std::string_view path) {
  for (const Codec* c : rows) {
    for (const std::string_view extension : c->extensions) {
      if (path.size() > extension.size() && path.ends_with(extension)) return c;
    }
  }
  return nullptr;
}

const Codec* find_codec_by_magic(std::string_view head) {
  for (const Codec* c : rows) {
    if (c->begins != nullptr && c->begins(head)) return c;
    for (const std::string_view magic : c->magic) {
      if (head.starts_with(magic)) return c;
    }
  }
  return nullptr;
}

std::string without_codec(const std::string& path) {
  const Codec* const c = find_codec_by_name(path);
  return c == nullptr ? path : path.substr(0, path.rfind('.'));
}

std::vector<std::byte> unpack_all(OpenUnpacker open, std::span<const std::byte> bytes,
                                  std::size_t most) {
  if (open == nullptr) throw std::string("this build of onefold does not include the codec");
  // One more byte than allowed; it must remain unused.
  std::vector<std::byte> out(most + 1);
  std::size_t made = 0;
  for (std::unique_ptr<Unpacker> unpacker; !bytes.empty() || unpacker != nullptr;) {
    if (unpacker == nullptr) unpacker = open();
    const Unpacker::Step step = unpacker->step(bytes, std::span(out).subspan(made));
    bytes = bytes.subspan(step.used);
    made += step.made;
    if (made > most) throw std::string("it unpacks to more bytes than expected, so it is damaged");
    if (step.ended) {
      unpacker.reset();
    } else if (step.used == 0 && step.made == 0) {
      throw std::string("it is cut short");
    }
  }
  out.resize(made);
  return out;
}

SharedLibrary::SharedLibrary(const std::string& name) : loaded_(jit::load(std::span(&name, 1))) {
  // The library may exist, while another one that it needs is missing.
  if (!loaded_) throw name + " cannot be loaded (" + loaded_.why + ")";
}

void* SharedLibrary::address(const char* name) const {
  void* const at = loaded_.find(name);
  if (at == nullptr) throw loaded_.name + " has no function " + name;
  return at;
}

}  // namespace onefold::io
