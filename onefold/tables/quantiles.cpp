#include "onefold/tables/quantiles.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "onefold/engine/quantile/rank_search.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/stream.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/rank_shares.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {
namespace {

class Quantiles {
 public:
  Quantiles(const std::vector<Quantile>& quantiles, const std::vector<std::string>& files,
            const InputOptions& input, const Options& options, const Limits& limits)
      : quantiles_(quantiles),
        files_(files),
        input_(input),
        options_(options),
        limits_(limits),
        peers_(input.peers) {}

  Answers run(const Progress& progress, Notes& notes) {
    pass(progress, notes);
    add_up();
    if (tables_) choose_columns(notes);
    if (kept_.empty()) kept_.push_back(0);
    for (const Size c : kept_) {
      for (const Quantile& q : quantiles_) search_->want(c, q);
    }
    const Progress silent;
    while (!search_->end_pass()) {
      Notes unheard;
      if (search_->reads()) pass(silent, unheard);
      add_up();
    }
    if (!answers_here(peers_)) return {};
    return answers(!notes.columns.empty());
  }

 private:
  Integers integers() const { return input_.dtype ? Integers::rounded : Integers::refused; }

  // Adds up what the ranks have counted in a pass.
  void add_up() {
    const bool first = std::exchange(first_pass_, false);
    if (peers_ == nullptr) return;
    const auto sums = [&](std::vector<Size>& counts) { sum_counts(*peers_, counts); };
    search_->add_up(sums);
    if (first) sums(nans_);
  }

  // Finds the columns that hold numbers in the files of all ranks.
  void choose_columns(Notes& notes) {
    meet(peers_, notes);
    std::vector<std::byte> chosen;
    if (answers_here(peers_)) {
      kept_ = kept_columns(*first_file_, *table_, notes);
      for (const Size c : kept_) notes.columns.push_back(table_->folded[c]);
      notes.bare = kept_.size() == 1;
      for (const Size c : kept_) append(chosen, c);
    }
    if (peers_ == nullptr) return;
    const Peers::Bytes all = peers_->gather(chosen);
    std::span<const std::byte> columns = all[0];
    kept_.clear();
    while (!columns.empty()) kept_.push_back(take_number(columns));
  }

  // Reads this rank's share of the files once.
  void pass(const Progress& progress, Notes& notes) {
    const Query query("min", {.nan = options_.nan, .threads = options_.threads});
    OpenFiles r = open_files(query, files_, input_);
    tables_ = make_tables(r, query, input_);
    dtype_ = r.dtype();
    if (first_pass_) {
      width_ = tables_ ? r.x[0].table->folded.size() : 1;
      search_ = std::make_unique<RankSearch>(width_, limits_.state_bytes / (2 * sizeof(uint64_t)));
      nans_.resize(width_);
    }
    if (first_pass_) note_remarks(r, &notes);
    if (tables_ && first_pass_) {
      table_ = r.x[0].table;
      notes.folded = table_->folded;
    }
    Meter meter(progress, r.bytes());
    for (const RankFile& own : shares(r)) {
      const OpenFile& part = r.x[own.file];
      if (!first_pass_ && !part.file->seekable()) {
        part.file->fail(ErrorCode::needs_seek,
                        "its numbers do not fit in memory, and a stream cannot be read twice; use "
                        "a file, or allow more with --memory");
      }
      const File::Use use(*part.file);
      if (tables_) {
        const TablePart whole{part.file.get(), part.table};
        read_table(own.range ? rows_of(whole, *own.range) : whole, meter, notes);
      } else {
        read_stream(part, own.range.value_or(TextRange{}), meter);
      }
    }
    r.check_end();
    if (tables_ && first_pass_) first_file_ = std::move(r.x[0].file);
  }

  // Returns which rows of the files this rank reads. Texts are scanned for line ends in the first
  // pass only.
  std::vector<RankFile> shares(OpenFiles& r) {
    const auto text = [](const OpenFile& f) { return f.text(); };
    std::vector<RankFile> own;
    if (peers_ != nullptr && (tables_ || std::ranges::all_of(r.x, text))) {
      if (!first_pass_) return shares_;
      std::vector<WholeFile> files;
      for (const OpenFile& f : r.x) files.push_back(whole_file(*f.file, f.table.get()));
      shares_ = share_files(*peers_, files, threads());
      return shares_;
    }
    if (peers_ != nullptr) take_share(r, share_of(peers_), false);
    for (std::size_t f = 0; f < r.x.size(); ++f) own.push_back({f, {}});
    return own;
  }

