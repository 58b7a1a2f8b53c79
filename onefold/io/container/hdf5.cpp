// HDF5: onefold/io/hdf5/array.hpp reads its datasets without changing their values.
#include "onefold/io/hdf5/array.hpp"
#include "onefold/io/hdf5/attribute.hpp"
#include "onefold/io/hdf5/library.hpp"

namespace onefold::io {
namespace {

std::vector<std::string> axes(const File& file, const std::string& path, const std::string& item) {
  const hdf5::FileHandle opened(file, path);
  return hdf5::axes_of(file, opened.find(item, [&] { return opened.list(); }));
}

std::string attribute(const File& file, const std::string& path, const std::string& item,
                      const char* name) {
  return hdf5::text_attribute(file, hdf5::FileHandle(file, path).dataset(item), name);
}

Lack lacks() { return {"hdf5", hdf5::library().why}; }

constexpr std::string_view extensions[] = {".h5", ".hdf5", ".he5", ".hdf"};
constexpr std::string_view magic[] = {"\x89HDF\r\n\x1a\n"};

}  // namespace

namespace container {
extern const Container hdf5;
const Container hdf5{.name = "hdf5",
                     .extensions = extensions,
                     .magic = magic,
                     .documents = {},
                     .open = hdf5::open_array,
                     .list = hdf5::list_arrays,
                     .axes = axes,
                     .attribute = attribute,
                     .lacks = lacks};
}  // namespace container

}  // namespace onefold::io
