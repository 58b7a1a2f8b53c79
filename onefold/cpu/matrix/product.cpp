// Products of matrices (docs/decisions/0067-matrix-products.md): panels, tiles, and entries that
// they leave open.
//
//   plain   elements of up to 32 bits: their products are f64. A sum of f64 has an error below
//           2^-53 (terms of the longest chain of additions) |row| |column|
//   pairs   f64 answers: sums of two words
//   residues  f64 answers on processors with VNNI: residue_tiles.hpp
//   exact   a row and a column with few bits: no error at all
#include "onefold/cpu/matrix/product.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>

#include "onefold/cpu/family/room.hpp"
#include "onefold/cpu/matrix/integers.hpp"
#include "onefold/cpu/matrix/open_entries.hpp"
#include "onefold/cpu/matrix/residue_product.hpp"
#include "onefold/engine/plan/matrix_product.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

// Products that are added before a tile's sums are: panels of so many elements stay in L1.
constexpr Size chain = 128;
// Panels of one matrix in memory at a time, with their residues.
constexpr Size most_bytes = Size{128} << 20, usual_moduli = 20;
// With more rows and columns, a list of undecided entries could be long.
constexpr Size most_vectors = 4096;
// A task is at most so many panels of A by so many of B, whose chains stay in L2.
constexpr Size task_rows = 12, task_columns = 10;

class Product {
 public:
  // x, y  the first element of the matrix with the rows, and of that with the columns
  Product(const Plan& plan, const MatrixProduct& m, Target target, const std::byte* x,
          const std::byte* y, std::byte* out, const backend::Done& done, int threads)
      : plan_(plan),
        m_(m),
        threads_(threads),
        target_(target),
        k_(*tile_kernels(target)),
        to_(plan.results[0]),
        x_(x),
        y_(y),
        out_(out),
        done_(done) {}

  // Computes the products [begin, end) of the batch.
  void run(Size begin, Size end) {
    const Size inner = m_.inner.extent;
    const bool scale = to_ == DType::f64;
    const Size bytes = inner * (sizeof(double) + (scale ? usual_moduli : 0));
    const auto part = [&](Size n, Size width) {
      const Size most = std::max(most_bytes / bytes / width, Size{1}) * width;
      return std::min({n, most, most_vectors});
    };
    const Size rows = part(m_.row.extent, k_.rows), columns = part(m_.column.extent, k_.columns);
    Packed a(k_, k_.rows, rows, inner), b(k_, k_.columns, columns, inner);
    for (Size batch = begin; batch < end; ++batch) {
      const MatrixProduct::Place at = m_.batch(batch);
      for (Size j = 0; j < m_.column.extent; j += columns) {
        const Size nj = std::min(columns, m_.column.extent - j);
        const MatrixSide columns_of = side(y_, at.y, m_.column, 1, j, nj);
        b.fill(plan_.dtype, columns_of, scale, threads_);
        for (Size i = 0; i < m_.row.extent; i += rows) {
          const Size ni = std::min(rows, m_.row.extent - i);
          const MatrixSide rows_of = side(x_, at.x, m_.row, 0, i, ni);
          a.fill(plan_.dtype, rows_of, scale, threads_);
          block(a, b,
                {rows_of.data, columns_of.data,
                 plan_.nest.answer + static_cast<Size>(at.answer) +
                     i * static_cast<Size>(m_.row.step) + j * static_cast<Size>(m_.column.step),
                 ni, nj});
          fold_entries(plan_, m_.inner, open_, threads_, done_);
          open_.clear();
        }
      }
    }
  }

 private:
  // A part of the product: so many rows and columns, the first of these, and the first answer.
  struct Part {
    const std::byte *x, *y;
    Size answer, rows, columns;
  };
  // A panel of A and one of B, or a row and a column.
  struct Tile {
    Size p, q;
  };
  // The sums of a task's tiles, and what else is computed for them.
  struct Room {
    KeptArray<double> sums, other, products;
    bool counted = false;  // whether `products` are this tile's
    std::vector<std::byte> rounded;
    std::vector<Entry> entries;
    std::vector<OpenEntry> open;
  };

  MatrixSide side(const std::byte* data, int64_t at, const Axis& axis, int input, Size first,
                  Size n) const {
    const int64_t step = axis.stride[input];
    return {data + at + static_cast<int64_t>(first) * step, step, m_.inner.stride[input], n,
            m_.inner.extent};
  }

