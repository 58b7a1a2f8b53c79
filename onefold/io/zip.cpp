#include "onefold/io/zip.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/engine/plan/nearest.hpp"
#include "onefold/io/codec.hpp"
#include "onefold/system/file.hpp"

namespace onefold::io {
namespace {

// Longer directories are refused; 64 MiB hold half a million members.
constexpr uint64_t longest_directory = uint64_t{64} << 20;

uint64_t number_at(const unsigned char* p, int bytes) {
  uint64_t n = 0;
  for (int i = bytes - 1; i >= 0; --i) n = n << 8 | p[i];
  return n;
}

[[noreturn]] void damaged(const File& file, const char* what) {
  file.fail(ErrorCode::bad_header, std::string("the zip archive is damaged: ") + what);
}

struct Directory {
  uint64_t offset = 0, bytes = 0, members = 0;
};

// Finds the directory by the record at the file's end. A comment of up to 64 KiB may follow the
// record.
Directory find_directory(const File& file) {
  constexpr std::size_t record = 22, locator = 20;
  const auto n =
      static_cast<std::size_t>(std::min<uint64_t>(file.size(), record + locator + 0xffff));
  std::vector<unsigned char> tail(n);
  file.read_at(file.size() - n, tail.data(), n);
  for (std::size_t at = n < record ? 0 : n - record + 1; at-- > 0;) {
    const unsigned char* p = tail.data() + at;
    if (std::memcmp(p, "PK\5\6", 4) != 0) continue;
    if (number_at(p + 4, 2) != number_at(p + 6, 2)) {
      file.fail(ErrorCode::unsupported, "the zip archive is split into several parts");
    }
    Directory d{number_at(p + 16, 4), number_at(p + 12, 4), number_at(p + 10, 2)};
    const bool wide = d.offset == 0xffffffff || d.bytes == 0xffffffff || d.members == 0xffff;
    if (wide && at >= locator && std::memcmp(p - locator, "PK\6\7", 4) == 0) {
      const uint64_t where = number_at(p - locator + 8, 8);
      unsigned char end[56];
      if (file.size() < sizeof end || where > file.size() - sizeof end) {
        damaged(file, "its end record points nowhere");
      }
      file.read_at(where, end, sizeof end);
      if (std::memcmp(end, "PK\6\6", 4) != 0) damaged(file, "its end record points nowhere");
      d = {number_at(end + 48, 8), number_at(end + 40, 8), number_at(end + 32, 8)};
    }
    if (d.bytes > file.size() || d.offset > file.size() - d.bytes) {
      damaged(file, "its directory is beyond its end");
    }
    if (d.bytes > longest_directory) {
      file.fail(ErrorCode::unsupported, "the directory of the zip archive is larger than 64 MiB");
    }
    return d;
  }
  file.fail(ErrorCode::truncated, "the zip archive has no end record; the file is cut short");
}

// Sizes that need more than 32 bits are in an extra field, which has only those sizes whose normal
// field is all ones.
void widen(ZipMember& m, const unsigned char* extra, std::size_t n) {
  for (std::size_t at = 0; at + 4 <= n;) {
    const uint64_t id = number_at(extra + at, 2), bytes = number_at(extra + at + 2, 2);
    at += 4;
    if (bytes > n - at) return;
    std::size_t from = at;
    const auto take = [&](uint64_t& value) {
      if (value != 0xffffffff || from + 8 > at + bytes) return;
      value = number_at(extra + from, 8);
      from += 8;
    };
    if (id == 1) {
      take(m.size);
      take(m.packed);
      take(m.header);
    }
    at += static_cast<std::size_t>(bytes);
  }
}

std::string without_npy(const std::string& name) {
  return name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
}

// Whether a member's name is that of a text about the others, such as README.txt.
bool is_about_others(const std::string& name) {
  std::string base = name.substr(name.rfind('/') + 1);
  for (char& c : base) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  constexpr std::string_view begins[] = {"readme", "license", "licence", "copying", "changelog"};
  constexpr std::string_view ends[] = {".md", ".pdf", ".html", ".rst"};
  return std::ranges::any_of(begins, [&](auto s) { return base.starts_with(s); }) ||
         std::ranges::any_of(ends, [&](auto s) { return base.ends_with(s); });
}

// Whether a member is a folder, or a file that macOS adds.
bool is_beside(const std::string& name) {
  return name.ends_with('/') || name.starts_with("__MACOSX/");
}

}  // namespace

bool is_zip(File& file) {
  const std::vector<std::byte> head = file.peek(4);
  return head.size() == 4 &&
         (std::memcmp(head.data(), "PK\3\4", 4) == 0 || std::memcmp(head.data(), "PK\5\6", 4) == 0);
}

std::vector<ZipMember> read_zip(const File& file) {
  if (!file.seekable()) {
    file.fail(ErrorCode::needs_seek,
              "a zip archive must be read from its end, which a pipe does not allow; use a file");
  }
  const Directory d = find_directory(file);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(d.bytes));
  file.read_at(d.offset, bytes.data(), bytes.size());
  std::vector<ZipMember> members;
  for (std::size_t at = 0; at < bytes.size() && members.size() < d.members;) {
    constexpr std::size_t fixed = 46;
    const unsigned char* p = bytes.data() + at;
    if (bytes.size() - at < fixed || std::memcmp(p, "PK\1\2", 4) != 0) {
      damaged(file, "its directory is invalid");
    }
    const auto name = static_cast<std::size_t>(number_at(p + 28, 2));
    const auto extra = static_cast<std::size_t>(number_at(p + 30, 2));
    const auto comment = static_cast<std::size_t>(number_at(p + 32, 2));
    if (bytes.size() - at - fixed < name + extra + comment) {
      damaged(file, "its directory is cut short");
    }
    ZipMember m{.name = std::string(reinterpret_cast<const char*>(p + fixed), name),
                .header = number_at(p + 42, 4),
                .packed = number_at(p + 20, 4),
                .size = number_at(p + 24, 4),
                .crc = static_cast<uint32_t>(number_at(p + 16, 4)),
                .method = static_cast<unsigned>(number_at(p + 10, 2)),
                .flags = static_cast<unsigned>(number_at(p + 8, 2))};
    widen(m, p + fixed + name, extra);
    members.push_back(std::move(m));
    at += fixed + name + extra + comment;
  }
  return members;
}

