// NetCDF: HDF5 files (version 4) or classic ones. onefold/io/cf.hpp says how their variables are
// packed.
#include "onefold/io/cf.hpp"
#include "onefold/io/hdf5/attribute.hpp"
#include "onefold/io/hdf5/library.hpp"
#include "onefold/io/netcdf/classic.hpp"

namespace onefold::io {
namespace {

using hdf5::Dataset;

void refuse_complex(const File& file, const Dataset& dataset) {
  if (!dataset.type.is_complex) return;
  file.fail(ErrorCode::unsupported,
            "variable " + dataset.name +
                ": complex numbers in NetCDF files are not supported; save them as .npy or HDF5");
}

void decode(const File& file, const Dataset& dataset, DenseArray& array) {
  decode_by(
      file, dataset.name, [&](const char* name) { return hdf5::attribute(file, dataset, name); },
      true, array);
}
void decode(const File& file, const netcdf::Variable& variable, DenseArray& array) {
  decode_by(
      file, variable.name, [&](const char* name) { return variable.attribute(name); }, true, array);
}

// Describes the array that `make` opens; if it throws, the error.
template <class Make>
void describe(ContainerItem& item, const Make& make) {
  try {
    const DenseArray array = make();
    item.type = name_of(array.dtype);
    item.shape = array.shape;
  } catch (const Error& e) {
    const std::string message = e.what();
    const std::size_t colon = message.find(": ");
    item.type = colon == message.npos ? message : message.substr(colon + 2);
    item.shape.reset();
  }
}

DenseArray decoded(const File& file, const netcdf::Classic& header,
                   const netcdf::Variable& variable) {
  DenseArray array = netcdf::array_of(file, header, variable);
  decode(file, variable, array);
  return array;
}

std::vector<ContainerItem> list_classic(const File& file, const netcdf::Classic& header) {
  std::vector<ContainerItem> all;
  for (const netcdf::Variable& v : header.variables) {
    all.push_back({.name = v.name, .type = v.why});
    if (v.why.empty()) describe(all.back(), [&] { return decoded(file, header, v); });
  }
  return all;
}

DenseArray open_classic(const File& file, const std::string& item, const InputOptions& options) {
  const netcdf::Classic header = netcdf::read_classic(file);
  const auto& v = header.variables[choose_item(file, list_classic(file, header), item)];
  if (!v.why.empty()) file.fail(ErrorCode::unsupported, "variable " + v.name + ": " + v.why);
  DenseArray array = decoded(file, header, v);
  check_options(file, array, options);
  return array;
}

// Dimensions without values are datasets, too; they are not listed.
bool is_bare_dimension(const File& file, const Dataset& dataset) {
  const auto name = hdf5::attribute(file, dataset, "NAME");
  return name && name->text.starts_with("This is a netCDF dimension but not a netCDF variable");
}

// A variable that is called like a dimension, and does not give its coordinates, is stored under
// another name; the dimension has the name itself.
constexpr std::string_view other_name = "_nc4_non_coord_";
std::size_t place_of_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? 0 : slash + 1;
}

// With the names under which variables are stored.
std::vector<ContainerItem> list_stored(const File& file, const std::string& path) {
  const auto opened = std::make_shared<hdf5::FileHandle>(file, path);
  std::vector<ContainerItem> all;
  for (ContainerItem& item : opened->list()) {
    if (!item.shape) {
      all.push_back(std::move(item));
      continue;
    }
    bool bare = false;
    describe(item, [&] {
      const Dataset dataset = opened->dataset(item.name);
      bare = is_bare_dimension(file, dataset);
      refuse_complex(file, dataset);
      DenseArray array{.dtype = dataset.type.dtype, .shape = *item.shape};
      if (!bare) decode(file, dataset, array);
      return array;
    });
    if (bare) continue;
    all.push_back(std::move(item));
  }
  return all;
}

std::vector<ContainerItem> list(const File& file, const std::string& path) {
  if (netcdf::is_classic(file)) return list_classic(file, netcdf::read_classic(file));
  std::vector<ContainerItem> all = list_stored(file, path);
  for (ContainerItem& item : all) {
    const std::size_t at = place_of_name(item.name);
    if (item.name.compare(at, other_name.size(), other_name) == 0) {
      item.name.erase(at, other_name.size());
    }
  }
  return all;
}

Dataset find_variable(const File& file, const hdf5::FileHandle& opened, const std::string& path,
                      const std::string& item) {
  std::string other = item;
  other.insert(place_of_name(item), other_name);
  try {
    if (!item.empty()) return opened.dataset(other);
  } catch (const Error&) {  // there is no such name: `item` is stored as it is
  }
  return opened.find(item, [&] { return list_stored(file, path); });
}

DenseArray open(const File& file, const std::string& path, const std::string& item,
                const InputOptions& options) {
  if (netcdf::is_classic(file)) return open_classic(file, item, options);
  const auto opened = std::make_shared<hdf5::FileHandle>(file, path);
  Dataset dataset = find_variable(file, *opened, path, item);
  const Dataset again = opened->dataset(dataset.name);  // `dataset` is moved into the reader
  if (is_bare_dimension(file, again)) {
    file.fail(ErrorCode::bad_option, item + " is a dimension without values, not a variable");
  }
  refuse_complex(file, again);
  DenseArray array;
  hdf5::make_readable(file, opened, std::move(dataset), options, array);
  decode(file, again, array);
  check_options(file, array, options);
  return array;
}

std::vector<std::string> axes(const File& file, const std::string& path, const std::string& item) {
  if (netcdf::is_classic(file)) {
    const netcdf::Classic header = netcdf::read_classic(file);
    return header.variables[choose_item(file, list_classic(file, header), item)].dimensions;
  }
  const hdf5::FileHandle opened(file, path);
  return hdf5::axes_of(file, find_variable(file, opened, path, item));
}

std::string attribute(const File& file, const std::string& path, const std::string& item,
                      const char* name) {
  if (netcdf::is_classic(file)) {
    const netcdf::Classic header = netcdf::read_classic(file);
    const auto& v = header.variables[choose_item(file, list_classic(file, header), item)];
    const auto found = v.attribute(name);
    return found ? found->text : "";
  }
  const hdf5::FileHandle opened(file, path);
  return hdf5::text_attribute(file, find_variable(file, opened, path, item), name);
}

// Classic files need no library, so only version 4 may lack one.
Lack lacks() { return {"netcdf version 4", hdf5::library().why}; }

constexpr std::string_view extensions[] = {".nc", ".nc4", ".cdf"};
constexpr std::string_view magic[] = {"CDF\1", "CDF\2", "CDF\5"};

}  // namespace

namespace container {
extern const Container netcdf;
const Container netcdf{.name = "netcdf",
                       .extensions = extensions,
                       .magic = magic,
                       .documents = {},
                       .open = open,
                       .list = list,
                       .axes = axes,
                       .attribute = attribute,
                       .lacks = lacks};
}  // namespace container

}  // namespace onefold::io
