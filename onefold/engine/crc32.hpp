// CRC-32 (ISO-HDLC, as in zlib and PNG).
//
//   speed   64 bytes at a time if the processor can multiply without carries, which is quicker than
//           memory; otherwise 16
//   source  V. Gopal et al., Fast CRC computation for generic polynomials using PCLMULQDQ (Intel,
//           2009); M. Adler's zlib: the CRC of two pieces from theirs
#pragma once

#include <cstddef>
#include <cstdint>

namespace onefold {

// Returns the CRC of n bytes that follow bytes with the CRC `before`.
uint32_t crc32_of(const void* bytes, std::size_t n, uint32_t before = 0);
// Returns the CRC of two consecutive pieces from the CRC of each; the second piece has n bytes.
uint32_t crc32_of_both(uint32_t first, uint32_t second, uint64_t n);

}  // namespace onefold
