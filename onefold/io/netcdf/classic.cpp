#include "onefold/io/netcdf/classic.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/io/boxes.hpp"
#include "onefold/io/format.hpp"

namespace onefold::io::netcdf {
namespace {

constexpr uint64_t most_header_bytes = uint64_t{64} << 20;
constexpr uint32_t dimensions_tag = 10, variables_tag = 11, attributes_tag = 12;

struct Type {
  DType dtype;
  unsigned bytes;
  bool text;
};
// The types, by their numbers from 1 on.
constexpr Type types[] = {{DType::i8, 1, false},  {DType::u8, 1, true},   {DType::i16, 2, false},
                          {DType::i32, 4, false}, {DType::f32, 4, false}, {DType::f64, 8, false},
                          {DType::u8, 1, false},  {DType::u16, 2, false}, {DType::u32, 4, false},
                          {DType::i64, 8, false}, {DType::u64, 8, false}};

uint64_t padded(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

void swap_each(std::byte* bytes, std::size_t n, unsigned each) {
  for (std::size_t at = 0; each > 1 && at + each <= n; at += each) {
    std::reverse(bytes + at, bytes + at + each);
  }
}

class Header {
 public:
  explicit Header(const File& file) : file_(file) {}

  Classic run() {
    char magic[4];
    take(magic, sizeof magic);
    version_ = magic[3];
    const uint64_t records = count();
    const uint64_t unknown = version_ == 5 ? ~uint64_t{0} : 0xffffffff;
    read_dimensions();
    for (uint64_t n = list(attributes_tag, 12); n > 0; --n) static_cast<void>(attribute());
    for (uint64_t n = list(variables_tag, 28); n > 0; --n) header_.variables.push_back(variable());
    set_records(records == unknown ? std::nullopt : std::optional(records));
    return std::move(header_);
  }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    file_.fail(ErrorCode::bad_header, "the header of the NetCDF file is invalid: " + what);
  }

  void take(void* to, std::size_t n) {
    if (n > file_.size() - at_) {
      file_.fail(ErrorCode::truncated, "its header ends early; the file is cut short");
    }
    if (at_ + n > most_header_bytes) damaged("it has more than 64 MiB");
    // Reads piece by piece, since a header has thousands of words.
    auto* out = static_cast<char*>(to);
    while (n > 0) {
      if (at_ < first_ || at_ >= first_ + ahead_.size()) {
        first_ = at_;
        ahead_.resize(std::min<uint64_t>(file_.size() - at_, 1 << 16));
        file_.read_at(at_, ahead_.data(), ahead_.size());
      }
      const std::size_t some = std::min<std::size_t>(n, first_ + ahead_.size() - at_);
      std::memcpy(out, ahead_.data() + (at_ - first_), some);
      out += some;
      at_ += some;
      n -= some;
    }
  }
  uint64_t integer(unsigned bytes) {
    unsigned char raw[8];
    take(raw, bytes);
    uint64_t value = 0;
    for (unsigned k = 0; k < bytes; ++k) value = value << 8 | raw[k];
    return value;
  }
  uint64_t count() { return integer(version_ == 5 ? 8 : 4); }
  // Reads a list's length; each element takes at least so many bytes of the header.
  uint64_t list(uint64_t tag, uint64_t least_bytes) {
    const uint64_t found = integer(4), n = count();
    if (found == 0 && n == 0) return 0;
    if (found != tag) damaged("a list begins with " + std::to_string(found));
    if (n > (file_.size() - at_) / least_bytes) damaged("a list of " + std::to_string(n));
    return n;
  }
  std::string bytes(uint64_t n) {
    if (n > file_.size() - at_) damaged("a text of " + std::to_string(n) + " bytes");
    std::string text(static_cast<std::size_t>(n), '\0');
    take(text.data(), text.size());
    char padding[4];
    take(padding, static_cast<std::size_t>(padded(n) - n));
    return text;
  }
  std::string name() { return bytes(count()); }
  const Type& type() {
    const uint64_t number = integer(4);
    if (number < 1 || number > std::size(types)) damaged("type " + std::to_string(number));
    return types[number - 1];
  }

  void read_dimensions() {
    for (uint64_t n = list(dimensions_tag, 8); n > 0; --n) {
      names_.push_back(name());
      dimensions_.push_back(count());
    }
  }

  std::pair<std::string, CfAttribute> attribute() {
    std::pair<std::string, CfAttribute> a;
    a.first = name();
    const Type& t = type();
    const uint64_t n = count();
    if (n > file_.size() / t.bytes) damaged("an attribute of " + std::to_string(n) + " numbers");
    const std::string raw = bytes(n * t.bytes);
    if (t.text) {
      a.second.text = raw.substr(0, raw.find('\0'));
      return a;
    }
    a.second.dtype = t.dtype;
    a.second.numbers.resize(raw.size());
    if (!raw.empty()) std::memcpy(a.second.numbers.data(), raw.data(), raw.size());
    swap_each(a.second.numbers.data(), raw.size(), t.bytes);
    return a;
  }

  Variable variable() {
    Variable v;
    v.name = name();
    const uint64_t rank = count();
    if (rank > dimensions_.size() + 1024)
      damaged("a variable of " + std::to_string(rank) + " axes");
    for (uint64_t d = 0; d < rank; ++d) {
      const uint64_t id = count();
      if (id >= dimensions_.size()) damaged("dimension " + std::to_string(id));
      const uint64_t extent = dimensions_[id];
      if (extent == 0 && d > 0) damaged("records along an inner axis");
      if (extent > static_cast<uint64_t>(int64_max)) damaged("an extent of more than 2^63");
      v.records |= extent == 0;
      v.dimensions.push_back(names_[id]);
      if (d < static_cast<uint64_t>(max_rank)) v.shape.push_back(static_cast<int64_t>(extent));
    }
    for (uint64_t n = list(attributes_tag, 12); n > 0; --n) v.attributes.push_back(attribute());
    const Type& t = type();
    v.dtype = t.dtype;
    if (t.text) v.why = "text";
    if (rank > static_cast<uint64_t>(max_rank)) {
      v.why = "the array has " + std::to_string(rank) + " dimensions; at most 16 are possible";
    }
    static_cast<void>(count());  // skips the size in bytes, which may not fit its field
    v.begin = integer(version_ == 1 ? 4 : 8);
    return v;
  }

  // Returns the bytes of one slice.
  uint64_t slice_bytes(const Variable& v) const {
    Uint128 n = bytes_of(v.dtype);
    for (int d = v.records ? 1 : 0; d < v.shape.rank(); ++d) {
      n *= static_cast<uint64_t>(v.shape[d]);
      if (n > static_cast<uint64_t>(int64_max) / 2) damaged("a slice of more than 2^62 bytes");
    }
    return static_cast<uint64_t>(n);
  }

  void set_records(std::optional<uint64_t> records) {
    uint64_t alone = 0, n = 0, first = ~uint64_t{0};
    for (const Variable& v : header_.variables) {
      if (!v.records) continue;
      if (++n > 1 && header_.record_bytes > static_cast<uint64_t>(int64_max) / 2) {
        damaged("records of more than 2^62 bytes");
      }
      alone = slice_bytes(v);
      header_.record_bytes += padded(alone);
      first = std::min(first, v.begin);
    }
    // If there is only one record variable, its slices are contiguous.
    if (n == 1) header_.record_bytes = alone;
    if (!records) {
      const uint64_t left = file_.size() > first ? file_.size() - first : 0;
      records = header_.record_bytes == 0 ? 0 : left / header_.record_bytes;
    }
    if (*records > static_cast<uint64_t>(int64_max)) damaged("more than 2^63 records");
    for (Variable& v : header_.variables) {
      if (v.records && v.shape.rank() > 0) v.shape[0] = static_cast<int64_t>(*records);
    }
  }

  const File& file_;
  Classic header_;
  char version_ = 0;
  uint64_t at_ = 0, first_ = 0;
  std::vector<std::byte> ahead_;
  std::vector<uint64_t> dimensions_;
  std::vector<std::string> names_;  // of the dimensions
};

class Elements : public BoxReader {
 public:
  Elements(const File& file, const Variable& variable, uint64_t record_bytes)
      : file_(file), shape_(variable.shape), begin_(variable.begin) {
    each_ = bytes_of(variable.dtype);
    uint64_t bytes = each_;
    Dims one = shape_;
    apart_.resize(static_cast<std::size_t>(shape_.rank()));
    for (int d = shape_.rank() - 1; d >= 0; --d) {
      apart_[static_cast<std::size_t>(d)] = bytes;
      bytes *= static_cast<uint64_t>(shape_[d]);
      one[d] = 1;
    }
    if (variable.records) apart_[0] = record_bytes;
    step_ = box_step(shape_, one, each_);
  }

  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    // Axes from `inner` on have no gaps.
    int inner = shape_.rank();
    uint64_t run = each_;
    while (inner > 0 && apart_[static_cast<std::size_t>(inner - 1)] == run) {
      --inner;
      run *= static_cast<uint64_t>(count[inner]);
      if (count[inner] != shape_[inner]) break;
    }
    uint64_t at = begin_;
    Size runs = 1;
    for (int d = 0; d < shape_.rank(); ++d) {
      at += static_cast<uint64_t>(begin[d]) * apart_[static_cast<std::size_t>(d)];
      if (d < inner) runs *= static_cast<Size>(count[d]);
    }
    std::vector<int64_t> in(static_cast<std::size_t>(shape_.rank()), 0);
    for (Size k = 0; k < runs; ++k, to += run) {
      file_.read_at(at, to, run);
      swap_each(to, run, each_);
      for (int d = inner - 1; d >= 0; --d) {
        const auto axis = static_cast<std::size_t>(d);
        at += apart_[axis];
        if (++in[axis] < count[d]) break;
        at -= apart_[axis] * static_cast<uint64_t>(count[d]);
        in[axis] = 0;
      }
    }
  }

