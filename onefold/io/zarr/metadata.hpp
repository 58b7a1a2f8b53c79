// Reads the metadata of an array: .zarray (version 2) and zarr.json (version 3).
//
//   types    bool, integers of 1 to 8 bytes, f16, bf16 (version 3), f32, f64, both byte orders
//   codecs   bytes, transpose (C and F order), gzip, zlib, zstd, bz2, lzma (.xz), blosc, crc32c,
//            also called numcodecs.zlib and so on
//   filters  delta, shuffle, fixedscaleoffset (onefold/io/zarr/filters.hpp), and bitround and
//            quantize, which nothing undoes; in version 3 numcodecs.delta and so on
//   shards   sharding_indexed, not nested, as the only codec of an array
//   refused  other filters, structures, strings, complex numbers and dates, by their names
//   packed   _FillValue, missing_value, scale_factor and add_offset are applied
//            (onefold/io/cf.hpp);
//            numbers of JSON are i64, u64 or f64. As for xarray, an array of version 2 that it has
//            written (_ARRAY_DIMENSIONS) has its fill value for _FillValue
//   source   zarr-specs, versions 2 and 3.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "onefold/io/cf.hpp"
#include "onefold/io/file.hpp"
#include "onefold/io/input.hpp"
#include "onefold/io/zarr/filters.hpp"

namespace onefold::io::zarr {

struct Metadata {
  bool group = false;  // no array: other members are not set
  DType dtype = DType::f64;
  bool swapped = false;  // big-endian
  Dims shape = {}, chunk = {};
  std::vector<int> order = {};           // the order of a chunk's axes as stored, the slowest first
  std::vector<std::string> codecs = {};  // codecs of bytes, in the order in which they were applied
  std::vector<Filter> filters = {};      // applied before the codecs
  Dims shard = {};                       // rank 0: none; otherwise shards hold the chunks
  bool index_first = false, index_checked = false;  // for a shard's index
  std::string prefix = {}, separator = {};  // "c" "/": chunk (1, 2) is c/1/2; without prefix "1.2"
  uint64_t fill = 0;                        // the fill value's bits
  bool has_fill = false;
  std::vector<std::string> dimensions = {};  // their names; empty: they have none
  std::map<std::string, CfAttribute> attributes =
      {};  // those that onefold/io/cf.hpp reads, units and calendar
};

// The longest document that is parsed.
constexpr std::size_t longest_document = std::size_t{1} << 20;

//   text    the contents of `file`, which is named in errors
//   attributes  of version 2, the contents of .zattrs; empty: there are none
//   throws  bad_header, unsupported
Metadata parse(const File& file, const std::string& text, const std::string& attributes = "");

}  // namespace onefold::io::zarr
