#include "onefold/io/readable.hpp"

#include "onefold/io/codec.hpp"
#include "onefold/io/format.hpp"

namespace onefold::io {

Readable readable_here() {
  Readable here;
  for (const Format* format : formats()) here.formats.emplace_back(format->name);
  for (const Container* container : containers()) {
    const Lack lack = container->lacks();
    if (!lack.why.empty()) here.lacks.push_back(lack);
    if (lack.why.empty() || lack.what != container->name)
      here.formats.emplace_back(container->name);
  }
  for (const Codec* codec : codecs()) {
    const std::string why = why_not(*codec);
    if (why.empty()) here.codecs.emplace_back(codec->name);
    if (!why.empty()) here.lacks.push_back({codec->name, why});
  }
  return here;
}

}  // namespace onefold::io
