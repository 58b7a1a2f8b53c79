// Transpositions of matrices, from the naive one of tutorial 002 to one that is as fast as a copy.
#include <fmt/format.h>

#include <algorithm>

#include "lab/experiment.hpp"
#include "lab/experiment/option.hpp"
#include "lab/experiment/transpose_camping.hpp"
#include "lab/rung/transpose.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::lab {
namespace {

struct Shape {
  Size rows, columns;
};

// The cost of one warp's access on sm_90, for a matrix of whole tiles of 16 or 32.
struct Costs {
  double load_sectors, store_sectors, wavefronts;
};

struct Variant {
  ExperimentKernel kernel;
  const char* type;
  unsigned tile_rows, tile_columns;  // the tile of a block
  unsigned block;
  unsigned rows;  // rows of threads in a block
  bool turns;     // true: transposes; false: copies
  Costs costs{};  // 0: not predicted
};

constexpr unsigned usual_tile = 32, usual_rows = 8;

template <class T>
constexpr const char* name_of_type = sizeof(T) == 2   ? "2-byte"
                                     : sizeof(T) == 4 ? "f32"
                                                      : "f64";

// Returns the sectors of a warp that accesses 32 neighbours, in pieces of 16 or 32.
template <class T>
constexpr double row_sectors = static_cast<double>(sizeof(T));

class Variants {
 public:
  // Returns the wavefronts of a warp that reads columns of the tile; 0: not predicted.
  template <template <class, int, int> class K, class T, int Tile, int Rows>
  void add(bool turns, double store_sectors, double wavefronts) {
    // On the simulated machine only f32 is swept, since kernels are the same for other types.
    constexpr bool simulated = sizeof(T) == 4 || (Tile == usual_tile && Rows == usual_rows);
    const auto kernel = [] {
      using Kernel = K<T, Tile, Rows>;
      if constexpr (simulated) return kernel_of<Kernel>();
      return gpu_kernel_of<Kernel>();
    };
    Variant v{.kernel = kernel(),
              .type = name_of_type<T>,
              .tile_rows = Tile,
              .tile_columns = Tile,
              .block = Tile * Rows,
              .rows = Rows,
              .turns = turns};
    if (sizeof(T) == 4 && Tile != 48) v.costs = {row_sectors<T>, store_sectors, wavefronts};
    if (v.kernel.name() == "both_strided") v.costs.load_sectors = store_sectors;
    // A block of 16 threads is half a warp.
    if (Tile * Rows == 16) v.costs.load_sectors /= 2, v.costs.store_sectors /= 2;
    all.push_back(v);
  }
  template <template <class> class K, class T>
  void add_vectors(unsigned tile_rows, unsigned tile_columns) {
    all.push_back({.kernel = kernel_of<K<T>>(),
                   .type = name_of_type<T>,
                   .tile_rows = tile_rows,
                   .tile_columns = tile_columns,
                   .block = 256,
                   .rows = 0,
                   .turns = true});
  }