  Size tile() const { return k_.rows * k_.columns; }

  // How the sums of a block's tiles are computed, and the words that an entry then has.
  enum class Way { plain, pairs, residues };
  Size words_of(Way way) const { return way == Way::plain ? 1 : way == Way::pairs ? 2 : 3; }

  void block(Packed& a, Packed& b, const Part& at) {
    const bool narrow = is_floating(to_) && bytes_of(to_) < 8;
    Way way = narrow || (a.on_grid() && b.on_grid()) ? Way::plain : Way::pairs;
    const std::optional<ResidueProduct> residues =
        way == Way::pairs && to_ == DType::f64 ? ResidueProduct::of(target_, a, b, sides_, threads_)
                                               : std::nullopt;
    if (residues) way = Way::residues;
    const Size across = (a.panels() + task_rows - 1) / task_rows,
               down = (b.panels() + task_columns - 1) / task_columns;
    rooms_.resize(std::max(rooms_.size(), workers(across * down, threads_)));
    parallel_workers(across * down, threads_, [&](std::size_t task, std::size_t worker) {
      const FlagsGuard mode;
      Room& room = rooms_[worker];
      const Size i = task % across * task_rows, j = task / across * task_columns;
      const Size ni = std::min(task_rows, a.panels() - i),
                 nj = std::min(task_columns, b.panels() - j);
      // Residues that leave most tiles open are given up.
      const bool given_up = way == Way::residues && tiles_ >= 64 && 2 * tiles_again_ > tiles_;
      const Way by = given_up ? Way::pairs : way;
      const Size each = tile() * words_of(by);
      room.sums.fill_zero(ni * nj * each);
      room.rounded.resize(tile() * sizeof(double));
      room.entries.resize(tile());
      if (by == Way::residues) {
        residues->multiply(i, ni, j, nj, room.sums.get(), room.other);
      } else {
        add(a, b, {i, j}, {ni, nj}, by, room.sums.get());
      }
      for (Size q = 0; q < nj; ++q) {
        for (Size p = 0; p < ni; ++p) {
          decide(a, b, {i + p, j + q}, &room.sums[(q * ni + p) * each], by, at, room);
        }
      }
      if (room.open.empty()) return;
      const std::lock_guard lock(mutex_);
      open_.insert(open_.end(), room.open.begin(), room.open.end());
      room.open.clear();
    });
  }

  // Adds the sums of `n` panels of A and of B, from panels `first` on.
  void add(const Packed& a, const Packed& b, Tile first, Tile n, Way way, double* sums) const {
    const Size inner = m_.inner.extent, each = tile() * words_of(way);
    for (Size k = 0; k < inner; k += chain) {
      const Size terms = std::min(chain, inner - k);
      for (Size q = 0; q < n.q; ++q) {
        for (Size p = 0; p < n.p; ++p) {
          k_.add(way == Way::pairs ? TileSum::pairs : TileSum::plain,
                 a.panel(first.p + p) + k * k_.rows, b.panel(first.q + q) + k * k_.columns, terms,
                 sums + (q * n.p + p) * each);
        }
      }
    }
  }

  // Returns what decides a tile of sums.
  TileBounds bounds_of(Packed& a, Packed& b, Tile t, const double* sums, Way way) const {
    TileBounds bounds{a.facts(t.p), b.facts(t.q), 1};
    const auto n = static_cast<double>(m_.inner.extent);
    switch (way) {
      case Way::plain:
        bounds.factor = (std::min<double>(n, chain) + n / chain + 2) * 0x1.001p-53;
        break;
      case Way::pairs:
        // 2 n^2 2^-106. Products that underflow lose less: norms are at least 1/2.
        bounds.factor = (n + 2) * (n + 2) * 0x1.1p-105;
        break;
      case Way::residues:
        bounds.lost = sums + 2 * tile();
    }
    return bounds;
  }

