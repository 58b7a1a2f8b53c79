#include "cli/output.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "onefold/io/input.hpp"

namespace onefold::cli {
const char* npy_type(DType t) {
  switch (t) {
    case DType::boolean:
      return "|b1";
    case DType::i8:
      return "|i1";
    case DType::i16:
      return "<i2";
    case DType::i32:
      return "<i4";
    case DType::i64:
      return "<i8";
    case DType::u8:
      return "|u1";
    case DType::u16:
      return "<u2";
    case DType::u32:
      return "<u4";
    case DType::u64:
      return "<u8";
    case DType::f16:
      return "<f2";
    case DType::f32:
      return "<f4";
    case DType::f64:
      return "<f8";
    case DType::bf16:
      break;
  }
  throw Error(ErrorCode::unsupported, "a .npy file cannot hold " + std::string(name_of(t)) +
                                          "; pass --result f32, which holds the same values");
}

std::string npy_header(DType dtype, const Dims& shape, bool is_complex, std::size_t least) {
  const std::string type = !is_complex ? npy_type(dtype) : dtype == DType::f32 ? "<c8" : "<c16";
  const Dims elements = is_complex ? io::without_parts(shape) : shape;
  std::string text =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + to_string(elements) + ", }";
  // Magic, version and length take 10 bytes; data begin at a multiple of 64. An extent has at most
  // 19 digits, and the rest of the header's text at most 54 characters.
  constexpr std::size_t before = 10, alignment = 64;
  const auto rank = static_cast<std::size_t>(shape.rank());
  const std::size_t most = before + 55 + 21 * rank;
  const std::size_t size = std::max(least, (most + alignment - 1) / alignment * alignment);
  text.append(size - before - text.size() - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

namespace {

// Bytes of the header for every shape of this rank.
std::size_t header_bytes(DType dtype, int rank) {
  Dims shape;
  for (int d = 0; d < rank; ++d) shape.push_back(int64_max);
  return npy_header(dtype, shape).size();
}

// Calls f and returns its result; errors get the names of option and file.
template <class F>
auto named(const std::string& option, const std::string& path, F f) {
  try {
    return f();
  } catch (const Error& e) {
    throw Error(e.code(), option + " " + path + " cannot be written: " + e.what());
  }
}

}  // namespace

void OutputCount::add(const OutputCount& other) {
  n += other.n;
  if (other.bad == Status::ok || (bad != Status::ok && place_of_bad < other.place_of_bad)) return;
  bad = other.bad;
  place_of_bad = other.place_of_bad;
}

void OutputCount::add(Size first, std::span<const Status> statuses) {
  const auto wrong =
      std::find_if(statuses.begin(), statuses.end(), [](Status s) { return s != Status::ok; });
  const Size place = first + static_cast<Size>(wrong - statuses.begin());
  add({statuses.size(), place, wrong == statuses.end() ? Status::ok : *wrong});
}

OutputFile::OutputFile(const std::string& path, const char* option) : option_(option) {
  named(option_, path, [&] { file_.emplace(path); });
}

std::string OutputFile::mark() {
  std::random_device random;
  std::string bytes;
  for (int k = 0; k < 16; ++k) bytes += static_cast<char>(random());
  send(bytes.data(), bytes.size(), 0);
  return bytes;
}

void OutputFile::write(const Answer& answer) {
  begin(answer.dtype, answer.shape.rank());
  write(0, answer.data, answer.status);
  end(answer.shape);
}

void OutputFile::begin(DType dtype, int rank) {
  dtype_ = dtype;
  room_ = header_bytes(dtype, rank);
}

void OutputFile::write(Size first, std::span<const std::byte> values,
                       std::span<const Status> statuses) {
  send(values.data(), values.size(), room_ + first * bytes_of(dtype_));
  const std::lock_guard lock(mutex_);
  written_.add(first, statuses);
}

void OutputFile::end(const Dims& shape, bool is_complex) {
  Size answers = 1;
  for (const int64_t extent : shape) answers *= static_cast<Size>(extent);
  const std::string header = npy_header(dtype_, shape, is_complex, room_);
  if (answers != written_.n || header.size() != room_) {
    throw Error(ErrorCode::internal, "a defect in onefold: " + std::to_string(written_.n) + " of " +
                                         std::to_string(answers) + " answers were written");
  }
  send(header.data(), header.size(), 0);
  finish();
}

void OutputFile::append(std::string_view text) {
  send(text.data(), text.size(), at_);
  at_ += text.size();
}

void OutputFile::finish() {
  named(option_, file_->path(), [&] { file_->finish(); });
}

void OutputFile::send(const void* bytes, std::size_t n, std::size_t at) {
  named(option_, file_->path(), [&] { file_->write(bytes, n, at); });
}

void OutputShare::begin(DType dtype, int rank) {
  dtype_ = dtype;
  room_ = header_bytes(dtype, rank);
}

void OutputShare::write(Size first, std::span<const std::byte> values,
                        std::span<const Status> statuses) {
  named("--output", "",
        [&] { file_.write(values.data(), values.size(), room_ + first * bytes_of(dtype_)); });
  const std::lock_guard lock(mutex_);
  written_.add(first, statuses);
}

OutputCount OutputShare::finish() {
  named("--output", "", [&] { file_.finish(); });
  return written_;
}

bool share_output(OutputFile* file, Peers& peers, std::unique_ptr<OutputShare>& share) {
  constexpr std::size_t mark_bytes = 16;
  std::string told;
  if (file != nullptr) told = file->mark() + file->shared_path();
  const Peers::Bytes all =
      peers.gather({reinterpret_cast<const std::byte*>(told.data()), told.size()});
  if (file == nullptr) {
    const std::string_view of_first(reinterpret_cast<const char*>(all[0].data()), all[0].size());
    share = std::make_unique<OutputShare>(std::string(of_first.substr(mark_bytes)),
                                          of_first.substr(0, mark_bytes));
  }
  const std::vector<uint64_t> opened = peers.gather(uint64_t{share == nullptr || share->opened()});
  return std::ranges::all_of(opened, [](uint64_t one) { return one != 0; });
}

void end_shares(OutputFile* file, Peers& peers, OutputShare* share) {
  OutputCount mine;
  if (share != nullptr) mine = share->finish();
  const uint64_t words[] = {mine.n, mine.place_of_bad, static_cast<uint64_t>(mine.bad)};
  const Peers::Bytes all = peers.gather(std::as_bytes(std::span(words)), false);
  if (file == nullptr) return;
  for (std::size_t r = 1; r < peers.ranks(); ++r) {
    uint64_t theirs[3];
    std::memcpy(theirs, all[r].data(), sizeof theirs);
    file->add({theirs[0], theirs[1], static_cast<Status>(theirs[2])});
  }
}

}  // namespace onefold::cli
