// Parquet: onefold/io/arrow/columns.hpp reads the columns.
#include "onefold/io/arrow/columns.hpp"

namespace onefold::io {
namespace {

constexpr auto form = arrow::ArrowFile::Form::parquet;

DenseArray open(const File& file, const std::string& path, const std::string& item,
                const InputOptions& options) {
  return arrow::open_column(file, path, item, options, form);
}
std::vector<ContainerItem> list(const File& file, const std::string& path) {
  return arrow::list_columns(file, path, form);
}
Table open_table(File& file, const std::string& path, const InputOptions& options, bool) {
  return arrow::open_table(file, path, options, form);
}

Lack lacks() { return {"parquet", arrow::why_no_plugin()}; }

constexpr std::string_view extensions[] = {".parquet", ".pq"};
constexpr std::string_view magic[] = {"PAR1"};

}  // namespace

namespace container {
extern const Container parquet;
const Container parquet{.name = "parquet",
                        .extensions = extensions,
                        .magic = magic,
                        .documents = {},
                        .open = open,
                        .list = list,
                        .open_table = open_table,
                        .lacks = lacks};
}  // namespace container

}  // namespace onefold::io
