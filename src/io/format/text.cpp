// Numbers as text: io/text_reader.hpp reads them, io/number.hpp says what a number is.
#include "io/format.hpp"

namespace onefold::io {
namespace {

constexpr std::string_view extensions[] = {".txt", ".csv", ".tsv"};

}  // namespace

namespace format {
extern const Format text;
const Format text{.name = "text", .extensions = extensions, .magic = "", .open = nullptr};
}  // namespace format

}  // namespace onefold::io
