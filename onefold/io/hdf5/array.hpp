// Reads datasets of HDF5 files.
//
//   types     integers of up to 8 bytes, f16, bf16, f32, f64, both byte orders; booleans as h5py
//             writes them; other enumerations are their integers; complex numbers as h5py writes
//             them, compounds of the floats r and i, as InputOptions::planes says
//   refused   strings, references, other compounds and other types; datasets whose data are in
//             other files (external links, external storage, virtual datasets)
//   fill      chunks that were never written hold the fill value
//   memory    a packed chunk is unpacked whole, so its size has a limit
#pragma once

#include <functional>
#include <memory>

#include "onefold/io/boxes.hpp"
#include "onefold/io/container.hpp"
#include "onefold/io/hdf5/library.hpp"

namespace onefold::io::hdf5 {

// How an element is converted.
struct ElementType {
  DType dtype = DType::f64;
  Handle memory;            // the library's type for it, in this machine's byte order
  bool plain = false;       // the stored bytes equal those of `memory`,
  bool swapped = false;     // or equal them in reverse order
  bool is_complex = false;  // two of dtype, the real part first
  std::string why;          // why it cannot be folded; empty: it can

  unsigned bytes() const { return (is_complex ? 2 : 1) * bytes_of(dtype); }
};
ElementType element_type(Id type);

struct Dataset {
  Handle id;
  std::string name;
  Dims shape;
  ElementType type;
};

// An open file, whose datasets can be opened.
class FileHandle {
 public:
  //   throws  unsupported: no library; bad_header, truncated: with the library's message
  FileHandle(const File& file, const std::string& path);
  //   throws  bad_option: there is no such dataset; bad_header
  Dataset dataset(const std::string& name) const;
  // Returns the dataset of this name, or the only foldable one of `items`. Throws as choose_item.
  Dataset find(const std::string& item,
               const std::function<std::vector<ContainerItem>()>& items) const;
  // Lists all datasets, groups in the order of their names; links to other files are only named.
  std::vector<ContainerItem> list() const;

 private:
  const File& file_;
  Handle id_;
};

DenseArray open_array(const File& file, const std::string& path, const std::string& item,
                      const InputOptions& options);
std::vector<ContainerItem> list_arrays(const File& file, const std::string& path);

// Makes the reader of a dataset that can be folded, and sets `array`'s type, shape and reader.
//   throws  unsupported: it would need unbounded memory, or other files
void make_readable(const File& file, std::shared_ptr<FileHandle> opened, Dataset dataset,
                   const InputOptions& options, DenseArray& array);

}  // namespace onefold::io::hdf5
