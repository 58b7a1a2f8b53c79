// Arrow IPC files (also Feather version 2) and streams: onefold/io/arrow/columns.hpp reads them.
#include "onefold/io/arrow/columns.hpp"

namespace onefold::io {
namespace {

using Form = arrow::ArrowFile::Form;

DenseArray open(const File& file, const std::string& path, const std::string& item,
                const InputOptions& options) {
  return arrow::open_column(file, path, item, options, Form::file);
}
std::vector<ContainerItem> list(const File& file, const std::string& path) {
  return arrow::list_columns(file, path, Form::file);
}
Table open_table(File& file, const std::string& path, const InputOptions& options, bool stream) {
  return arrow::open_table(file, path, options, stream ? Form::stream : Form::file);
}

Lack lacks() { return {"arrow", arrow::why_no_plugin()}; }

constexpr std::string_view extensions[] = {".arrow", ".feather", ".ipc", ".arrows"};
constexpr std::string_view magic[] = {"ARROW1"};

}  // namespace

namespace container {
extern const Container arrow;
const Container arrow{.name = "arrow",
                      .extensions = extensions,
                      .magic = magic,
                      .documents = {},
                      .open = open,
                      .list = list,
                      .open_table = open_table,
                      .begins_stream = arrow::begins_stream,
                      .lacks = lacks};
}  // namespace container

}  // namespace onefold::io