  // Rounds a tile and copies it to its place.
  void decide(Packed& a, Packed& b, Tile t, const double* sums, Way way, const Part& at,
              Room& room) {
    const double* const low = way == Way::plain ? nullptr : sums + tile();
    const TileBounds bounds = bounds_of(a, b, t, sums, way);
    const bool whole = is_integer(to_);
    Size left = whole ? decide_integers(k_, to_, sums, low, bounds, room.rounded.data(),
                                        room.entries.data())
                      : k_.decide(to_, sums, low, bounds, room.rounded.data(), room.entries.data());
    const Size i = t.p * k_.rows, j = t.q * k_.columns;
    const Size rows = std::min(k_.rows, at.rows - i),
               columns = std::min(k_.columns, at.columns - j);
    if (left != 0 && way != Way::pairs && !whole)
      left = again(a, b, t, {rows, columns}, left, room);
    if (left != 0 && !whole) count_products(a, b, t, {rows, columns}, room);
    const auto down = static_cast<Size>(m_.row.step), across = static_cast<Size>(m_.column.step);
    const Size bytes = bytes_of(to_);
    const Size first = at.answer + i * down + j * across;
    for (Size r = 0; r < rows; ++r) {
      const Size answer = first + r * down;
      const std::byte* const from = &room.rounded[r * k_.columns * bytes];
      if (across == 1) {
        std::memcpy(out_ + answer * bytes, from, columns * bytes);
      } else {
        for (Size c = 0; c < columns; ++c) {
          std::memcpy(out_ + (answer + c * across) * bytes, from + c * bytes, bytes);
        }
      }
      for (Size c = 0; c < columns && left != 0; ++c) {
        const Entry entry = room.entries[r * k_.columns + c];
        if (entry == Entry::decided) continue;
        const Size place = answer + c * across;
        if (entry == Entry::zero && settle_zero(a, b, t, {r, c}, place, room)) continue;
        room.open.push_back({place, at.x + static_cast<int64_t>(i + r) * m_.row.stride[0],
                             at.y + static_cast<int64_t>(j + c) * m_.column.stride[1]});
      }
    }
  }

  // Decides more entries of a tile by sums of two words.
  //   inside  the rows and columns of the tile that are in the matrices
  Size again(Packed& a, Packed& b, Tile t, Tile inside, Size left, Room& room) {
    ++tiles_;
    // So many entries take as long one by one.
    if (count(Entry::open, inside, room) < 16) return left;
    ++tiles_again_;
    room.other.fill_zero(2 * tile());
    add(a, b, t, {1, 1}, Way::pairs, room.other.get());
    const TileBounds bounds = bounds_of(a, b, t, nullptr, Way::pairs);
    return k_.decide(to_, room.other.get(), &room.other[tile()], bounds, room.rounded.data(),
                     room.entries.data());
  }

  // Returns the number of entries of a kind among the first rows and columns of a tile.
  Size count(Entry kind, Tile inside, const Room& room) const {
    Size n = 0;
    for (Size r = 0; r < inside.p; ++r) {
      const Entry* const row = &room.entries[r * k_.columns];
      n += static_cast<Size>(std::count(row, row + inside.q, kind));
    }
    return n;
  }

  // Counts, if many sums are 0, the products of each entry that are not.
  void count_products(const Packed& a, const Packed& b, Tile t, Tile inside, Room& room) const {
    room.counted = false;
    if (count(Entry::zero, inside, room) < 4) return;
    room.products.fill_zero(tile());
    room.counted = true;
    for (Size k = 0; k < m_.inner.extent; k += chain) {
      k_.add(TileSum::nonzero, a.panel(t.p) + k * k_.rows, b.panel(t.q) + k * k_.columns,
             std::min(chain, m_.inner.extent - k), room.products.get());
    }
  }

  // Writes a zero if every product is one, or the sum has no error; otherwise returns false.
  bool settle_zero(Packed& a, Packed& b, Tile t, Tile entry, Size place, const Room& room) {
    // An element that is not finite has no residues.
    if (!std::isfinite(a.facts(t.p).norm[entry.p] + b.facts(t.q).norm[entry.q])) return false;
    const bool exact = a.facts(t.p).grid[entry.p] * b.facts(t.q).grid[entry.q] == 1;
    bool all_zero = exact;
    if (!exact && room.counted) {
      if (room.products[entry.p * k_.columns + entry.q] != 0) return false;
      all_zero = true;
    }
    const double *const x = a.panel(t.p) + entry.p, *const y = b.panel(t.q) + entry.q;
    bool negative = true;
    for (Size k = 0; k < m_.inner.extent && (negative || !all_zero); ++k) {
      const double s = x[k * k_.rows], u = y[k * k_.columns];
      const bool product = s != 0 && u != 0;
      if (product && !exact) return false;
      negative = negative && !product && std::signbit(s) != std::signbit(u);
    }
    const Size bytes = bytes_of(to_);
    std::memset(out_ + place * bytes, 0, bytes);
    if (negative) out_[place * bytes + bytes - 1] = std::byte{0x80};  // little-endian
    return true;
  }

