// Describes input: options that say how to read it, and what a file's header says.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onefold/array.hpp"

namespace onefold {
class Peers;  // onefold/engine/request/peers.hpp
}
namespace onefold::io {

// Whether a table in a text has a header. `unsaid` means automatic, and does not make it a table.
enum class Header : uint8_t { unsaid, automatic, yes, no };

// The `index`-th of `of` equal shares of n things, such as elements: from begin to end.
struct Share {
  Size index = 0, of = 1;
  Size begin(Size n) const { return static_cast<Size>(static_cast<Uint128>(n) * index / of); }
  Size end(Size n) const { return Share{index + 1, of}.begin(n); }
};

// A column that a file's path spells, as year=2024/a.parquet does; the same value in each row.
struct PathColumn {
  static constexpr const char* null = "__HIVE_DEFAULT_PARTITION__";
  std::string name;
  std::optional<std::string> text = {};  // none: null
  bool number = false;
  double value = 0;  // of a number
};

// How elements that are complex numbers are read.
enum class Planes : uint8_t {
  none,      // they are refused
  both,      // as two real numbers, along one more axis, the last and fastest one
  real,      // as the number that is their real part
  imaginary  // as the number that is their imaginary part
};
// Drops the last axis, which has both parts of complex numbers.
inline Dims without_parts(const Dims& all) { return Dims(std::span(all.begin(), all.end() - 1)); }

class OpenedFiles;  // onefold/io/file.hpp
std::shared_ptr<OpenedFiles> no_files_yet();

// The options that say how to read the input.
struct InputOptions {
  std::string format = {};          // "npy", "raw", "text"; empty: by extension, then by content
  std::optional<DType> dtype = {};  // raw needs it; text: f64 unless given; npy must agree
  bool big_endian = false;          // raw
  std::optional<Dims> shape = {};   // raw: C order; one dimension by default
  uint64_t offset = 0;              // raw: bytes before the data
  // For states: the share of all files to gather.
  std::optional<Share> share = {};
  Peers* peers = nullptr;  // the ranks that fold together; null: there is only this process
  // Containers: the most bytes that one packed chunk may become; a third of the memory in use then.
  uint64_t most_chunk_bytes = uint64_t{16} << 20;

  // Texts: see onefold/io/table.hpp. Any of the options below, except `guess`, makes any text a
  // table. Find out whether a text is a table; if false, it is numbers unless another option says
  // "table".
  bool guess = false;
  Header header = Header::unsaid;
  std::string columns = {};           // "temp,2,5-8"; empty: all columns of numbers
  std::string by = {};                // columns of keys, like `columns`; empty: no groups
  std::string choose = {};            // --where: an expression, true for rows that count
  std::string let = {};               // "name = expression, ...": more columns
  std::vector<PathColumn> path = {};  // the columns of paths that some option names
  bool looks = false;                 // only the kinds of the columns are needed
  Planes planes = Planes::none;       // npy, HDF5
  bool labels = false;                // npy: also read text, as the bytes of a last axis
  bool counts = false;        // only numbers of values are needed, so columns of text count, too
  bool long_initial = false;  // --initial has digits that its f64 cannot hold
  bool spells = false;  // only sums of decimals and counts are needed: Query::takes_any_digits
  char delimiter = 0;   // 0: found
  std::vector<std::string> members = {};  // JSON Lines: the columns; empty: found
  // Words for missing values, in addition to NA and similar ones.
  std::vector<std::string> missing = {};
  bool missing_is_nan =
      false;  // missing values count as NaN, as the policy says; else they are left out
  bool skip_bad_lines = false;
  char decimal = '.';
  char thousands = 0;               // 0: none
  bool loose = false;               // --numbers loose: signs of currency and percent around numbers
  bool others_are_missing = false;  // --non-numbers missing: fields that are no numbers are missing
  std::string date_format = {};     // "%d/%m/%Y", or by columns "sold=%d/%m/%Y; seen=epoch"
  Size skip = 0;                    // lines before the table
  char comment = 0;                 // lines that begin with it are left out; 0: none
  bool units = false;               // the line below the header has units
  bool unite = false;               // --union: columns that a file lacks are missing there
  // NaN is left out, of columns of integers; then any table is read as those of --where are.
  bool without_nan = false;
  bool rounds_long = false;  // long integers are rounded to f64, not folded once more
  // A chosen column that holds no numbers is left out, and no error; there may be no other.
  bool describes = false;
  // The files of this call, shared by all copies of its options.
  std::shared_ptr<OpenedFiles> opened = no_files_yet();
};

const char* complex_name(DType part);  // "complex128" of f64

class BoxReader;

// Where a dense array's elements are in its file, or the reader of its boxes.
struct DenseArray {
  DType dtype = DType::f64;
  Dims shape;
  bool fortran = false;          // the first axis is the fastest
  bool swapped = false;          // big-endian
  char text = 0;                 // S or U: the last axis has the bytes of NumPy's text of that kind
  Planes planes = Planes::none;  // of complex numbers; dtype is the type of a part
  bool open_ended = false;       // one dimension, up to the stream's end; its extent here is 0
  uint64_t offset = 0;           // bytes before the first element
  std::shared_ptr<const BoxReader> boxes = {};  // for containers: reads the elements, in C order
  std::string remark = {};  // a sentence for the user about how the elements are read
  friend bool operator==(const DenseArray&, const DenseArray&) = default;

  bool is_complex() const { return planes != Planes::none; }
  // Whether elements are one part of complex numbers, so that only every other number is read.
  bool is_part() const { return planes == Planes::real || planes == Planes::imaginary; }
  const char* type_name() const;  // "complex128"
  Dims elements() const;          // the shape, without the axis of both parts
};

}  // namespace onefold::io
