#include "onefold/io/container.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/engine/plan/nearest.hpp"
#include "onefold/system/file.hpp"

namespace onefold::io {

namespace container {
#define ONEFOLD_ENTRY(name) extern const Container name;
#include "generated/container.list"
#undef ONEFOLD_ENTRY
}  // namespace container

namespace {

constexpr const Container* rows[] = {
#define ONEFOLD_ENTRY(name) &container::name,
#include "generated/container.list"
#undef ONEFOLD_ENTRY
};

const Container* named(const std::string& path) {
  for (const Container* c : rows) {
    for (const std::string_view extension : c->extensions) {
      if (path.size() > extension.size() && path.ends_with(extension)) return c;
    }
  }
  return nullptr;
}

bool can_fold(const ContainerItem& item) { return item.shape.has_value(); }

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string list;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k) {
    list += (k == 0 ? "" : ", ") + names[k];
  }
  return names.size() > most ? list + ", ..." : list;
}

std::string without_root(const std::string& name) {
  return name.starts_with('/') ? name.substr(1) : name;
}

// Fails if the name is that of a group, whose items begin with it: "/g" of "/g/x".
void refuse_group(const File& file, const std::vector<ContainerItem>& items,
                  const std::string& name) {
  std::string inside = name.starts_with('/') ? name : "/" + name;
  if (!inside.ends_with('/')) inside += '/';
  std::vector<std::string> known;
  bool is_group = false;
  for (const ContainerItem& item : items) {
    if (!item.name.starts_with(inside)) continue;
    is_group = true;
    if (can_fold(item)) known.push_back(item.name);
  }
  if (!is_group) return;
  std::string path = file.name();
  if (path.ends_with(":" + name)) path.resize(path.size() - name.size() - 1);
  file.fail(
      ErrorCode::bad_option,
      name + " is a group, " +
          (known.empty() ? "and it contains no numeric array"
                         : "with " + first_of(known) + "; name one as " + path + ":" + known[0]));
}

// Finds a folder's file that shows the folder's format.
void find_document(ItemPath& p) {
  for (const Container* c : rows) {
    for (const std::string& folder : {p.file + "/" + p.item, p.file}) {
      for (const std::string_view name : c->documents) {
        const std::string document = folder + "/" + std::string(name);
        if (!p.document.empty() || !system::exists(document)) continue;
        p.document = document;
        p.container = c;
      }
    }
  }
}

ItemPath split(const std::string& path) {
  if (system::exists(path)) return {named(path), path, ""};
  for (std::size_t at = path.find(':'); at != path.npos; at = path.find(':', at + 1)) {
    std::string file = path.substr(0, at), item = path.substr(at + 1);
    const Container* const by_name = named(file);
    if (by_name != nullptr || (system::exists(file) && !file.ends_with(".npz"))) {
      return {by_name, std::move(file), std::move(item)};
    }
  }
  return {named(path), path, ""};
}

}  // namespace

std::span<const Container* const> containers() { return rows; }

ItemPath split_item(const std::string& path) {
  if (path == "-") return {};
  ItemPath p = split(path);
  if (system::exists(p.file + "/.")) find_document(p);
  return p;
}

const Container* find_container(File& file, const ItemPath& path, const InputOptions& options) {
  if (!options.format.empty()) {
    for (const Container* c : rows) {
      if (options.format == c->name) return c;
    }
    return nullptr;
  }
  if (path.container != nullptr) return path.container;
  const std::vector<std::byte> bytes = file.peek(16);
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Container* c : rows) {
    for (const std::string_view magic : c->magic) {
      if (head.starts_with(magic)) return c;
    }
  }
  return nullptr;
}

const Container* find_stream(File& file, const InputOptions& options) {
  const std::vector<std::byte> bytes = file.peek(16);
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Container* c : rows) {
    if (c->begins_stream == nullptr || !c->begins_stream(head)) continue;
    // Raw data may begin with any bytes.
    const bool raw = options.format.empty() && options.dtype && !file.name().ends_with(".arrows");
    if (!raw && (options.format.empty() || options.format == c->name)) return c;
  }
  return nullptr;
}

std::size_t choose_item(const File& file, const std::vector<ContainerItem>& items,
                        const std::string& name) {
  std::vector<std::string> known;
  std::size_t chosen = items.size();
  std::vector<std::size_t> meant;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const bool same = without_root(items[k].name) == without_root(name);
    if (same && !name.empty()) meant.push_back(k);
    if (!can_fold(items[k])) continue;
    known.push_back(items[k].name);
    chosen = k;
  }
  if (meant.size() == 1) return meant[0];
  if (meant.size() > 1) {
    file.fail(ErrorCode::bad_option,
              "\"" + name + "\" is the name of " + std::to_string(meant.size()) +
                  " columns; choose one by its position, as in --columns '#" +
                  std::to_string(meant[0] + 1) + "'");
  }
  if (name.empty() && known.size() == 1) return chosen;
  if (!name.empty()) refuse_group(file, items, name);
  if (known.empty()) {
    // The type of an array that cannot be folded says why.
    file.fail(ErrorCode::unsupported,
              "it contains no numeric array" +
                  (items.empty() ? "" : "; " + items[0].name + ": " + items[0].type) +
                  "; see onefold info");
  }
  if (name.empty()) {
    file.fail(ErrorCode::bad_option, "it holds " + std::to_string(known.size()) +
                                         " arrays: " + first_of(known) + "; name one as " +
                                         file.name() + ":" + known[0]);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  file.fail(ErrorCode::bad_option, "it has no array of that name" + did_you_mean(name, names) +
                                       "; it holds " + first_of(known));
}

void check_options(const File& file, const DenseArray& array, const InputOptions& options) {
  if (options.dtype && (array.is_complex() || *options.dtype != array.dtype)) {
    file.fail(ErrorCode::type_mismatch, std::string("the array holds ") + array.type_name() +
                                            ", but --dtype asks for " + name_of(*options.dtype) +
                                            "; leave --dtype out");
  }
  if (options.shape || options.offset != 0) {
    file.fail(ErrorCode::bad_option, std::string(options.shape ? "--shape" : "--offset") +
                                         " applies only to raw files; leave it out");
  }
}

}  // namespace onefold::io