void open_member(File& file, const ZipMember& m) {
  constexpr std::size_t fixed = 30;
  unsigned char head[fixed];
  if (m.header > file.size() || file.size() - m.header < fixed) {
    damaged(file, "a member is beyond its end");
  }
  file.read_at(m.header, head, fixed);
  if (std::memcmp(head, "PK\3\4", 4) != 0)
    damaged(file, "the directory gives a wrong position for a member");
  const uint64_t data = m.header + fixed + number_at(head + 26, 2) + number_at(head + 28, 2);
  if (data > file.size() || m.packed > file.size() - data) {
    damaged(file, "a member extends past its end");
  }
  if ((m.flags & 1) != 0) file.fail(ErrorCode::unsupported, "it is encrypted; decrypt it first");
  if (m.method == 0) {
    if (m.packed != m.size)
      damaged(file, "a member that is not compressed has two different sizes");
    file.narrow(data, m.size, m.crc);
    return;
  }
  if (m.method != 8) {
    file.fail(ErrorCode::unsupported,
              "it is packed by method " + std::to_string(m.method) +
                  "; only the methods 0 (stored) and 8 (deflate) are supported");
  }
  // Frames the member as gzip, which has the same checksum.
  std::string before("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10), after;
  for (const uint64_t n : {uint64_t{m.crc}, m.size & 0xffffffff}) {
    for (int k = 0; k < 4; ++k) after += static_cast<char>(n >> 8 * k & 0xff);
  }
  file.narrow(data, m.packed);
  file.unpack(*find_codec_by_name("x.gz"), before, after);
}

MemberPath split_member(const std::string& path) {
  if (system::exists(path)) return {path, ""};
  for (const std::string_view ending : {".npz:", ".zip:"}) {
    const std::size_t at = path.find(ending);
    if (at == path.npos) continue;
    std::string member = path.substr(at + ending.size());
    if (member.starts_with('/')) member.erase(0, 1);
    return {path.substr(0, at + ending.size() - 1), member};
  }
  return {path, ""};
}

std::vector<std::string> files_in(const std::vector<ZipMember>& members) {
  std::vector<std::string> names;
  for (const ZipMember& m : members) {
    if (!is_beside(m.name)) names.push_back(m.name);
  }
  return names;
}

const ZipMember* only_file(const std::vector<ZipMember>& members) {
  const auto only = [&](const auto& counts) -> const ZipMember* {
    const auto found = std::ranges::find_if(members, counts);
    const bool single = std::ranges::count_if(members, counts) == 1;
    return single ? &*found : nullptr;
  };
  const auto is_file = [](const ZipMember& m) { return !is_beside(m.name); };
  const auto is_data = [&](const ZipMember& m) { return is_file(m) && !is_about_others(m.name); };
  const ZipMember* const file = only(is_file);
  return file != nullptr ? file : only(is_data);
}

const ZipMember& choose_member(const File& file, const std::vector<ZipMember>& members,
                               const std::string& name, bool arrays) {
  if (name.empty() && !arrays) {
    if (const ZipMember* const only = only_file(members)) return *only;
  }
  std::vector<std::string> known;
  const ZipMember* chosen = nullptr;
  for (const ZipMember& m : members) {
    if (arrays ? !m.name.ends_with(".npy") : is_beside(m.name)) continue;
    known.push_back(arrays ? without_npy(m.name) : m.name);
    if (m.name == name || known.back() == name || name.empty()) chosen = &m;
  }
  if (chosen != nullptr && (!name.empty() || known.size() == 1)) return *chosen;
  std::string list;
  for (std::size_t k = 0; k < std::min<std::size_t>(known.size(), 20); ++k) {
    list += (k == 0 ? "" : ", ") + known[k];
  }
  if (known.size() > 20) list += ", ...";
  const std::string what = arrays ? "array" : "file";
  if (known.empty()) {
    file.fail(ErrorCode::unsupported,
              std::string("the zip archive has no ") + (arrays ? ".npy member" : "file"));
  }
  if (name.empty()) {
    file.fail(ErrorCode::bad_option, "it holds " + std::to_string(known.size()) + " " + what +
                                         "s: " + list + "; name one as " + file.name() + ":" +
                                         known[0]);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  file.fail(ErrorCode::bad_option, "it has no " + what + " of that name" +
                                       did_you_mean(name, names) + "; it holds " + list);
}

}  // namespace onefold::io
