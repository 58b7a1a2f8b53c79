// Arrow IPC files, Feather version 2 among them: io/arrow/columns.hpp reads the columns.
#include "io/arrow/columns.hpp"

namespace onefold::io {
namespace {

DenseArray open(const File& file, const std::string& path, const std::string& item,
                const InputOptions& options) {
  return arrow::open_column(file, path, item, options, false);
}
std::vector<ContainerItem> list(const File& file, const std::string& path) {
  return arrow::list_columns(file, path, false);
}

constexpr std::string_view extensions[] = {".arrow", ".feather", ".ipc"};
constexpr std::string_view magic[] = {"ARROW1"};

}  // namespace

namespace container {
extern const Container arrow;
const Container arrow{.name = "arrow",
                      .extensions = extensions,
                      .magic = magic,
                      .documents = {},
                      .open = open,
                      .list = list};
}  // namespace container

}  // namespace onefold::io