 private:
  const File& file_;
  Dims shape_;
  uint64_t begin_;
  unsigned each_ = 1;
  std::vector<uint64_t> apart_;  // bytes between neighbours, for each axis
};

}  // namespace

std::optional<CfAttribute> Variable::attribute(std::string_view name) const {
  for (const auto& [known, value] : attributes) {
    if (known == name) return value;
  }
  return {};
}

bool is_classic(const File& file) {
  char head[4] = {};
  if (!file.seekable() || file.size() < sizeof head) return false;
  file.read_at(0, head, sizeof head);
  return std::memcmp(head, "CDF", 3) == 0 && (head[3] == 1 || head[3] == 2 || head[3] == 5);
}

Classic read_classic(const File& file) { return Header(file).run(); }

DenseArray array_of(const File& file, const Classic& header, const Variable& variable) {
  DenseArray array{.dtype = variable.dtype, .shape = variable.shape};
  const uint64_t bytes = data_bytes(file, array, ErrorCode::bad_header);
  if (bytes > 0) {
    const bool records = variable.records;
    const auto slices = static_cast<uint64_t>(records ? variable.shape[0] : 1);
    const Uint128 end = Uint128{variable.begin} +
                        Uint128{slices - 1} * (records ? header.record_bytes : 0) + bytes / slices;
    if (end > file.size()) {
      file.fail(ErrorCode::truncated, "the data of " + variable.name +
                                          " continue past the end of the file; it is cut short");
    }
  }
  array.boxes = std::make_shared<Elements>(file, variable, header.record_bytes);
  return array;
}

}  // namespace onefold::io::netcdf
