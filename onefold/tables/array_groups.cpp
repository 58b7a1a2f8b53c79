#include "onefold/tables/array_groups.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "onefold/engine/group/group_plan.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/stream.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/keyed_states.hpp"
#include "onefold/tables/open_files.hpp"

namespace onefold::io {
namespace {

// The name of an array: "keys" for "folder/keys.npy", "x" for "a.npz:x"; "month(time)" for
// "a.nc:/x[month(time)]".
std::string stem_of(const std::string& path) {
  if (path.ends_with(")]")) {
    const std::size_t at = path.find_last_of("[,") + 1;
    return path.substr(at, path.size() - at - 1);
  }
  std::string name = path.substr(path.rfind('/') + 1);
  if (const auto colon = name.rfind(':'); colon != name.npos) name.erase(0, colon + 1);
  if (name.ends_with(".npy")) name.resize(name.size() - 4);
  return name;
}

// Converts keys to bytes that sort like the keys: integers with the highest byte first and the sign
// bit flipped.
template <class T>
void append_key(const std::byte* from, Size, std::string& key) {
  T value;
  std::memcpy(static_cast<void*>(&value), from, sizeof value);
  uint64_t bits = 0;
  if constexpr (dtype_of<T> == DType::boolean) {
    bits = value.byte != 0;  // any byte but 0 is true
  } else if constexpr (!Floating<T>) {
    bits = static_cast<uint64_t>(value);
    if constexpr (std::is_signed_v<T>) bits ^= uint64_t{1} << (8 * sizeof value - 1);
  }
  for (std::size_t k = sizeof value; k-- > 0;) key += static_cast<char>(bits >> (8 * k));
}

void append_bytes(const std::byte* from, Size width, std::string& key) {
  key.append(reinterpret_cast<const char*>(from), width);
}

void append_code_points(const std::byte* from, Size width, std::string& key) {
  for (Size at = 0; at + 4 <= width; at += 4) {
    for (Size k = 4; k-- > 0;) key += static_cast<char>(from[at + k]);
  }
}

uint64_t bits_of_key(std::string_view key) {
  uint64_t bits = 0;
  for (const char c : key) bits = bits << 8 | static_cast<unsigned char>(c);
  return bits;
}

void append_utf8(uint32_t c, std::string& text) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  const unsigned marks[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(marks[more] | c >> (6 * more));
  for (int k = more; k-- > 0;) text += static_cast<char>(0x80 | (c >> (6 * k) & 0x3f));
}

constexpr Size longest_key = Size{64} << 10;

// An array of keys, and the keys that were read but not yet used.
struct KeyArray {
  OpenFile file;
  Size width = 0;  // bytes of a key
  void (*append)(const std::byte* from, Size width, std::string& key) = nullptr;
  std::unique_ptr<Source> source = nullptr;
  std::unique_ptr<NumberStream> stream = nullptr;
  std::vector<std::byte> waiting = {};  // keys that were read but not yet used