  std::vector<Variant> all;
};

// The tiled kernels, for one tile. The lanes that read a column of 32 words of f32 all use one
// bank; in tiles of 16 words 8 lanes use each of two banks. Rows of 33 words, and the swizzle,
// spread them over all banks. With rows of 17 words a lane of a warp's second column shares a bank
// with one of the first.
template <class T, int Tile, int... Rows>
void add_tiled(Variants& v) {
  const double columns = Tile == 32 ? 32 : 8;
  (v.add<transpose::tiled_copy, T, Tile, Rows>(false, row_sectors<T>, 1), ...);
  (v.add<transpose::tiled, T, Tile, Rows>(true, row_sectors<T>, columns), ...);
  (v.add<transpose::padded, T, Tile, Rows>(true, row_sectors<T>, Tile == 16 && Rows > 1 ? 2 : 1),
   ...);
  if constexpr (Tile != 48)
    (v.add<transpose::swizzled, T, Tile, Rows>(true, row_sectors<T>, 1), ...);
  (v.add<transpose::diagonal, T, Tile, Rows>(true, row_sectors<T>, Tile == 16 && Rows > 1 ? 2 : 1),
   ...);
}

template <class T>
void add_type(Variants& v) {
  v.add<transpose::copy, T, usual_tile, usual_rows>(false, row_sectors<T>, 0);
  v.add<transpose::both_strided, T, usual_tile, usual_rows>(false, 32, 0);
  v.add<transpose::naive, T, usual_tile, usual_rows>(true, 32, 0);
  add_tiled<T, 16, 1, 2, 4, 8, 16>(v);
  add_tiled<T, 32, 1, 2, 4, 8, 16, 32>(v);
  add_tiled<T, 48, 1, 2, 3, 4, 6, 8, 12, 16>(v);
  constexpr unsigned w = 16 / sizeof(T);
  v.add_vectors<transpose::vectors, T>(16 * w, 16 * w);
  v.add_vectors<transpose::vectors_in_squares, T>(16 * w, 16 * w);
  v.add_vectors<transpose::vectors_once, T>(16 * w, 16 * w);
  v.add_vectors<transpose::registers, T>(32 * w, 8 * w);
  v.add_vectors<transpose::vectors_in_order, T>(16 * w, 16 * w);
  v.add_vectors<transpose::squares_in_order, T>(16 * w, 16 * w);
}

std::vector<Variant> variants() {
  Variants v;
  add_type<float>(v);
  add_type<double>(v);
  add_type<uint16_t>(v);
  std::stable_sort(v.all.begin(), v.all.end(), [](const Variant& a, const Variant& b) {
    constexpr std::string_view order[] = {"copy",       "both_strided", "naive",
                                          "tiled_copy", "tiled",        "padded",
                                          "swizzled",   "diagonal",     "vectors"};
    const auto place = [&](const Variant& x) {
      return std::find(std::begin(order), std::end(order), x.kernel.name());
    };
    return place(a) < place(b);
  });
  return v.all;
}

// Makes the transposed matrix tile by tile, so that caches hold rows of both matrices.
template <class T>
Input turned(const Bytes& x, Shape s) {
  constexpr Size edge = 64;
  Bytes y(x.size());
  parallel((s.rows + edge - 1) / edge, 0, [&](std::size_t k) {
    for (Size c0 = 0; c0 < s.columns; c0 += edge) {
      for (Size c = c0; c < std::min(c0 + edge, s.columns); ++c) {
        for (Size r = k * edge; r < std::min((k + 1) * edge, s.rows); ++r) {
          std::memcpy(&y[(c * s.rows + r) * sizeof(T)], &x[(r * s.columns + c) * sizeof(T)],
                      sizeof(T));
        }
      }
    }
  });
  return std::make_shared<const Bytes>(std::move(y));
}

Input turned(std::size_t size, const Bytes& x, Shape s) {
  return size == 2   ? turned<uint16_t>(x, s)
         : size == 4 ? turned<uint32_t>(x, s)
                     : turned<uint64_t>(x, s);
}

bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  const auto right = [&](std::size_t k) {
    const std::size_t from = k * piece, bytes = std::min(piece, a.size() - from);
    return std::memcmp(&a[from], &b[from], bytes) == 0;
  };
  return a.size() == b.size() && all_right((a.size() + piece - 1) / piece, right, 1);
}

// y is the transposed x.
Case case_of(const Variant& v, Shape s, const Input& x, const Input& y, const sim::Chip& chip,
             const CopyRates& copy) {
  const auto up = [](Size a, unsigned b) { return (a + b - 1) / b; };
  Case c =
      cold_case(v.kernel, {{"shape", fmt::format("{}x{}", s.rows, s.columns)}, {"type", v.type}},
                static_cast<unsigned>(up(s.rows, v.tile_rows) * up(s.columns, v.tile_columns)),
                v.block, {{s.rows, s.columns}}, x, x->size());
  c.job.chip = chip;
  if (v.rows != 0) {
    c.params.emplace_back("tile", int64_t{v.tile_columns});
    c.params.emplace_back("rows", int64_t{v.rows});
  }
  c.right = [right = v.turns ? y : x](std::span<const std::byte> out) { return same(out, *right); };
  const bool predicted = chip == sim::sm_90 && s.rows % v.tile_rows == 0 &&
                         s.columns % v.tile_columns == 0 && v.costs.load_sectors != 0;
  const Costs costs = v.costs;
  c.note = [=, bytes = double(x->size())](Point& p, const Ran& ran) {
    const auto put = [&](const char* name, double found, double cost) {
      p.figures.push_back({name, found, {}});
      if (predicted && cost != 0) p.figures.back().predicted = cost;
    };
    if (ran.ms) {
      p.gbps = 2 * bytes / (*ran.ms * 1e6);
      // The prediction: time is proportional to the number of sectors.
      const double sectors = (costs.load_sectors + costs.store_sectors) / 4;
      put("of_copy", *p.gbps / copy.best(), sectors == 0 ? 0 : 2 / sectors);
      return;
    }
    const sim::Counters& n = ran.report.counters;
    put("load_sectors", each_of(n.global_load.count, n.global_load.requests), costs.load_sectors);
    put("store_sectors", each_of(n.global_store.count, n.global_store.requests),
        costs.store_sectors);
    if (n.shared_load.requests != 0)
      put("wavefronts", each_of(n.shared_load.count, n.shared_load.requests), costs.wavefronts);
  };
  return c;
}

// Reads "4096" or "4099x8191".
Shape shape_of(const std::string& text, bool simulated) {
  const Size most = simulated ? 4096 : 65536;
  const auto x = text.find('x');
  const Size rows = number("n", text.substr(0, x), 1, most);
  return {rows, x == text.npos ? rows : number("n", text.substr(x + 1), 1, most)};
}

