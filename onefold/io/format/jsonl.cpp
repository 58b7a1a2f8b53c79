// JSON Lines: a text whose lines are objects; onefold/io/json_lines.hpp reads them.
#include "onefold/io/format.hpp"

namespace onefold::io {
namespace {

constexpr std::string_view extensions[] = {".jsonl", ".ndjson"};

}  // namespace

namespace format {
extern const Format jsonl;
const Format jsonl{.name = "jsonl", .extensions = extensions, .magic = "", .open = nullptr};
}  // namespace format

}  // namespace onefold::io
