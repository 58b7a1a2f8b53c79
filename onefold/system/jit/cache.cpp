#include "onefold/system/jit/cache.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "onefold/system/environment.hpp"
#include "onefold/system/file.hpp"
#include "onefold/system/jit/loaded.hpp"
#include "onefold/system/new_file.hpp"

namespace onefold::jit {
namespace {

using Kind = system::FileFacts::Kind;

// A hash for names, and to detect damage. It does not protect against malice, but the check of
// ownership does. It is FNV-1a on words of 8 bytes: an image of 100 KB takes 0.02 ms instead of
// 0.1. The shift keeps bits that the multiplication would drop at the top.
uint64_t hash(std::string_view bytes) {
  uint64_t h = 0xcbf29ce484222325u ^ bytes.size();
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(8, bytes.size()))) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  return h;
}

// Returns files with their sizes and times, as they are now.
std::string versions_of(const std::vector<std::string>& files) {
  std::string all;
  for (const std::string& path : files) {
    const system::FileFacts f = system::facts_of(path);
    char version[80];
    std::snprintf(version, sizeof version, "%d %llu %lld %lld", static_cast<int>(f.kind),
                  static_cast<unsigned long long>(f.bytes), static_cast<long long>(f.seconds),
                  static_cast<long long>(f.nanoseconds));
    all.append(path).push_back('\0');
    all.append(version).push_back('\0');
  }
  return all;
}

bool are_unchanged(const std::string& versions) {
  std::vector<std::string> files;
  for (std::size_t at = 0, k = 0; at < versions.size(); ++k) {
    const std::size_t end = versions.find('\0', at);
    if (end == versions.npos) return false;
    if (k % 2 == 0) files.push_back(versions.substr(at, end - at));
    at = end + 1;
  }
  return versions_of(files) == versions;
}

// The beginning of a file; the key, the files with their versions and the image follow.
struct Header {
  char magic[8] = {'1', 'f', 'o', 'l', 'd', 'k', '\n', 4};
  uint64_t key_bytes = 0, files_bytes = 0, image_bytes = 0;
  uint64_t hash = 0;  // of files and image
};

struct File {
  int fd = -1;
  explicit File(int descriptor) : fd(descriptor) {}
  ~File() {
    if (fd >= 0) system::close_file(fd);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

bool read_all(int fd, void* to, std::size_t bytes) {
  for (auto* p = static_cast<char*>(to); bytes > 0;) {
    const std::ptrdiff_t n = system::read_some(fd, p, bytes);
    if (n <= 0) return false;
    p += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

constexpr uint64_t most_bytes = uint64_t{64} << 20, most_files_bytes = uint64_t{4} << 20;

}  // namespace

Cache Cache::from_environment(std::string ending) {
  const auto in = [&](std::string folder) { return Cache(std::move(folder), false, ending); };
  if (const char* own = system::environment("ONEFOLD_CACHE")) return in(own);
  const char* base = system::environment("XDG_CACHE_HOME");
  if (base != nullptr && *base == '/') return in(std::string(base) + "/onefold");
  const char* home = system::environment("HOME");
  if (home != nullptr && *home == '/') return in(std::string(home) + "/.cache/onefold");
  return in("");
}

Cache Cache::shipped() {
  if (const char* own = system::environment("ONEFOLD_KERNELS")) return Cache(own);
  const std::string here = folder_of_this_code(), inside = "/share/onefold/kernels";
  for (const std::string& folder :
       {here + inside, here + "/.." + inside, std::string(ONEFOLD_INSTALLED_KERNELS)}) {
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored)) {
      return Cache(std::filesystem::path(folder).lexically_normal().string());
    }
  }
  return Cache("");
}

bool Cache::trusted() const {
  const system::FileFacts f = system::facts_of(folder_);
  return f.kind == Kind::folder && f.trusted;
}

std::size_t Cache::count() const {
  std::error_code ignored;
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    n += entry.path().extension() == ending_;
  }
  return n;
}

std::string Cache::path_of(std::string_view name) const {
  char number[32];
  std::snprintf(number, sizeof number, "/%016llx", static_cast<unsigned long long>(hash(name)));
  return folder_ + number + ending_;
}

std::optional<std::vector<char>> Cache::find(std::string_view key, std::string_view slot) const {
  if (folder_.empty() || !trusted()) return {};
  const File file(
      system::open_to_read(path_of(slot.empty() ? key : slot), system::Opening::no_link));
  if (file.fd < 0) return {};
  const system::FileFacts facts = system::facts_of(file.fd);
  if (facts.kind != Kind::regular || !facts.trusted) return {};
  Header h;
  const Header expected;
  if (!read_all(file.fd, &h, sizeof h) || std::memcmp(h.magic, expected.magic, 8) != 0) return {};
  if (h.key_bytes != key.size() || h.image_bytes > most_bytes || h.image_bytes == 0) return {};
  if (h.files_bytes > most_files_bytes) return {};
  if (facts.bytes != sizeof h + h.key_bytes + h.files_bytes + h.image_bytes) return {};
  std::vector<char> its_key(h.key_bytes), image(h.image_bytes);
  std::string files(h.files_bytes, '\0');
  if (!read_all(file.fd, its_key.data(), its_key.size()) ||
      std::memcmp(its_key.data(), key.data(), key.size()) != 0 ||
      !read_all(file.fd, files.data(), files.size()) ||
      !read_all(file.fd, image.data(), image.size()) ||
      hash(files) + hash({image.data(), image.size()}) != h.hash || !are_unchanged(files)) {
    return {};
  }
  return image;
}

bool Cache::keep(std::string_view key, const std::vector<char>& image,
                 const std::vector<std::string>& files, std::string_view slot) const {
  if (folder_.empty()) return false;
  std::error_code ignored;
  std::filesystem::path folder(folder_);
  if (!folder.has_filename()) folder = folder.parent_path();  // "kernels/"
  if (!std::filesystem::exists(folder, ignored)) {
    std::filesystem::create_directories(folder.parent_path(), ignored);
    system::make_folder(folder.string(), for_all_);
  }
  if (!trusted()) return false;
  const std::string versions = versions_of(files);
  Header h;
  h.key_bytes = key.size();
  h.files_bytes = versions.size();
  h.image_bytes = image.size();
  h.hash = hash(versions) + hash({image.data(), image.size()});
  const std::string_view parts[] = {
      {reinterpret_cast<const char*>(&h), sizeof h}, key, versions, {image.data(), image.size()}};
  return system::replace_file(path_of(slot.empty() ? key : slot), parts, for_all_);
}

}  // namespace onefold::jit
