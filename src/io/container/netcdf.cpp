// NetCDF-4: HDF5 files whose variables are packed as io/cf.hpp says.
#include <cstring>

#include "io/cf.hpp"
#include "io/hdf5/attribute.hpp"

namespace onefold::io {
namespace {

using hdf5::Dataset;

void refuse_classic(const File& file) {
  char head[4] = {};
  if (file.size() < sizeof head) return;
  file.read_at(0, head, sizeof head);
  if (std::memcmp(head, "CDF", 3) != 0) return;
  file.fail(ErrorCode::unsupported,
            "it is a classic NetCDF file, and of NetCDF only version 4 is read; convert it: "
            "nccopy -k nc4 FILE NEW.nc");
}

void add_numbers(const File& file, const Dataset& dataset, const char* name,
                 std::vector<CfNumber>& numbers) {
  const auto a = hdf5::attribute(file, dataset, name);
  if (!a) return;
  if (!a->text.empty() || a->dtype == DType::f16 || a->dtype == DType::bf16) {
    file.fail(ErrorCode::unsupported,
              "variable " + dataset.name + ": its " + name + " is no number");
  }
  const Size each = bytes_of(a->dtype);
  for (Size at = 0; at + each <= a->numbers.size(); at += each) {
    numbers.push_back(cf_number(a->dtype, a->numbers.data() + at));
  }
}

std::optional<CfNumber> one_number(const File& file, const Dataset& dataset, const char* name) {
  std::vector<CfNumber> list;
  add_numbers(file, dataset, name, list);
  if (list.size() > 1) {
    file.fail(ErrorCode::unsupported,
              "variable " + dataset.name + ": its " + name + " is more than one number");
  }
  return list.empty() ? std::nullopt : std::optional(list[0]);
}

void decode(const File& file, const Dataset& dataset, DenseArray& array) {
  CfRules rules;
  add_numbers(file, dataset, "_FillValue", rules.missing);
  add_numbers(file, dataset, "missing_value", rules.missing);
  rules.scale = one_number(file, dataset, "scale_factor");
  rules.offset = one_number(file, dataset, "add_offset");
  const auto word = hdf5::attribute(file, dataset, "_Unsigned");
  rules.as_unsigned = word && (word->text == "true" || word->text == "True");
  decode_by(file, rules, array);
}

// Dimensions that have no values are datasets too.
bool is_bare_dimension(const File& file, const Dataset& dataset) {
  const auto name = hdf5::attribute(file, dataset, "NAME");
  return name && name->text.starts_with("This is a netCDF dimension but not a netCDF variable");
}

std::vector<ContainerItem> list(const File& file, const std::string& path) {
  refuse_classic(file);
  const auto opened = std::make_shared<hdf5::OpenedFile>(file, path);
  std::vector<ContainerItem> all;
  for (ContainerItem& item : opened->list()) {
    if (!item.shape) {
      all.push_back(std::move(item));
      continue;
    }
    try {
      Dataset dataset = opened->dataset(item.name);
      if (is_bare_dimension(file, dataset)) continue;
      DenseArray array{.dtype = dataset.type.dtype, .shape = *item.shape};
      decode(file, dataset, array);
      item.type = name_of(array.dtype);
    } catch (const Error& e) {
      const std::string message = e.what();
      const std::size_t colon = message.find(": ");
      item.type = colon == message.npos ? message : message.substr(colon + 2);
      item.shape.reset();
    }
    all.push_back(std::move(item));
  }
  return all;
}

DenseArray open(const File& file, const std::string& path, const std::string& item,
                const InputOptions& options) {
  refuse_classic(file);
  const auto opened = std::make_shared<hdf5::OpenedFile>(file, path);
  Dataset dataset = opened->find(item, [&] { return list(file, path); });
  const Dataset again = opened->dataset(dataset.name);  // the reader takes the other
  DenseArray array;
  hdf5::make_readable(file, opened, std::move(dataset), options, array);
  decode(file, again, array);
  check_options(file, array, options);
  return array;
}

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
                       .list = list};
}  // namespace container

}  // namespace onefold::io