  std::string text_of(std::string_view key) const {
    const DenseArray& a = *file.array;
    std::string text;
    if (a.text == 'S') {
      text = key.substr(0, key.find_last_not_of('\0') + 1);
    } else if (a.text == 'U') {
      key = key.substr(0, (key.find_last_not_of('\0') + 4) / 4 * 4);
      for (Size at = 0; at < key.size(); at += 4) {
        append_utf8(static_cast<uint32_t>(bits_of_key(key.substr(at, 4))), text);
      }
    } else if (a.dtype == DType::boolean) {
      text = bits_of_key(key) != 0 ? "true" : "false";
    } else if (kind_of(a.dtype) == onefold::Kind::unsigned_integer) {
      text = std::to_string(bits_of_key(key));
    } else {
      const unsigned unused = 64 - 8 * static_cast<unsigned>(width);
      const uint64_t turned = bits_of_key(key) ^ uint64_t { 1 } << (8 * width - 1);
      text = std::to_string(static_cast<int64_t>(turned << unused) >> unused);
    }
    return text;
  }
};

// Restricts an array in C order to the rows [begin, end).
void keep_rows(OpenFile& file, Size begin, Size end) {
  DenseArray part = *file.array;
  Size row_bytes = bytes_of(part.dtype);
  for (int d = 1; d < part.shape.rank(); ++d) row_bytes *= static_cast<Size>(part.shape[d]);
  part.offset += begin * row_bytes;
  part.shape[0] = static_cast<int64_t>(end - begin);
  file.array = std::make_shared<DenseArray>(part);
}

// Whether rows can be read without reading the rows before them.
bool has_rows_apart(const OpenFile& file) {
  return file.dense() && file.file->seekable() && file.array->boxes == nullptr &&
         !file.array->fortran;
}

KeyArray open_part(const std::string& path, int64_t rows, const InputOptions& input) {
  InputOptions labels;
  labels.labels = true;
  labels.opened = input.opened;
  KeyArray part{.file = open_file(path, labels, false)};
  const DenseArray& a = *part.file.array;
  File& file = *part.file.file;
  if (!part.file.dense())
    file.fail(ErrorCode::unsupported, "it is not an array file; save the keys as .npy");
  const int rank = a.shape.rank() - (a.text != 0 ? 1 : 0);
  if (rank != 1 || a.shape[0] != rows) {
    Dims shape;
    for (int d = 0; d < rank; ++d) shape.push_back(a.shape[d]);
    file.fail(ErrorCode::shape_mismatch,
              "the keys have shape " + to_string(shape) + ", but " + std::to_string(rows) +
                  " keys are needed, one for each element along the first axis");
  }
  if (is_floating(a.dtype)) {
    file.fail(ErrorCode::unsupported, std::string("the keys are ") + name_of(a.dtype) +
                                          "; only integers, bools and text can be keys");
  }
  part.width = a.text != 0 ? static_cast<Size>(a.shape[1]) : bytes_of(a.dtype);
  if (part.width > longest_key) {
    file.fail(ErrorCode::unsupported, "each key takes " + std::to_string(part.width) +
                                          " bytes, but at most " + std::to_string(longest_key) +
                                          " are allowed; use shorter keys");
  }
  visit(a.dtype, [&]<class T>() { part.append = &append_key<T>; });
  if (a.text != 0) part.append = a.text == 'U' ? &append_code_points : &append_bytes;
  return part;
}

// The places of all groups, sorted by key.
std::vector<KeyedStates::GroupIndex> in_order(const KeyedStates& states) {
  struct PlaceByHead {
    uint64_t head;  // the first 8 bytes of the key
    KeyedStates::GroupIndex place;
  };
  std::vector<PlaceByHead> list;
  for (const auto& place : states.places()) {
    const std::string_view key = states.key_of(place);
    const unsigned missing = key.size() < 8 ? 8 * (8 - static_cast<unsigned>(key.size())) : 0;
    list.push_back({bits_of_key(key.substr(0, 8)) << (missing & 63), place});
  }
  std::sort(list.begin(), list.end(), [&](const PlaceByHead& a, const PlaceByHead& b) {
    return a.head != b.head ? a.head < b.head : states.key_of(a.place) < states.key_of(b.place);
  });
  std::vector<KeyedStates::GroupIndex> places;
  for (const PlaceByHead& o : list) places.push_back(o.place);
  return places;
}

class ArrayGroups {
 public:
  ArrayGroups(const Plan& plan, Size columns, std::vector<KeyArray>& keys, const Limits& limits)
      : plan_(plan),
        columns_(columns),
        keys_(keys),
        limits_(limits),
        threads_(plan.threads > 0 ? plan.threads : default_threads()),
        states_(plan, columns, threads_) {
    // Reads keys in pieces of at most 8 MiB.
    Size width = 1;
    for (const KeyArray& p : keys) width += p.width;
    most_rows_ = std::max<Size>((Size{8} << 20) / width, 1);
  }

