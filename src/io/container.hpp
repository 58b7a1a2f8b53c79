// Files of several arrays: one file each in container/, which defines `const Container
// container::<stem>`. Its library is loaded when a file first needs it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"
#include "io/input.hpp"

namespace onefold::io {

struct Table;

// A description of an array, or of an entry that is no array.
struct ContainerItem {
  std::string name;
  std::string type;  // "f64"; why it cannot be folded
  std::optional<Dims> shape = {};
  std::optional<Size> missing = {};  // if it is known without reading all
};

// The files that cannot be read on this machine, and why, with the package to install; an empty
// `why` means that nothing is missing.
struct Lack {
  std::string what, why;
};

struct Container {
  const char* name;
  std::span<const std::string_view> extensions;  // with their dots
  std::span<const std::string_view> magic;       // how its files begin
  std::span<const std::string_view> documents;   // a folder that holds one of these is one
  // One array: by its name, or the only one that can be folded.
  //   throws  bad_option, which lists the names; unsupported, bad_header, truncated, type_mismatch
  DenseArray (*open)(const File& file, const std::string& path, const std::string& item,
                     const InputOptions& options);
  std::vector<ContainerItem> (*list)(const File& file, const std::string& path);
  // Its arrays as the columns of a table, where they are that.
  //   stream  it begins as `begins_stream` has it, and is read from there on
  Table (*open_table)(File& file, const std::string& path, const InputOptions& options,
                      bool stream) = nullptr;
  bool (*begins_stream)(std::string_view head) = nullptr;
  Lack (*lacks)();  // a library that is missing
};

std::span<const Container* const> containers();
// A stream that is one, by how it begins; null: none.
const Container* find_stream(File& file, const InputOptions& options);

// "a.h5:/x" as "a.h5" and "/x": where there is no file of the whole name. Null: none is named so.
struct ItemPath {
  const Container* container = nullptr;
  std::string file, item;
  std::string document = {};  // for a folder: the file in it that tells the format
  const std::string& to_open() const { return document.empty() ? file : document; }
};
ItemPath split_item(const std::string& path);

// The container that the file is: by --format, its name or how it begins; null: none.
const Container* find_container(File& file, const ItemPath& path, const InputOptions& options);

// Which of the items is meant: its place in the list.
//   throws  bad_option, which lists those that can be folded
std::size_t choose_item(const File& file, const std::vector<ContainerItem>& items,
                        const std::string& name);
// Refuses options that an array does not need: --shape, --offset, another --dtype.
void check_options(const File& file, const DenseArray& array, const InputOptions& options);

}  // namespace onefold::io
