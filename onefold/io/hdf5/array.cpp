#include "onefold/io/hdf5/array.hpp"

#include <algorithm>
#include <exception>
#include <set>

#include "onefold/io/format.hpp"

namespace onefold::io::hdf5 {
namespace {

// The most objects that are listed, and the deepest nesting of groups.
constexpr std::size_t most_items = 10000;
constexpr int deepest = 100;

// Links to other files are refused.
Result refuse_link(const char*, const char*, const char*, const char*, unsigned*, Id, void*) {
  return -1;
}

// The beginning of H5G_stat_t; the library writes the whole struct.
struct ObjectFacts {
  unsigned long file[2], object[2];
  unsigned links;
  int type;
  char rest[256];
};
enum ObjectType : int { group = 0, dataset = 1, soft_link = 3, other_link = 4 };

Result take_name(Id, const char* name, const void*, void* context) {
  auto& names = *static_cast<std::vector<std::string>*>(context);
  names.emplace_back(name);
  return names.size() > most_items ? 1 : 0;
}

// Describes a dataset's type and shape, which its headers tell.
ContainerItem describe(std::string name, const Dataset& d) {
  ContainerItem item{.name = std::move(name), .type = d.type.why};
  if (!d.type.why.empty()) return item;
  item.type = d.type.is_complex ? complex_name(d.type.dtype) : name_of(d.type.dtype);
  if (d.shape.rank() <= max_rank) item.shape = d.shape;
  return item;
}

class Lister {
 public:
  Lister(const File& file, const FileHandle& opened) : file_(file), opened_(opened) {}

  void visit_root(Id root) {
    ObjectFacts facts{};
    if (library().H5Gget_objinfo(root, ".", 0, &facts) >= 0) {
      entered_.insert({facts.object[0], facts.object[1]});
    }
    visit(root, "", 0);
  }

  std::vector<ContainerItem> items;

 private:
  void visit(Id at, const std::string& path, int depth) {
    const Library& l = library();
    std::vector<std::string> names;
    constexpr int by_name = 0, ascending = 0;
    Count index = 0;
    if (l.iterate(at, by_name, ascending, &index, take_name, &names) < 0) {
      file_.fail(ErrorCode::bad_header, "group " + path + "/: " + Session().reason());
    }
    for (const std::string& name : names) {
      if (items.size() >= most_items) {
        file_.fail(ErrorCode::unsupported, "it holds more than " + std::to_string(most_items) +
                                               " objects; name one of them");
      }
      const std::string whole = path + "/" + name;
      ObjectFacts facts{};
      constexpr int do_not_follow = 0;
      if (l.H5Gget_objinfo(at, name.c_str(), do_not_follow, &facts) < 0) {
        items.push_back({.name = whole, .type = Session().reason()});
      } else if (facts.type == group) {
        // Each group is entered only once, since a group may contain itself.
        if (depth > deepest || !entered_.insert({facts.object[0], facts.object[1]}).second) {
          continue;
        }
        const Handle inner(l.H5Gopen2(at, name.c_str(), 0), l.H5Gclose);
        if (inner) visit(inner.id(), whole, depth + 1);
      } else if (facts.type == dataset) {
        try {
          items.push_back(describe(whole, opened_.dataset(whole)));
        } catch (const Error& e) {
          const std::string message = e.what();
          const std::size_t colon = message.find(": ");
          items.push_back(
              {.name = whole, .type = colon == message.npos ? message : message.substr(colon + 2)});
        }
      } else if (facts.type == other_link) {
        items.push_back({.name = whole,
                         .type = "a link to another file, which is not followed; open that file"});
      }
    }
  }

