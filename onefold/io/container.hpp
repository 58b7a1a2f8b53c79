// Files of several arrays. Each kind is a file of container/, which defines `const Container
// container::<stem>`. Its library is loaded when a file first needs it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/io/file.hpp"
#include "onefold/io/input.hpp"

namespace onefold::io {

struct Table;

// Describes an array, or an entry that is no array.
struct ContainerItem {
  std::string name;
  std::string type;  // "f64"; or why it cannot be folded
  std::optional<Dims> shape = {};
  std::optional<Size> missing = {};  // set if it is known without reading all elements
};

// Which files cannot be read on this machine, and why, with the package to install. An empty `why`
// means that nothing is missing.
struct Lack {
  std::string what, why;
};

struct Container {
  const char* name;
  std::span<const std::string_view> extensions;  // with their dots
  std::span<const std::string_view> magic;       // its files begin with one of these
  std::span<const std::string_view> documents;   // a folder that has one of them is a container
  // Opens one array: the one with this name, or the only one that can be folded.
  //   throws  bad_option, which lists the names; unsupported, bad_header, truncated, type_mismatch
  DenseArray (*open)(const File& file, const std::string& path, const std::string& item,
                     const InputOptions& options);
  std::vector<ContainerItem> (*list)(const File& file, const std::string& path);
  // Opens its arrays as the columns of a table, if they are columns.
  //   stream  it is read from its beginning, which `begins_stream` has recognised
  Table (*open_table)(File& file, const std::string& path, const InputOptions& options,
                      bool stream) = nullptr;
  bool (*begins_stream)(std::string_view head) = nullptr;
  // Returns the names of an array's dimensions, or the paths of the arrays of their coordinates;
  // empty: a dimension has no name.
  std::vector<std::string> (*axes)(const File& file, const std::string& path,
                                   const std::string& item) = nullptr;
  // Returns a text among the attributes of an array; empty: it has none of that name.
  std::string (*attribute)(const File& file, const std::string& path, const std::string& item,
                           const char* name) = nullptr;
  Lack (*lacks)();  // the library that is missing
};

std::span<const Container* const> containers();
// Finds a stream's container by its first bytes; null: it is none.
const Container* find_stream(File& file, const InputOptions& options);

// Splits "a.h5:/x" into "a.h5" and "/x" if no file has the whole name. Null: no array is named.
struct ItemPath {
  const Container* container = nullptr;
  std::string file, item;
  std::string document = {};  // for a folder: the file in it that shows the format
  const std::string& to_open() const { return document.empty() ? file : document; }
};
ItemPath split_item(const std::string& path);

// Finds a file's container by --format, its name or its first bytes; null: it is none.
const Container* find_container(File& file, const ItemPath& path, const InputOptions& options);

// Returns the position of the chosen item in the list.
//   throws  bad_option, with a list of those that can be folded
std::size_t choose_item(const File& file, const std::vector<ContainerItem>& items,
                        const std::string& name);
// Refuses options that would change a stored array: --shape, --offset, another --dtype.
void check_options(const File& file, const DenseArray& array, const InputOptions& options);

}  // namespace onefold::io
