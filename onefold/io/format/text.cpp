// Numbers as text: onefold/io/text_reader.hpp reads them, onefold/io/number.hpp says what a number
// is.
#include "onefold/io/format.hpp"

namespace onefold::io {
namespace {

constexpr std::string_view extensions[] = {".txt", ".csv", ".tsv"};

}  // namespace

namespace format {
extern const Format text;
const Format text{.name = "text", .extensions = extensions, .magic = "", .open = nullptr};
}  // namespace format

}  // namespace onefold::io