  void fold(const OpenFile& values, Meter& meter) {
    const File::Use use(*values.file);
    const Source source(*values.file, *values.array);
    const auto stream = dense_stream(source, meter);
    const Size row_bytes = columns_ * bytes_of(plan_.dtype);
    std::vector<std::byte> waiting;
    for (bool more = true; more || waiting.size() >= row_bytes;) {
      // Reads on until there are enough rows for every thread.
      while (more && waiting.size() < rows_at_once * row_bytes * static_cast<Size>(threads_)) {
        more = stream->next(waiting);
      }
      const Size n = std::min(waiting.size() / row_bytes, most_rows_);
      if (n == 0) break;
      for (KeyArray& p : keys_) {
        while (p.waiting.size() < n * p.width && p.stream->next(p.waiting)) {
        }
        if (p.waiting.size() >= n * p.width) continue;
        p.file.file->fail(ErrorCode::truncated,
                          "it ends early: it has fewer keys than the first axis has elements");
      }
      add(waiting.data(), n);
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(n * row_bytes));
      for (KeyArray& p : keys_) {
        p.waiting.erase(p.waiting.begin(),
                        p.waiting.begin() + static_cast<std::ptrdiff_t>(n * p.width));
      }
      states_.check_memory(*values.file, limits_);
    }
  }

  // Ends the folding; `peers` may be null.
  void meet(Peers* peers) {
    states_.settle();
    if (peers != nullptr) states_.meet(*peers);
  }

  void finish(Grouped& grouped) const {
    const std::vector<KeyedStates::GroupIndex> places = in_order(states_);
    std::vector<Size> all(columns_);
    std::iota(all.begin(), all.end(), Size{0});
    grouped.answers = states_.answers(places, all);
    grouped.keys.reserve(places.size());
    for (const auto& place : places) {
      std::string_view key = states_.key_of(place);
      std::vector<std::string> parts;
      for (const KeyArray& p : keys_) {
        parts.push_back(p.text_of(key.substr(0, p.width)));
        key.remove_prefix(p.width);
      }
      grouped.keys.push_back(join_key(parts));
    }
  }

 private:
  static constexpr Size rows_at_once = Size{1} << 14;

  void add(const std::byte* values, Size n) {
    const Size row_bytes = columns_ * bytes_of(plan_.dtype);
    parallel((n + rows_at_once - 1) / rows_at_once, threads_, [&](std::size_t piece) {
      const Size first = piece * rows_at_once, count = std::min(rows_at_once, n - first);
      states_.add({count, values + first * row_bytes, columns_, 1},
                  [&](Size row, std::string& key) {
                    for (const KeyArray& p : keys_) {
                      p.append(p.waiting.data() + (first + row) * p.width, p.width, key);
                    }
                  });
    });
  }

