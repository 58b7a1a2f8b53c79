#include "onefold/io/hdf5/library.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "onefold/system/jit/loaded.hpp"
#include "onefold/system/process.hpp"

namespace onefold::io::hdf5 {
namespace {

// The library's names on Debian and elsewhere, with the number of its interface.
const std::vector<std::string>& names() {
  static const std::vector<std::string> list = {
      "libhdf5_serial.so.103", "libhdf5.so.103",        "libhdf5_serial.so.310",
      "libhdf5.so.310",        "libhdf5_serial.so.320", "libhdf5.so.320",
      "libhdf5.so.200",        "libhdf5_serial.so",     "libhdf5.so"};
  return list;
}

// The fields of an error's struct that are read; the real struct is longer.
struct StackEntry {
  Id class_id, major, minor;
  unsigned line;
  const char *function, *file, *text;
};

Result take_first(unsigned, const void* entry, void* context) {
  auto& text = *static_cast<std::string*>(context);
  const char* const said = static_cast<const StackEntry*>(entry)->text;
  if (said != nullptr && *said != 0) text = said;
  return 1;  // 1 ends the iteration
}

Library load() {
  Library l;
  const jit::LibraryHandle loaded = jit::load(names());
  if (!loaded) {
    l.why = "libhdf5 was not found; install libhdf5-103-1 (Debian), libhdf5 or hdf5";
    return l;
  }
  std::string missing;
  const auto find = [&](auto*& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(loaded.find(name));
    if (function == nullptr && missing.empty()) missing = name;
  };
#define X(result, name, ...) find(l.name, #name);
  ONEFOLD_HDF5(X)
#undef X
  for (const char* name : {"H5Literate", "H5Literate2"}) {
    if (l.iterate == nullptr) {
      l.iterate = reinterpret_cast<decltype(l.iterate)>(loaded.find(name));
    }
  }
  l.chunk_size = reinterpret_cast<decltype(l.chunk_size)>(loaded.find("H5Dget_chunk_storage_size"));
  l.chunk_count = reinterpret_cast<decltype(l.chunk_count)>(loaded.find("H5Dget_num_chunks"));
  l.read_chunk = reinterpret_cast<decltype(l.read_chunk)>(loaded.find("H5Dread_chunk"));
  l.dereference = reinterpret_cast<decltype(l.dereference)>(loaded.find("H5Rdereference2"));
  l.close_object = reinterpret_cast<decltype(l.close_object)>(loaded.find("H5Oclose"));
  l.name_of = reinterpret_cast<decltype(l.name_of)>(loaded.find("H5Iget_name"));
  if (l.iterate == nullptr) missing = "H5Literate";
  unsigned major = 0, minor = 0, release = 0;
  // libhdf5's exit handler has no use for readers, and after a damaged file it prints a message
  // about a loop.
  if (missing.empty()) l.H5dont_atexit();
  if (missing.empty() && (l.H5open() < 0 || l.H5get_libversion(&major, &minor, &release) < 0)) {
    l.why = loaded.name + " cannot be initialised";
    return l;
  }
  l.version = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
  if (missing.empty() && (major < 1 || (major == 1 && minor < 10))) {
    l.why = loaded.name + " is version " + std::to_string(major) + "." + std::to_string(minor) +
            "; 1.10 or later is needed";
    return l;
  }
  const auto value = [&](const char* name) -> Id {
    const auto* const at = static_cast<const Id*>(loaded.find(name));
    if (at == nullptr && missing.empty()) missing = name;
    return at == nullptr ? -1 : *at;
  };
  const char* const integers[2][4] = {
      {"H5T_NATIVE_INT8_g", "H5T_NATIVE_INT16_g", "H5T_NATIVE_INT32_g", "H5T_NATIVE_INT64_g"},
      {"H5T_NATIVE_UINT8_g", "H5T_NATIVE_UINT16_g", "H5T_NATIVE_UINT32_g", "H5T_NATIVE_UINT64_g"}};
  for (int k = 0; k < 4; ++k) {
    l.signed_integer[k] = value(integers[0][k]);
    l.unsigned_integer[k] = value(integers[1][k]);
  }
  l.f32 = value("H5T_NATIVE_FLOAT_g");
  l.f64 = value("H5T_NATIVE_DOUBLE_g");
  l.text = value("H5T_C_S1_g");
  l.dataset_access = value("H5P_CLS_DATASET_ACCESS_ID_g");
  if (!missing.empty()) l.why = loaded.name + " has no " + missing;
  return l;
}

// A fork waits until no thread is within libhdf5. The child gets a new mutex, since it could not
// unlock one that a thread of its parent has locked.
std::recursive_mutex mutex;
[[maybe_unused]] const bool waited_for = system::at_fork(
    [] { mutex.lock(); }, [] { mutex.unlock(); }, [] { std::construct_at(&mutex); });

}  // namespace

const Library& library() {
  static const Library l = load();
  return l;
}

Session::Session() : lock_(mutex) {
  // In a thread-safe library each thread has an error stack, so each thread turns printing off.
  if (library().why.empty()) library().H5Eset_auto2(0, nullptr, nullptr);
}

std::string Session::reason() const {
  constexpr int innermost_first = 0;  // H5E_WALK_UPWARD
  std::string text;
  library().H5Ewalk2(0, innermost_first, take_first, &text);
  for (char& c : text) {
    if (c < ' ' || c > '~') c = ' ';
  }
  if (text.empty()) return "libhdf5 reported no reason";
  text.resize(std::min<std::size_t>(text.size(), 120));
  if (text.find("version") == text.npos) return text;
  return text + "; the installed libhdf5 " + library().version +
         " may be older than the one that wrote the file: install a newer one, or write the file "
         "with libver=(\"earliest\", \"v110\") (h5repack --high=2 does)";
}

Handle::~Handle() {
  if (id_ < 0 || close_ == nullptr) return;
  const Session session;
  close_(id_);
}

}  // namespace onefold::io::hdf5