  const Plan& plan_;
  const MatrixProduct& m_;
  const int threads_;
  const Target target_;
  const TileKernels& k_;
  const DType to_;
  const std::byte *const x_, *const y_;
  std::byte* const out_;
  const backend::Done& done_;
  std::vector<Room> rooms_;  // of each worker
  ResidueSides sides_;
  std::atomic<Size> tiles_ = 0, tiles_again_ = 0;  // undecided ones, and those added by pairs
  std::mutex mutex_;
  std::vector<OpenEntry> open_;
};

// Of longer rows one panel of each matrix would take more than 256 MB.
constexpr Size most_inner_of_panels = Size{1} << 20;

// Returns whether tiles gain more than packing costs.
bool is_large(const MatrixProduct& m, Size bytes) {
  const Size rows = m.row.extent, columns = m.column.extent, inner = m.inner.extent;
  const auto [few, many] = std::minmax(rows, columns);
  // The other walks are quick where each row of the larger matrix is one run.
  const int64_t stride = m.inner.stride[rows > columns ? 0 : 1];
  if (few < 8 && stride == static_cast<int64_t>(bytes)) return false;
  return few >= 4 && many >= 16 && few * many >= 64 && inner >= 4 && inner <= most_inner_of_panels;
}

// Exchanges rows and columns, and both matrices.
void turn(MatrixProduct& m) {
  std::swap(m.row, m.column);
  const auto turn_axis = [](Axis& a) { std::swap(a.stride[0], a.stride[1]); };
  for (Axis* const a : {&m.row, &m.column, &m.inner}) turn_axis(*a);
  std::for_each(m.batch_axes.begin(), m.batch_axes.end(), turn_axis);
}

}  // namespace

bool fold_product(const Plan& plan, const void* x, const void* y, std::byte* out,
                  const backend::Done& done) {
  if (plan.inputs != 2 || plan.answers == 0 || plan.elements == 0) return false;
  if (plan.nan != NanPolicy::propagate || !plan.aligned) return false;
  std::optional<MatrixProduct> m = matrix_product_of(plan, true);
  if (!m || !is_large(*m, bytes_of(plan.dtype)) || !totals_are_trusted()) return false;
  const Target target = find_target(plan.target);
  if (tile_kernels(target) == nullptr) return false;
  const DType from = plan.dtype, to = plan.results[0];
  if (target == Target::sse4 && (from == DType::f16 || to == DType::f16)) return false;
  if (is_floating(from) != is_floating(to) || (from == DType::f64 && to != DType::f64))
    return false;
  const FlagsGuard mode;
  const auto* first = static_cast<const std::byte*>(x) + plan.nest.origin[0];
  const auto* second = static_cast<const std::byte*>(y) + plan.nest.origin[1];
  // Tiles have more columns than rows, and those at the edges are filled up.
  const TileKernels& k = *tile_kernels(target);
  const auto filled = [&](Size rows, Size columns) {
    return (rows + k.rows - 1) / k.rows * k.rows *
           ((columns + k.columns - 1) / k.columns * k.columns);
  };
  const Size rows = m->row.extent, columns = m->column.extent;
  if (filled(columns, rows) < filled(rows, columns)) {
    turn(*m);
    std::swap(first, second);
  }
  const Size batches = m->batches();
  const Size products = rows * columns * m->inner.extent;
  // Two products take about as long as a byte of other folds.
  const int threads = threads_for(products * batches / 2, plan.threads);
  const auto run = [&](Size begin, Size end, int shared) {
    Product(plan, *m, target, first, second, out, done, shared).run(begin, end);
  };
  // Small products are not shared: each thread takes whole ones.
  const Size parts = std::min(batches, static_cast<Size>(8 * threads));
  if (threads == 1 || batches == 1 || products > Size{1} << 24) {
    run(0, batches, threads);
    return true;
  }
  parallel(parts, threads, [&](std::size_t p) {
    const FlagsGuard own_mode;
    run(batches * p / parts, batches * (p + 1) / parts, 1);
  });
  return true;
}

}  // namespace onefold::cpu_backend
