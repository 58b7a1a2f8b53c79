#include "io/codec.hpp"

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
    if (head.starts_with(c->magic)) return c;
  }
  return nullptr;
}

std::string without_codec(const std::string& path) {
  const Codec* const c = find_codec_by_name(path);
  return c == nullptr ? path : path.substr(0, path.rfind('.'));
}

SharedLibrary::SharedLibrary(const std::string& name) : loaded_(jit::load(std::span(&name, 1))) {
  if (!loaded_) throw name + " was not found";
}

void* SharedLibrary::address(const char* name) const {
  void* const at = loaded_.find(name);
  if (at == nullptr) throw loaded_.name + " has no function " + name;
  return at;
}

}  // namespace onefold::io
