// Parquet: io/arrow/columns.hpp reads the columns.
#include "io/arrow/columns.hpp"

namespace onefold::io {
namespace {

DenseArray open(const File& file, const std::string& path, const std::string& item,
                const InputOptions& options) {
  return arrow::open_column(file, path, item, options, true);
}
std::vector<ContainerItem> list(const File& file, const std::string& path) {
  return arrow::list_columns(file, path, true);
}

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
                        .list = list};
}  // namespace container

}  // namespace onefold::io
