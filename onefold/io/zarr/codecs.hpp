// Unpacks chunks: undoes their codecs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace onefold::io::zarr {

// Returns the bytes before `codec` packed them, at most `most`. Any thread may call it.
//   throws  std::string: no library, damaged data, or more than `most`
std::vector<std::byte> unpacked(const std::string& codec, std::vector<std::byte> bytes,
                                std::size_t most);

// Returns why libblosc cannot be used, and what to install; empty: it can.
std::string why_no_blosc();

}  // namespace onefold::io::zarr
