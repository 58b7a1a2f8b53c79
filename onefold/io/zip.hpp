// Reads members of zip archives: arrays of an .npz, texts and arrays of a .zip.
//
//   methods   stored: read directly, and verified if the whole member is read; deflate: unpacked as
//             a stream, and verified
//   refused   encryption, other methods, archives in parts, pipes
//   source    PKWARE APPNOTE 6.3; this is our own code, since libzip does not tell the offset of a
//             stored member
#pragma once

#include <string>
#include <vector>

#include "onefold/io/file.hpp"

namespace onefold::io {

struct ZipMember {
  std::string name;
  uint64_t header = 0;  // offset of the member's header
  uint64_t packed = 0, size = 0;
  uint32_t crc = 0;
  unsigned method = 0, flags = 0;
};

bool is_zip(File& file);
// throws bad_header, unsupported, needs_seek
std::vector<ZipMember> read_zip(const File& file);
// Restricts the file to this member.
void open_member(File& file, const ZipMember& member);

// Splits "a.npz:x" into "a.npz" and "x", and "a.zip:x.csv", if no file has the whole name.
struct MemberPath {
  std::string file, member;
};
MemberPath split_member(const std::string& path);

// Returns the names of the files in an archive, without its folders.
std::vector<std::string> files_in(const std::vector<ZipMember>& members);
// Returns the only file, or the only one beside texts about it, such as README.txt; null if there
// are more.
const ZipMember* only_file(const std::vector<ZipMember>& members);
// Returns the member of this name; without a name the only one.
//   arrays  of .npy members, whose names need no ending; else of all files
//   throws  bad_option, with a list of the members
const ZipMember& choose_member(const File& file, const std::vector<ZipMember>& members,
                               const std::string& name, bool arrays);

}  // namespace onefold::io
