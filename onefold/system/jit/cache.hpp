// Compiled kernels kept on disk, so that the next process need not compile them again.
//
//   where     $ONEFOLD_CACHE, else $XDG_CACHE_HOME/onefold, else $HOME/.cache/onefold; if
//             ONEFOLD_CACHE is empty, nothing is kept
//   shipped   kernels that were compiled beforehand, in a folder that is only read. It is
//             $ONEFOLD_KERNELS (empty: none); without it, share/onefold/kernels in the folder of
//             the library or program, in the folder above it, or in the configured prefix: the
//             first of these that exists
//   file      one for each kernel, named by its key's hash; it has the whole key, to be compared.
//             If a slot is given, that names the file: a new key's image replaces the old one's
//   depends   an image may name files, such as the compiler's library and included headers; if the
//             kind, size or time of one has changed, the image is ignored. A file that was missing
//             must still be missing. So images can be checked without loading the compiler
//   trusted   only a folder and files that belong to this user or root and that nobody else can
//             write to; a file with a damaged byte is ignored
//   written   under another name, then renamed, so other processes see all of it or nothing. If a
//             file cannot be written (disk full, folder read-only), the next process compiles again
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onefold::jit {

class Cache {
 public:
  // ending: of its files' names, so that one folder can keep different things.
  static Cache from_environment(std::string ending = ".kernel");
  static Cache shipped();
  // folder: empty: keeps nothing. for_all: everybody may read the kept files.
  explicit Cache(std::string folder, bool for_all = false, std::string ending = ".kernel")
      : folder_(std::move(folder)), for_all_(for_all), ending_(std::move(ending)) {}

  const std::string& folder() const { return folder_; }
  bool trusted() const;
  std::size_t count() const;  // number of files with its ending
  std::optional<std::vector<char>> find(std::string_view key, std::string_view slot = {}) const;
  // Keeps an image that depends on `files`. False: it could not.
  bool keep(std::string_view key, const std::vector<char>& image,
            const std::vector<std::string>& files = {}, std::string_view slot = {}) const;

 private:
  std::string path_of(std::string_view name) const;
  std::string folder_;
  bool for_all_ = false;
  std::string ending_;
};

}  // namespace onefold::jit