  const Plan& plan_;
  Size columns_;
  std::vector<KeyArray>& keys_;
  const Limits& limits_;
  int threads_;
  KeyedStates states_;
  Size most_rows_ = 1;
};

// The arrays that are folded, and the arrays of keys, all open.
struct FileArrays {
  OpenFiles values;
  std::vector<KeyArray> keys = {};
  Dims shape = {};
  std::vector<std::string> by = {}, columns = {};  // names for the answers
};

FileArrays open_arrays(const Query& query, const std::vector<std::string>& files,
                       const InputOptions& input) {
  InputOptions values = input;
  values.by.clear();
  FileArrays o{.values = open_files(query, files, values)};
  for (const OpenFile& f : o.values.x) {
    if (!f.dense()) {
      f.file->fail(ErrorCode::unsupported,
                   "it is not an array file, but the keys are in .npy files; save it as .npy, or "
                   "name a table's columns with --by");
    }
    const int rank = f.array->shape.rank();
    if (rank < 1 || rank > 2 || f.array->fortran) {
      f.file->fail(
          ErrorCode::unsupported,
          "its shape is " + to_string(f.array->shape) +
              (f.array->fortran ? " in Fortran order" : "") +
              "; only arrays with one axis, or with two in C order, can be grouped by keys");
    }
  }
  o.shape = array_of(o.values.x).shape;
  for (const auto& [path, quoted] : words_of_list(input.by)) {
    o.keys.push_back(open_part(path, o.shape[0], input));
    o.by.push_back(stem_of(path));
  }
  const Size columns = o.shape.rank() == 1 ? 1 : static_cast<Size>(o.shape[1]);
  for (Size c = 0; c < columns; ++c) {
    o.columns.push_back(o.shape.rank() == 1 ? stem_of(files[0]) : std::to_string(c));
  }
  return o;
}

// Restricts all arrays to the rows of a share. If the arrays can only be read from the start, the
// first share has all rows.
void take_rows(FileArrays& o, const Share& share) {
  const auto apart = [](const KeyArray& p) { return has_rows_apart(p.file); };
  const bool cut = std::all_of(o.values.x.begin(), o.values.x.end(), has_rows_apart) &&
                   std::all_of(o.keys.begin(), o.keys.end(), apart);
  if (!cut && share.index == 0) return;
  const auto rows = static_cast<Size>(o.shape[0]);
  const Size begin = cut ? share.begin(rows) : 0, end = cut ? share.end(rows) : 0;
  for (KeyArray& p : o.keys) keep_rows(p.file, begin, end);
  Size at = 0;
  std::vector<OpenFile> mine;
  for (OpenFile& f : o.values.x) {
    const auto here = static_cast<Size>(f.array->shape[0]);
    const Size low = std::clamp(begin, at, at + here) - at,
               high = std::clamp(end, at, at + here) - at;
    at += here;
    if (low == high) continue;
    keep_rows(f, low, high);
    mine.push_back(std::move(f));
  }
  o.values.x = std::move(mine);
}

}  // namespace

bool names_arrays(const std::string& by) {
  const std::vector<ListWord> words = words_of_list(by);
  return std::all_of(words.begin(), words.end(), [](const ListWord& word) {
    const std::string& p = word.text;
    return p.ends_with(".npy") || p.find(".npz:") != p.npos || p.ends_with(".npz") ||
           (p.ends_with(")]") && p.find(':') != p.npos);
  });
}

FilePlan plan_group_arrays(const Query& query, const std::vector<std::string>& files,
                           const InputOptions& input) {
  const FileArrays o = open_arrays(query, files, input);
  FilePlan how;
  how.files = files;
  how.shape = o.shape;
  how.by = o.by;
  how.columns = o.columns;
  how.plan = group_plan(query, o.values.dtype());
  how.format = o.values.x[0].format_name();
  how.dtype = o.values.dtype();
  how.access = "stream";
  how.bytes = o.values.bytes();
  how.window_bytes = Limits().window_bytes;
  return how;
}

Grouped group_arrays(const Query& query, const std::vector<std::string>& files,
                     const InputOptions& input, const Progress& progress, const Limits& limits) {
  const Progress silent;
  Meter unseen(silent, 0);
  FileArrays o = open_arrays(query, files, input);
  const Plan plan = group_plan(query, o.values.dtype());
  if (input.peers != nullptr) take_rows(o, share_of(input.peers));
  for (KeyArray& p : o.keys) {
    p.source = std::make_unique<Source>(*p.file.file, *p.file.array);
    p.stream = dense_stream(*p.source, unseen);
  }
  Grouped grouped{.by = o.by, .columns = o.columns, .keys = {}, .answers = {}};
  Meter meter(progress, o.values.x.empty() ? 0 : o.values.bytes());
  for (const KeyArray& p : o.keys) {
    const DenseArray& a = *p.file.array;
    grouped.types.push_back(a.text != 0 ? std::nullopt : std::optional(a.dtype));
    grouped.stored = grouped.types;
  }
  ArrayGroups fold(plan, o.columns.size(), o.keys, limits);
  for (const OpenFile& f : o.values.x) {
    if (!o.columns.empty()) fold.fold(f, meter);
  }
  fold.meet(input.peers);
  fold.finish(grouped);
  o.values.check_end();
  for (const KeyArray& p : o.keys) p.file.file->check_end();
  return grouped;
}

}  // namespace onefold::io
