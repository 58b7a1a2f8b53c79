// NetCDF: HDF5 files (version 4) or classic ones. io/cf.hpp says how their variables are packed.
#include <functional>

#include "io/cf.hpp"
#include "io/hdf5/attribute.hpp"
#include "io/hdf5/library.hpp"
#include "io/netcdf/classic.hpp"

namespace onefold::io {
namespace {

using hdf5::Dataset;

// Returns a variable's attribute by its name.
using Attributes = std::function<std::optional<CfAttribute>(const char* name)>;

void add_numbers(const File& file, const std::string& variable, const Attributes& of,
                 const char* name, std::vector<CfNumber>& numbers) {
  const auto a = of(name);
  if (!a) return;
  if (!a->text.empty() || a->dtype == DType::f16 || a->dtype == DType::bf16) {
    file.fail(ErrorCode::unsupported, "variable " + variable + ": its " + name + " is no number");
  }
  const Size each = bytes_of(a->dtype);
  for (Size at = 0; at + each <= a->numbers.size(); at += each) {
    numbers.push_back(cf_number(a->dtype, a->numbers.data() + at));
  }
}

std::optional<CfNumber> one_number(const File& file, const std::string& variable,
                                   const Attributes& of, const char* name) {
  std::vector<CfNumber> list;
  add_numbers(file, variable, of, name, list);
  if (list.size() > 1) {
    file.fail(ErrorCode::unsupported,
              "variable " + variable + ": its " + name + " is more than one number");
  }
  return list.empty() ? std::nullopt : std::optional(list[0]);
}

void decode(const File& file, const std::string& variable, const Attributes& of,
            DenseArray& array) {
  CfRules rules;
  add_numbers(file, variable, of, "_FillValue", rules.missing);
  add_numbers(file, variable, of, "missing_value", rules.missing);
  rules.scale = one_number(file, variable, of, "scale_factor");
  rules.offset = one_number(file, variable, of, "add_offset");
  const auto word = of("_Unsigned");
  rules.as_unsigned = word && (word->text == "true" || word->text == "True");
  decode_by(file, rules, array);
}

void decode(const File& file, const Dataset& dataset, DenseArray& array) {
  decode(
      file, dataset.name, [&](const char* name) { return hdf5::attribute(file, dataset, name); },
      array);
}
void decode(const File& file, const netcdf::Variable& variable, DenseArray& array) {
  decode(
      file, variable.name, [&](const char* name) { return variable.attribute(name); }, array);
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

std::vector<ContainerItem> list(const File& file, const std::string& path) {
  if (netcdf::is_classic(file)) return list_classic(file, netcdf::read_classic(file));
  const auto opened = std::make_shared<hdf5::OpenedFile>(file, path);
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
      DenseArray array{.dtype = dataset.type.dtype, .shape = *item.shape};
      if (!bare) decode(file, dataset, array);
      return array;
    });
    if (bare) continue;
    all.push_back(std::move(item));
  }
  return all;
}

DenseArray open(const File& file, const std::string& path, const std::string& item,
                const InputOptions& options) {
  if (netcdf::is_classic(file)) return open_classic(file, item, options);
  const auto opened = std::make_shared<hdf5::OpenedFile>(file, path);
  Dataset dataset = opened->find(item, [&] { return list(file, path); });
  const Dataset again = opened->dataset(dataset.name);  // `dataset` is moved into the reader
  DenseArray array;
  hdf5::make_readable(file, opened, std::move(dataset), options, array);
  decode(file, again, array);
  check_options(file, array, options);
  return array;
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
                       .lacks = lacks};
}  // namespace container

}  // namespace onefold::io