  const File& file_;
  const FileHandle& opened_;
  std::set<std::pair<unsigned long, unsigned long>> entered_;
};

}  // namespace

FileHandle::FileHandle(const File& file, const std::string& path) : file_(file) {
  const Library& l = library();
  if (!l.why.empty()) file.fail(ErrorCode::unsupported, "it is an HDF5 file, and " + l.why);
  const Session session;
  constexpr unsigned read_only = 0;
  id_ = Handle(l.H5Fopen(path.c_str(), read_only, 0), l.H5Fclose);
  if (!id_) {
    const std::string reason = session.reason();
    const bool cut = reason.find("truncated") != reason.npos;
    file.fail(cut ? ErrorCode::truncated : ErrorCode::bad_header,
              "libhdf5 cannot open it: " + reason);
  }
}

Dataset FileHandle::dataset(const std::string& name) const {
  const Session session;
  const Library& l = library();
  Dataset d{.id = {}, .name = name, .shape = {}, .type = {}};
  const Handle access(l.H5Pcreate(l.dataset_access), l.H5Pclose);
  // Boxes are whole chunks, so no chunk is needed twice, and the library need not keep any.
  if (!access || l.H5Pset_elink_cb(access.id(), refuse_link, nullptr) < 0 ||
      l.H5Pset_chunk_cache(access.id(), 1, 0, 1) < 0) {
    file_.fail(ErrorCode::internal, "libhdf5: " + session.reason());
  }
  d.id = Handle(l.H5Dopen2(id_.id(), name.c_str(), access.id()), l.H5Dclose);
  if (!d.id) file_.fail(ErrorCode::bad_header, "dataset " + name + ": " + session.reason());
  const Handle space(l.H5Dget_space(d.id.id()), l.H5Sclose);
  const Handle type(l.H5Dget_type(d.id.id()), l.H5Tclose);
  if (!space || !type) {
    file_.fail(ErrorCode::bad_header, "dataset " + name + ": " + session.reason());
  }
  d.type = element_type(type.id());
  constexpr int no_elements = 2;  // H5S_NULL
  if (l.H5Sget_simple_extent_type(space.id()) == no_elements) {
    d.shape = Dims(0);
    return d;
  }
  const int rank = l.H5Sget_simple_extent_ndims(space.id());
  Count extents[32];  // the library's own limit
  if (rank < 0 || rank > 32 || l.H5Sget_simple_extent_dims(space.id(), extents, nullptr) < 0) {
    file_.fail(ErrorCode::bad_header, "dataset " + name + ": " + session.reason());
  }
  for (int k = 0; k < rank; ++k) {
    if (extents[k] > static_cast<Count>(int64_max)) {
      file_.fail(ErrorCode::bad_header, "dataset " + name + " has an extent of more than 2^63");
    }
    d.shape.push_back(static_cast<int64_t>(extents[k]));
  }
  const int most = d.type.is_complex ? max_rank - 1 : max_rank;
  if (rank > most && d.type.why.empty()) {
    d.type.why = "the array has " + std::to_string(rank) + " dimensions; at most " +
                 std::to_string(most) + " are possible";
  }
  return d;
}

std::vector<ContainerItem> FileHandle::list() const {
  const Session session;
  const Library& l = library();
  Lister lister(file_, *this);
  const Handle root(l.H5Gopen2(id_.id(), "/", 0), l.H5Gclose);
  if (!root) file_.fail(ErrorCode::bad_header, "its root group: " + session.reason());
  lister.visit_root(root.id());
  return std::move(lister.items);
}

Dataset FileHandle::find(const std::string& item,
                         const std::function<std::vector<ContainerItem>()>& items) const {
  // The list of names, which may be long, is made only if a name is wrong.
  std::exception_ptr why;
  try {
    if (!item.empty()) return dataset(item);
  } catch (const Error&) {
    why = std::current_exception();
  }
  const std::vector<ContainerItem> all = items();
  const auto can_fold = [](const ContainerItem& i) { return i.shape.has_value(); };
  if (why && std::none_of(all.begin(), all.end(), can_fold)) std::rethrow_exception(why);
  return dataset(all[choose_item(file_, all, item)].name);
}

DenseArray open_array(const File& file, const std::string& path, const std::string& item,
                      const InputOptions& options) {
  const auto opened = std::make_shared<FileHandle>(file, path);
  Dataset dataset = opened->find(item, [&] { return opened->list(); });
  DenseArray array;
  make_readable(file, opened, std::move(dataset), options, array);
  check_options(file, array, options);
  return array;
}

std::vector<ContainerItem> list_arrays(const File& file, const std::string& path) {
  return FileHandle(file, path).list();
}

}  // namespace onefold::io::hdf5
