#include "onefold/io/hdf5/attribute.hpp"

#include <cstring>

namespace onefold::io::hdf5 {
namespace {

// Enough for missing values and words such as "true"; other attributes may have any size.
constexpr std::size_t most_bytes = 4096;
constexpr int string_class = 3;

}  // namespace

std::optional<Attribute> attribute(const File& file, const Dataset& dataset, const char* name) {
  const Session session;
  const Library& l = library();
  const std::string what = "dataset " + dataset.name + ", attribute " + name;
  if (l.H5Aexists(dataset.id.id(), name) <= 0) return {};
  const Handle id(l.H5Aopen(dataset.id.id(), name, 0), l.H5Aclose);
  const Handle type(id ? l.H5Aget_type(id.id()) : -1, l.H5Tclose);
  const Handle space(id ? l.H5Aget_space(id.id()) : -1, l.H5Sclose);
  if (!type || !space) file.fail(ErrorCode::bad_header, what + ": " + session.reason());
  Count extents[32];
  const int rank = l.H5Sget_simple_extent_ndims(space.id());
  if (rank < 0 || rank > 32 || l.H5Sget_simple_extent_dims(space.id(), extents, nullptr) < 0) {
    file.fail(ErrorCode::bad_header, what + ": " + session.reason());
  }
  constexpr int no_elements = 2;  // H5S_NULL
  if (l.H5Sget_simple_extent_type(space.id()) == no_elements) return {};
  std::size_t n = 1;
  // More elements than are read may exist.
  for (int d = 0; d < rank; ++d) {
    n = std::min<std::size_t>(n * std::min<Count>(extents[d], most_bytes + 1), most_bytes + 1);
  }
  Attribute a;
  if (l.H5Tget_class(type.id()) == string_class) {
    if (n != 1) return a;
    if (l.H5Tis_variable_str(type.id()) > 0) {
      char* text = nullptr;
      if (l.H5Aread(id.id(), type.id(), &text) >= 0 && text != nullptr) {
        a.text.assign(text, ::strnlen(text, most_bytes));
        l.H5free_memory(text);
      }
      return a;
    }
    const std::size_t bytes = l.H5Tget_size(type.id());
    if (bytes > most_bytes) return a;
    std::vector<char> text(bytes + 1, 0);
    if (l.H5Aread(id.id(), type.id(), text.data()) >= 0) a.text = text.data();
    return a;
  }
  const ElementType element = element_type(type.id());
  if (!element.why.empty()) file.fail(ErrorCode::unsupported, what + ": " + element.why);
  a.dtype = element.dtype;
  const std::size_t bytes = n * bytes_of(element.dtype);
  if (bytes > most_bytes) {
    file.fail(ErrorCode::unsupported,
              what + " has more than " + std::to_string(most_bytes) + " bytes");
  }
  a.numbers.resize(bytes);
  if (n > 0 && l.H5Aread(id.id(), element.memory.id(), a.numbers.data()) < 0) {
    file.fail(ErrorCode::bad_header, what + ": " + session.reason());
  }
  return a;
}

std::string text_attribute(const File& file, const Dataset& dataset, const char* name) {
  try {
    const auto found = attribute(file, dataset, name);
    return found ? found->text : "";
  } catch (const Error&) {
    return {};
  }
}

std::vector<std::string> axes_of(const File& file, const Dataset& dataset) {
  const Session session;
  const Library& l = library();
  const auto rank = static_cast<std::size_t>(dataset.shape.rank());
  std::vector<std::string> axes(rank);
  if (rank == 1 && text_attribute(file, dataset, "CLASS") == "DIMENSION_SCALE") {
    return {dataset.name};
  }
  if (l.dereference == nullptr || l.close_object == nullptr || l.name_of == nullptr) return axes;
  if (l.H5Aexists(dataset.id.id(), "DIMENSION_LIST") <= 0) return axes;
  const Handle id(l.H5Aopen(dataset.id.id(), "DIMENSION_LIST", 0), l.H5Aclose);
  const Handle type(id ? l.H5Aget_type(id.id()) : -1, l.H5Tclose);
  const Handle space(id ? l.H5Aget_space(id.id()) : -1, l.H5Sclose);
  constexpr int lists_class = 9, references_class = 7;
  if (!type || !space || l.H5Tget_class(type.id()) != lists_class) return axes;
  const Handle element(l.H5Tget_super(type.id()), l.H5Tclose);
  Count n = 0;
  const bool fits = element && l.H5Tget_class(element.id()) == references_class &&
                    l.H5Tget_size(element.id()) == sizeof(uint64_t) &&
                    l.H5Sget_simple_extent_ndims(space.id()) == 1 &&
                    l.H5Sget_simple_extent_dims(space.id(), &n, nullptr) >= 0 && n == rank;
  // hvl_t of the library.
  struct List {
    std::size_t n;
    void* references;
  };
  std::vector<List> lists(rank);
  if (!fits || l.H5Aread(id.id(), type.id(), lists.data()) < 0) return axes;
  for (std::size_t d = 0; d < rank; ++d) {
    if (lists[d].references == nullptr) continue;
    const Handle scale(
        lists[d].n > 0 ? l.dereference(dataset.id.id(), 0, 0, lists[d].references) : -1,
        l.close_object);
    char name[1024];
    const long length = scale ? l.name_of(scale.id(), name, sizeof name) : 0;
    if (length > 0 && length < static_cast<long>(sizeof name)) axes[d] = name;
    l.H5free_memory(lists[d].references);
  }
  return axes;
}

}  // namespace onefold::io::hdf5
