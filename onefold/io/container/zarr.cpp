// Zarr, versions 2 and 3: onefold/io/zarr/array.hpp reads its arrays.
#include <filesystem>

#include "onefold/io/container.hpp"
#include "onefold/io/zarr/array.hpp"
#include "onefold/io/zarr/codecs.hpp"

namespace onefold::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_items = 10000;
constexpr int deepest = 100;

std::string without_place(const std::string& message) {
  const std::size_t colon = message.find(": ");
  return colon == message.npos ? message : message.substr(colon + 2);
}

void visit(const File& file, const std::string& folder, const std::string& name, int depth,
           std::vector<ContainerItem>& items) {
  if (items.size() >= most_items || depth > deepest) {
    file.fail(ErrorCode::unsupported,
              "it holds more than " + std::to_string(most_items) + " arrays; name one of them");
  }
  try {
    const std::optional<zarr::Metadata> m = zarr::metadata_of(file, folder);
    if (!m) return;
    if (!m->group) {
      DenseArray array{.dtype = m->dtype, .shape = m->shape};
      zarr::decode(file, folder, *m, array);
      items.push_back({.name = name, .type = name_of(array.dtype), .shape = array.shape});
      return;
    }
  } catch (const Error& e) {
    items.push_back({.name = name, .type = without_place(e.what())});
    return;
  }
  std::vector<std::string> inside;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (inside.size() > most_items) break;
    // Links are not followed, since one may lead to a folder above it.
    if (at->is_directory(failed) && !at->is_symlink(failed)) {
      inside.push_back(at->path().filename().string());
    }
  }
  std::sort(inside.begin(), inside.end());
  for (const std::string& one : inside) {
    visit(file, folder + "/" + one, name + "/" + one, depth + 1, items);
  }
}

std::vector<ContainerItem> list(const File& file, const std::string& path) {
  std::vector<ContainerItem> items;
  visit(file, path, "", 0, items);
  return items;
}

// An array's folder, and what its metadata say.
struct Opened {
  std::string folder;
  zarr::Metadata metadata;
};
Opened find(const File& file, const std::string& path, const std::string& item) {
  std::string folder = item.empty() ? path : path + "/" + item;
  std::optional<zarr::Metadata> m = zarr::metadata_of(file, folder);
  if (!m || m->group) {
    const std::vector<ContainerItem> items = list(file, path);
    folder = path + "/" + items[choose_item(file, items, item)].name;
    m = zarr::metadata_of(file, folder);
  }
  if (!m || m->group) file.fail(ErrorCode::read_failed, "its metadata changed");
  return {std::move(folder), *std::move(m)};
}

DenseArray open(const File& file, const std::string& path, const std::string& item,
                const InputOptions& options) {
  const Opened opened = find(file, path, item);
  DenseArray array = zarr::array_in(file, opened.folder, opened.metadata, options);
  check_options(file, array, options);
  return array;
}

std::vector<std::string> axes(const File& file, const std::string& path, const std::string& item) {
  return find(file, path, item).metadata.dimensions;
}

std::string attribute(const File& file, const std::string& path, const std::string& item,
                      const char* name) {
  return find(file, path, item).metadata.attributes[name].text;
}

Lack lacks() { return {"zarr by blosc", zarr::why_no_blosc()}; }

constexpr std::string_view extensions[] = {".zarr"};
constexpr std::string_view documents[] = {"zarr.json", ".zarray", ".zgroup"};

}  // namespace

namespace container {
extern const Container zarr;
const Container zarr{.name = "zarr",
                     .extensions = extensions,
                     .magic = {},
                     .documents = documents,
                     .open = open,
                     .list = list,
                     .axes = axes,
                     .attribute = attribute,
                     .lacks = lacks};
}  // namespace container

}  // namespace onefold::io
