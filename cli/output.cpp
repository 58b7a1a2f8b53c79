#include "cli/output.hpp"

#include <algorithm>

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
                                          "; ask for --result f32, which holds the same values");
}

std::string npy_header(DType dtype, const Dims& shape) {
  std::string text = "{'descr': '" + std::string(npy_type(dtype)) +
                     "', 'fortran_order': False, 'shape': " + to_string(shape) + ", }";
  // Magic, version and length take 10 bytes; data begin at a multiple of 64. An extent has at most
  // 19 digits, and the rest of the header's text at most 54 characters.
  constexpr std::size_t before = 10, alignment = 64;
  const auto rank = static_cast<std::size_t>(shape.rank());
  const std::size_t most = before + 55 + 21 * rank;
  const std::size_t size =
      std::max<std::size_t>(128, (most + alignment - 1) / alignment * alignment);
  text.append(size - before - text.size() - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

namespace {

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

OutputFile::OutputFile(const std::string& path, const char* option) : option_(option) {
  named(option_, path, [&] { file_.emplace(path); });
}

void OutputFile::write(const Answer& answer) {
  begin(answer.dtype, answer.shape.rank());
  write(0, answer.data, answer.status);
  end(answer.shape);
}

void OutputFile::begin(DType dtype, int rank) {
  Dims shape;
  for (int d = 0; d < rank; ++d) shape.push_back(int64_max);
  dtype_ = dtype;
  room_ = npy_header(dtype, shape).size();
}

void OutputFile::write(Size first, std::span<const std::byte> values,
                       std::span<const Status> statuses) {
  send(values.data(), values.size(), room_ + first * bytes_of(dtype_));
  const auto bad =
      std::find_if(statuses.begin(), statuses.end(), [](Status s) { return s != Status::ok; });
  const Size place = first + static_cast<Size>(bad - statuses.begin());
  const std::lock_guard lock(mutex_);
  written_ += statuses.size();
  if (bad == statuses.end() || (bad_ != Status::ok && place_of_bad_ < place)) return;
  bad_ = *bad;
  place_of_bad_ = place;
}

void OutputFile::end(const Dims& shape) {
  Size answers = 1;
  for (const int64_t extent : shape) answers *= static_cast<Size>(extent);
  const std::string header = npy_header(dtype_, shape);
  if (answers != written_ || header.size() != room_) {
    throw Error(ErrorCode::internal, "a defect in onefold: " + std::to_string(written_) + " of " +
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

}  // namespace onefold::cli
