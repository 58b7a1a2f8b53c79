// Unpacks chunks: undoes their codecs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace onefold::io::zarr {

// The bytes before `codec`, at most `most`; from any thread.
//   throws  std::string: no library, damaged data, or more than `most`
std::vector<std::byte> unpacked(const std::string& codec, std::vector<std::byte> bytes,
                                std::size_t most);

// Why libblosc cannot be used, and what to install; empty: it can.
std::string why_no_blosc();

}  // namespace onefold::io::zarr