  int threads() const { return options_.threads > 0 ? options_.threads : default_threads(); }

  void read_table(const TablePart& part, Meter& meter, Notes& notes) {
    if (part.table->folded != table_->folded) refuse_other_columns(*part.file);
    const auto reader =
        open_rows(*part.file, *part.table, dtype_, integers(), limits_.text_chunk_bytes);
    const auto rows = [&](Size, const RowReader::Rows& r) {
      std::vector<std::byte> present;
      if (!r.left_out.empty()) present = r.present(width_);
      for (Size c = 0; c < width_; ++c) {
        const Size at = c * r.capacity;
        add(c, r.values + at * bytes_of(dtype_), present.empty() ? nullptr : &present[at], r.n);
      }
    };
    Size n = 0;
    const auto done = [&](Size, Size rows_of_piece) { n += rows_of_piece; };
    for (Size bytes = 0; reader->next(limits_.text_chunks(threads()), threads(), rows, done);) {
      meter.add(reader->bytes_done() - bytes);
      bytes = reader->bytes_done();
    }
    note_reading(*part.file, *part.table, *reader, n, notes);
  }

  void read_stream(const OpenFile& part, const TextRange& range, Meter& meter) {
    const Source source(*part.file, *part.array);
    const TextPart text{separators_of(*part.file, input_), range};
    const auto stream = part.text() ? text_stream(*part.file, dtype_, integers(), false, threads(),
                                                  1, limits_, meter, text)
                                    : dense_stream(source, meter);
    for (std::vector<std::byte> bytes; stream->next(bytes); bytes.clear()) {
      add(0, bytes.data(), nullptr, bytes.size() / bytes_of(dtype_));
    }
  }

  void add(Size column, const std::byte* values, const std::byte* present, Size n) {
    std::vector<uint64_t> keys;
    keys.reserve(n);
    Size nans = 0;
    visit(dtype_, [&]<class T>() {
      for (Size i = 0; i < n; ++i) {
        if (present != nullptr && present[i] == std::byte{0}) continue;
        T x;
        __builtin_memcpy(static_cast<void*>(&x), values + i * sizeof x, sizeof x);
        add_key(x, keys, nans);
      }
    });
    const std::lock_guard lock(mutex_);
    search_->add(column, keys);
    if (first_pass_) nans_[column] += nans;
  }

  Answers answers(bool named) const {
    Answers all;
    for (const Quantile& q : quantiles_) {
      Answer a{.op = q.name,
               .dtype = quantile_type(dtype_),
               .shape = named ? Dims(static_cast<int64_t>(kept_.size())) : Dims(),
               .data = {},
               .status = {}};
      for (const Size c : kept_) {
        const bool raises = nans_[c] > 0 && options_.nan == NanPolicy::raise;
        const uint64_t bits = value(q, c, a.dtype);
        const auto* const at = reinterpret_cast<const std::byte*>(&bits);
        a.data.insert(a.data.end(), at, at + bytes_of(a.dtype));
        a.status.push_back(raises ? Status::nan_found : Status::ok);
      }
      all.list.push_back(std::move(a));
    }
    return all;
  }

  // Returns the value of a quantile of a column, as bits of the answer's type.
  uint64_t value(const Quantile& q, Size column, DType type) const {
    const bool nan = nans_[column] > 0 && options_.nan != NanPolicy::omit;
    return nan ? quantile_of_nothing(type) : search_->value(column, q, dtype_, type);
  }

  const std::vector<Quantile>& quantiles_;
  const std::vector<std::string>& files_;
  const InputOptions& input_;
  const Options& options_;
  const Limits& limits_;
  Peers* const peers_;
  // The first file, which messages name.
  std::unique_ptr<File> first_file_;
  std::shared_ptr<const Table> table_;
  bool tables_ = false;
  DType dtype_ = DType::f64;
  Size width_ = 1;
  bool first_pass_ = true;
  std::mutex mutex_;
  std::unique_ptr<RankSearch> search_;
  std::vector<Size> nans_, kept_;
  std::vector<RankFile> shares_;  // the shares of texts and tables
};

}  // namespace

Answers quantiles_of_files(const std::vector<Quantile>& quantiles,
                           const std::vector<std::string>& files, const InputOptions& input,
                           const Options& options, const Progress& progress, const Limits& limits,
                           Notes& notes) {
  return Quantiles(quantiles, files, input, options, limits).run(progress, notes);
}

}  // namespace onefold::io
