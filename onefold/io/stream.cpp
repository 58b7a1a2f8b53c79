#include "onefold/io/stream.hpp"

#include <algorithm>

#include "onefold/engine/plan/check.hpp"

namespace onefold::io {
namespace {

class TextStream : public NumberStream {
 public:
  TextStream(File& file, DType dtype, Integers integers, bool table, int threads, int inputs,
             const Limits& limits, Meter& meter, const TextPart& part)
      : file_(file),
        reader_(file, dtype, integers, limits.text_chunk_bytes, part.range),
        chunks_(limits.kept_chunks(threads, inputs)),
        table_(table),
        threads_(threads),
        meter_(meter),
        parts_(chunks_) {
    for (ChunkNumbers& p : parts_) p.each = bytes_of(dtype);
    reader_.set_separators(part.separators);
  }

  const File& file() const override { return file_; }

  bool next(std::vector<std::byte>& bytes, std::vector<DecimalTerm>* terms) override {
    const Size before = reader_.bytes_done();
    const bool more = reader_.next(
        chunks_, threads_, &append, [&](Size k) { return &parts_[k]; },
        [&](Size k, const LineCounts&) {
          ChunkNumbers& part = parts_[k];
          if (terms != nullptr) append_moved(*terms, part.terms, bytes.size() / part.each);
          bytes.insert(bytes.end(), part.bytes.begin(), part.bytes.end());
          part.bytes.clear();
          part.terms.clear();
        });
    meter_.add(reader_.bytes_done() - before);
    return more;
  }

  Size columns() const override {
    const LineCounts& seen = reader_.lines();
    Lines complete;
    if (seen.ended) complete.add(seen.head);
    complete.add(seen.lines);
    if (complete.count == 0) return 0;
    const bool table = !complete.ragged && complete.columns >= 2 && seen.tail <= complete.columns;
    return table ? complete.columns : none;
  }
  Dims shape() const override { return reader_.shape(table_); }

 private:
  struct ChunkNumbers {
    std::size_t each = 0;
    std::vector<std::byte> bytes;
    std::vector<DecimalTerm> terms;
  };
  static void append_moved(std::vector<DecimalTerm>& to, std::span<const DecimalTerm> terms,
                           Size places) {
    for (DecimalTerm t : terms) {
      t.place += places;
      to.push_back(t);
    }
  }
  static void append(void* context, const void* values, Size n,
                     std::span<const DecimalTerm> terms) {
    ChunkNumbers& part = *static_cast<ChunkNumbers*>(context);
    append_moved(part.terms, terms, part.bytes.size() / part.each);
    const auto* from = static_cast<const std::byte*>(values);
    part.bytes.insert(part.bytes.end(), from, from + n * part.each);
  }

  File& file_;
  TextReader reader_;
  Size chunks_;
  bool table_;
  int threads_;
  Meter& meter_;
  std::vector<ChunkNumbers> parts_;
};

class DenseStream : public NumberStream {
 public:
  DenseStream(const Source& source, Meter& meter) : source_(source), meter_(meter) {
    const DenseArray& a = source.array();
    left_ = a.open_ended ? none : elements_of(a.shape);
  }
  const File& file() const override { return source_.file(); }

  bool next(std::vector<std::byte>& bytes, std::vector<DecimalTerm>*) override {
    const std::size_t each = bytes_of(source_.array().dtype);
    const Size want = std::min<Size>(left_, piece_bytes / each);
    const std::size_t had = bytes.size();
    bytes.resize(had + want * each);
    const Size got = source_.read_next(at_, bytes.data() + had, want);
    bytes.resize(had + got * each);
    at_ += got;
    if (left_ != none) left_ -= got;
    meter_.add(got * each);
    return got > 0;
  }
  Size columns() const override {
    const DenseArray& a = source_.array();
    return a.open_ended || a.shape.rank() != 2 ? none : static_cast<Size>(a.shape[1]);
  }
  Dims shape() const override {
    return source_.array().open_ended ? Dims(at_) : source_.array().shape;
  }

 private:
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  const Source& source_;
  Meter& meter_;
  Size at_ = 0;
  Size left_ = 0;
};

}  // namespace

std::unique_ptr<NumberStream> text_stream(File& file, DType dtype, Integers integers, bool table,
                                          int threads, int inputs, const Limits& limits,
                                          Meter& meter, const TextPart& part) {
  return std::make_unique<TextStream>(file, dtype, integers, table, threads, inputs, limits, meter,
                                      part);
}

std::unique_ptr<NumberStream> dense_stream(const Source& source, Meter& meter) {
  return std::make_unique<DenseStream>(source, meter);
}

}  // namespace onefold::io
