// Run-time compilation of CUDA C++ by NVRTC, which is loaded when first needed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/system/jit/loaded.hpp"

namespace onefold::jit {

// A header that kernels may include as `name`. The build embeds the headers of onefold.
struct Header {
  const char* name;
  const char* text;
};
std::span<const Header> device_headers();
const char* device_headers_digest();

// NVRTC if it was found, or the reason why it cannot be used.
//   looked for  $ONEFOLD_NVRTC; then libnvrtc.so.13, .12, the toolkit's folder, and what pip has
//               put into the active virtual environment
class Nvrtc {
 public:
  static const Nvrtc& get();
  bool usable() const { return usable_; }
  const LibraryHandle& library() const { return library_; }
  int major() const { return major_; }
  int minor() const { return minor_; }
  std::string file() const { return library_.file_of("nvrtcVersion"); }

  // Returns a text of everything that the image of `source` depends on, except NVRTC itself:
  // instead, where the environment looks for NVRTC. Loading it only for this would take 10 ms.
  static std::string key_of(const std::string& source, std::string_view chip);
  static std::string asked_for();

  struct Result {
    std::vector<char> image;  // a cubin; empty: failed
    std::string log;
  };
  // Compiles `source` for a chip ("sm_90"), without contraction to fma, which exact sums forbid.
  Result compile(const std::string& source, std::string_view chip,
                 std::span<const Header> headers = device_headers(),
                 std::span<const std::string> more_options = {}) const;

  // Compiles to PTX instead of an image, with these options only. `kernel` names a kernel template
  // to instantiate; empty: none.
  struct Text {
    std::string ptx;  // empty: failed
    std::string log;
    std::string kernel;  // its mangled name; empty: no such kernel, or none asked for
  };
  Text to_ptx(const std::string& source, const std::string& file,
              std::span<const std::string> options, std::span<const Header> headers,
              const std::string& kernel) const;

 private:
  Nvrtc();
  LibraryHandle library_;
  bool usable_ = false;
  int major_ = 0, minor_ = 0;
};

}  // namespace onefold::jit
