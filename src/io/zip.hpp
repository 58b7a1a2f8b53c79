// Members of zip archives; an .npz file is one.
//
//   methods   stored: read directly, and verified if the whole member is read; deflate: unpacked as
//             a stream and verified
//   refused   encryption, other methods, archives in parts, pipes
//   source    PKWARE APPNOTE 6.3; our own code, since libzip does not tell the offset of a stored
//             member
#pragma once

#include <string>
#include <vector>

#include "io/file.hpp"

namespace onefold::io {

struct ZipMember {
  std::string name;
  uint64_t header = 0;  // where its own header stands
  uint64_t packed = 0, size = 0;
  uint32_t crc = 0;
  unsigned method = 0, flags = 0;
};

bool is_zip(File& file);
// throws bad_header, unsupported, needs_seek
std::vector<ZipMember> read_zip(const File& file);
// Restricts the file to this member.
void open_member(File& file, const ZipMember& member);

// "a.npz:x" as "a.npz" and "x": where there is no file of the whole name.
struct MemberPath {
  std::string file, member;
};
MemberPath split_member(const std::string& path);

// The .npy member of this name, with or without its ending; the only one if there is no name.
//   throws  bad_option, which lists them
const ZipMember& choose_member(const File& file, const std::vector<ZipMember>& members,
                               const std::string& name);

}  // namespace onefold::io