const Point* find(const std::vector<Point>& points, std::string_view name, const char* shape) {
  for (const Point& p : points) {
    const bool usual = p.params.size() < 4 || (p.params[2].second == Param{int64_t{usual_tile}} &&
                                               p.params[3].second == Param{int64_t{usual_rows}});
    if (p.name == name && usual && p.params[0].second == Param{std::string(shape)} &&
        p.params[1].second == Param{std::string("f32")}) {
      return &p;
    }
  }
  return nullptr;
}

// Says whether partition camping is still visible, and how near the best kernel is to a copy.
std::vector<std::string> remarks(const std::vector<Point>& points) {
  std::vector<std::string> said;
  const Point* cell[4] = {find(points, "tiled", "4000x4000"), find(points, "padded", "4000x4000"),
                          find(points, "tiled", "4096x4096"), find(points, "padded", "4096x4096")};
  if (std::all_of(std::begin(cell), std::end(cell), [](const Point* p) { return p && p->gbps; })) {
    said.push_back(fmt::format(
        "padding x camping, GB/s: at 4000 {:.0f} tiled and {:.0f} padded, at 4096 {:.0f} and "
        "{:.0f}; camping is {}",
        *cell[0]->gbps, *cell[1]->gbps, *cell[2]->gbps, *cell[3]->gbps,
        *cell[3]->gbps < 0.95 * *cell[1]->gbps ? "still visible" : "no longer visible"));
  }
  const Point* best = nullptr;
  for (const Point& p : points) {
    const bool counts = p.gbps && p.name != "copy" && p.name != "tiled_copy" &&
                        p.name != "both_strided" &&
                        p.params[0].second == Param{std::string("16384x16384")} &&
                        p.params[1].second == Param{std::string("f32")};
    if (counts && (best == nullptr || *p.gbps > *best->gbps)) best = &p;
  }
  if (best != nullptr) {
    said.push_back(
        fmt::format("at 16384 x 16384 f32 the best is {}: {:.0f} GB/s, {:.3f} of the device copy",
                    best->name, *best->gbps, best->figures[0].found));
  }
  return said;
}

Findings run(Workbench& bench, const ExperimentOptions& options) {
  const sim::Chip chip = chip_of(options);
  std::vector<Shape> shapes{{192, 192}, {131, 257}};
  if (!bench.simulated()) shapes = {{4000, 4000}, {4096, 4096}, {16384, 16384}, {4099, 8191}};
  if (const auto at = options.find("n"); at != options.end()) {
    shapes = {shape_of(at->second, bench.simulated())};
  }
  const std::vector<Variant> all = variants();
  Findings found;
  // Shapes and types in turn, so that each input is uploaded once.
  for (const Shape s : shapes) {
    for (const std::size_t size : {4u, 8u, 2u}) {
      const Input x = random_bytes(s.rows * s.columns * size, seed_of(options));
      const Input y = turned(size, *x, s);
      const CopyRates copy = bench.copy_gbps(x->size());
      if (!bench.simulated() && size == 4 && s.rows * s.columns > (Size{1} << 26)) {
        found.limit_gbps = copy.best();
        found.remarks.push_back(fmt::format(
            "the device copy of {}x{} f32: {:.0f} GB/s by a kernel of 16 bytes a thread, {:.0f} by "
            "the driver's own",
            s.rows, s.columns, copy.kernel, copy.driver));
      }
      std::vector<Case> cases;
      for (const Variant& v : all) {
        const bool runs = !bench.simulated() || v.kernel.simulated != nullptr;
        if (v.kernel.x_size == size && runs) cases.push_back(case_of(v, s, x, y, chip, copy));
      }
      for (Point& p : bench.measure(std::move(cases))) found.points.push_back(std::move(p));
    }
  }
  const auto place = [&](const Point& p) {
    return std::find_if(all.begin(), all.end(),
                        [&](const Variant& v) { return v.kernel.name() == p.name; });
  };
  std::stable_sort(found.points.begin(), found.points.end(),
                   [&](const Point& a, const Point& b) { return place(a) < place(b); });
  for (std::string& said : remarks(found.points)) found.remarks.push_back(std::move(said));
  if (bench.simulated()) {
    const std::string camping = camping_text(chip);
    if (!camping.empty()) found.remarks.push_back(camping);
  }
  return found;
}

}  // namespace

const Experiment transpose_experiment{
    .name = "transpose",
    .idea = "matrices turned: strides, tiles, bank conflicts, padding, camping, vectors",
    .question = "How near does a transposition come to a plain copy?",
    .prediction =
        "a warp that reads or writes 32 neighbours of 4 bytes moves 4 sectors of 32 bytes, one "
        "that reads or writes a column 32: a naive transposition reaches 2 / (1 + 8) of a copy",
    .lesson =
        "Go through a tile of shared memory so that both sides move whole rows, pad or swizzle it "
        "so that its columns spread over the banks, keep more bytes in flight, and let blocks that "
        "run together write neighbours.",
    .options = "n counters replays",
    .run = run};

}  // namespace onefold::lab
