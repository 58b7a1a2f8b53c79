// Reads Zarr arrays on disk: a folder with metadata and a file for each chunk.
//
//   chunks    are read by several threads; a chunk without a file holds the fill value
//   memory    a chunk is unpacked whole, so its size has a limit
#pragma once

#include <string>

#include "onefold/io/boxes.hpp"
#include "onefold/io/file.hpp"
#include "onefold/io/zarr/metadata.hpp"

namespace onefold::io::zarr {

// Reads a folder's metadata, from its zarr.json, .zarray or .zgroup; nothing if none is there.
//   throws  as parse; read_failed
std::optional<Metadata> metadata_of(const File& file, const std::string& folder);

// Changes the type and the elements of an array as its attributes say (onefold/io/cf.hpp).
void decode(const File& file, const std::string& folder, const Metadata& metadata,
            DenseArray& array);

//   file    named in errors; must outlive the array
//   throws  unsupported: chunks too large to be unpacked; bad_header: more than 2^63 bytes
DenseArray array_in(const File& file, const std::string& folder, const Metadata& metadata,
                    const InputOptions& options);

}  // namespace onefold::io::zarr
