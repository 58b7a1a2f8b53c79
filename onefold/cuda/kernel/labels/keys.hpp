// Numbers the distinct keys of an array: they become labels. Uses a hash table in global memory.
//
//   launches  clear, find (twice), list, sort_tiles, number, apply; name. For more than a tile of
//             keys there are sort_apart and merge_tiles after sort_tiles, several times
//   image     64 bits of a key, in the order of keys: -0 is 0; each NaN has the largest one, `top`
//   table     a power of two of slots with an image each, `top` if the slot is free. A key is in
//             the first free slot from its hash on. The key whose image is `top` has a slot of its
//             own, behind the others
//   full      more than `most` keys, or a search of more than `most_steps` slots: `find` gives up,
//             and the host tries a larger table
//   numbers   keys are sorted by their images, so a key's number does not depend on the run. `find`
//             writes the slot of each element, `apply` replaces it by the key's number
//   skew      a key that is there already is found by loads that the nearest cache answers. Only a
//             free slot is written to, by an atomic. So the first 4,096 elements have a launch of
//             their own, after which no frequent key is free
#pragma once

#include "onefold/cuda/kernel/labels/label_array.hpp"
#include "onefold/cuda/kernel/labels/sort_images.hpp"

namespace onefold::kernel {

enum class KeyStep : uint32_t {
  clear,
  find,
  list,
  sort_tiles,
  sort_apart,
  merge_tiles,
  number,
  apply,
  name
};
enum class KeyKind : uint32_t { unsigned_integer, signed_integer, floating };

template <class M>
struct KeyNumbers {
  LabelArray<M> keys;  // its `limit` is not used
  KeyKind kind = KeyKind::unsigned_integer;
  uint64_t infinity = 0, nan = 0;  // of floats: bits
  Out<M, uint64_t> table;          // `slots` images
  Out<M, uint32_t> ranks;          // the number of the key in each slot; one more for the key `top`
  Out<M, uint64_t> images;   // images of the keys, sorted; filled up with `top` to `padded` images
  Out<M, uint32_t> head;     // Head
  Out<M, uint32_t> numbers;  // for each element its slot, later its key's number
  Out<M, uint8_t> names;     // the distinct keys, as elements of the keys' type
  Size from = 0, n = 0;      // the elements of a launch: from..n-1
  Size slots = 0, padded = 0;
  Size found = 0;  // keys in the table, not counting the key `top`
  uint32_t most = 0, most_steps = 0;
  uint32_t has_top = 0;
  KeyStep step = KeyStep::clear;
  // A launch that sorts: the length of sorted runs, the distance between compared places, and how
  // many steps the launch does.
  Size run = 0, apart = 0;
  int steps = 1;

  // Counters: keys; threads that found the key `top`; threads that gave up; keys that are listed.
  enum Head : int { keys_found, tops, given_up, listed, heads };
};

template <class M>
struct ByKey {
  enum : uint32_t { each = 4, threads = 32 * key_warps, tile = threads * each };
  static constexpr uint64_t top = ~uint64_t{0};
  using In = KeyNumbers<M>;

  M m;
  const In& in;

  ONEFOLD_KERNEL ByKey(M machine, const In& input) : m(machine), in(input) {}

  ONEFOLD_KERNEL uint32_t t() const { return static_cast<uint32_t>(m.thread()); }
  ONEFOLD_KERNEL unsigned lane() const { return static_cast<unsigned>(m.lane()); }
  ONEFOLD_KERNEL Size first() const { return m.block() * Size{threads} + t(); }
  ONEFOLD_KERNEL Size all() const { return m.blocks() * Size{threads}; }
  ONEFOLD_KERNEL uint64_t sign() const { return uint64_t{1} << (8 * in.keys.bytes - 1); }

  ONEFOLD_KERNEL uint64_t image_of(uint64_t raw) const {
    const uint64_t s = sign();
    if (in.kind == KeyKind::signed_integer) return raw ^ s;
    if (in.kind == KeyKind::floating) {
      const uint64_t magnitude = raw & (s - 1);
      if (magnitude > in.infinity) return top;
      if (magnitude == 0) return s;
      return (raw & s) != 0 ? s - 1 - magnitude : raw | s;
    }
    return in.keys.boolean && raw != 0 ? 1 : raw;
  }
  ONEFOLD_KERNEL uint64_t key_of(uint64_t image) const {
    const uint64_t s = sign();
    if (in.kind == KeyKind::signed_integer) return image ^ s;
    if (in.kind == KeyKind::floating) {
      if (image == top) return in.nan;
      return (image & s) != 0 ? image ^ s : (s - 1 - image) | s;
    }
    return image;
  }
  // Multiplies words of 32 bits, since a GPU does that in one instruction.
  ONEFOLD_KERNEL Size slot_of(uint64_t image) const {
    uint32_t h = static_cast<uint32_t>(image) * 0x85ebca6bu;
    h = ((h ^ h >> 15) + static_cast<uint32_t>(image >> 32)) * 0xc2b2ae35u;
    h = (h ^ h >> 13) * 0x9e3779b1u;
    return (h ^ h >> 16) & (in.slots - 1);
  }
  ONEFOLD_KERNEL Size after(Size slot) const { return (slot + 1) & (in.slots - 1); }

  ONEFOLD_KERNEL void clear() const {
    ONEFOLD_NO_UNROLL
    for (Size k = first(); k < in.slots; k += all()) in.table[k] = uint64_t{top};
    if (m.block() == 0 && t() < static_cast<uint32_t>(In::heads)) in.head[t()] = 0u;
  }

  // Returns the slot of an image, which it inserts if it is not there; `in.slots` if the search is
  // too long.
  //   slot   where to begin
  //   seen   what was loaded from there
  //   fresh  counts insertions
  ONEFOLD_KERNEL Size slot_with(uint64_t image, Size slot, uint64_t seen, uint32_t& fresh) const {
    ONEFOLD_NO_UNROLL
    for (uint32_t steps = 0; m.branch(seen != image); ++steps) {
      if (m.branch(steps > in.most_steps)) return in.slots;
      if (m.branch(seen == top)) {
        seen = m.swap_if(in.table, slot, top, image);
        if (seen == top) ++fresh;
        if (m.branch(seen == top || seen == image)) return slot;
      }
      slot = after(slot);
      seen = m.load_perhaps_old(in.table, slot);
    }
    return slot;
  }

  ONEFOLD_KERNEL void find() const {
    bool met_top = false;
    ONEFOLD_NO_UNROLL
    for (Size at = in.from + m.block() * Size{tile}; at < in.n; at += m.blocks() * Size{tile}) {
      uint64_t image[each], seen[each];
      in.keys.with_type([&]<class L>() {
        const auto from = m.template as<L>(in.keys.at);
        ONEFOLD_UNROLL
        for (uint32_t u = 0; u < each; ++u) {
          const Size i = at + t() + u * threads;
          image[u] = top;
          if (!m.branch(i < in.n)) continue;
          const L raw = from[static_cast<int64_t>(i) * in.keys.apart];
          image[u] = image_of(raw);
        }
      });
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        seen[u] = top;
        if (m.branch(image[u] != top)) seen[u] = m.load_perhaps_old(in.table, slot_of(image[u]));
      }
      uint32_t fresh = 0;
      bool lost = false;
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        const Size i = at + t() + u * threads;
        if (!m.branch(i < in.n)) continue;
        Size slot = in.slots;
        if (m.branch(image[u] != top)) {
          slot = slot_with(image[u], slot_of(image[u]), seen[u], fresh);
          lost = lost || slot == in.slots;
        } else {
          met_top = true;
        }
        in.numbers[i] = static_cast<uint32_t>(slot);
      }
      // The count of keys is checked only by warps that insert, since all of them would load one
      // word.
      const uint32_t n = m.redux_add(fresh);
      const bool stop = m.any(lost);
      uint32_t found = 0;
      if (m.branch(lane() == 0 && n != 0)) found = m.add(in.head, int{In::keys_found}, n) + n;
      if (m.branch(lane() == 0 && stop)) m.add(in.head, int{In::given_up}, 1u);
      if (stop || m.shuffle(found, 0) > in.most) break;
    }
    const bool tops = m.any(met_top);
    if (m.branch(lane() == 0 && tops)) m.add(in.head, int{In::tops}, 1u);
  }

  ONEFOLD_KERNEL void list() const {
    ONEFOLD_NO_UNROLL
    for (Size k = in.found + first(); k < in.padded; k += all()) in.images[k] = uint64_t{top};
    ONEFOLD_NO_UNROLL
    for (Size at = m.block() * Size{8 * threads} + t() / 32 * 256 + lane(); at < in.slots;
         at += 8 * all()) {
      uint64_t image[8];
      uint32_t count = 0;
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < 8; ++u) {
        image[u] = in.table[at + 32 * u];
        if (image[u] != top) ++count;
      }
      // A warp draws places for all its keys by one atomic.
      uint32_t upto = count;
      ONEFOLD_UNROLL
      for (unsigned d = 1; d < 32; d *= 2) {
        const uint32_t v = m.shuffle_up(upto, d);
        if (lane() >= d) upto += v;
      }
      uint32_t room = 0;
      if (m.branch(lane() == 31 && upto != 0)) room = m.add(in.head, int{In::listed}, upto);
      room = m.shuffle(room, 31) + upto - count;
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < 8; ++u) {
        if (m.branch(image[u] != top)) in.images[room++] = image[u];
      }
    }
  }

  ONEFOLD_KERNEL void number() const {
    ONEFOLD_NO_UNROLL
    for (Size r = first(); r < in.found; r += all()) {
      const uint64_t image = in.images[r];
      Size slot = slot_of(image);
      uint64_t seen = in.table[slot];
      ONEFOLD_NO_UNROLL
      while (m.branch(seen != image && seen != top)) {
        slot = after(slot);
        seen = in.table[slot];
      }
      in.ranks[slot] = static_cast<uint32_t>(r);
    }
    if (m.block() == 0 && t() == 0) in.ranks[in.slots] = static_cast<uint32_t>(in.found);
  }
  ONEFOLD_KERNEL void apply() const {
    ONEFOLD_NO_UNROLL
    for (Size at = m.block() * Size{tile} + t(); at < in.n; at += m.blocks() * Size{tile}) {
      uint32_t number[each];
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        number[u] = 0;
        if (m.branch(at + u * threads < in.n)) number[u] = in.numbers[at + u * threads];
      }
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        // Skips numbers that are no slot: other code may have written to them meanwhile.
        if (m.branch(at + u * threads < in.n && number[u] <= in.slots)) {
          in.numbers[at + u * threads] = in.ranks[number[u]];
        }
      }
    }
  }
  ONEFOLD_KERNEL void name() const {
    in.keys.with_type([&]<class L>() {
      const auto to = m.template as<L>(in.names);
      ONEFOLD_NO_UNROLL
      for (Size r = first(); r < in.found + in.has_top; r += all()) {
        uint64_t image = top;
        if (m.branch(r < in.found)) image = in.images[r];
        to[r] = static_cast<L>(key_of(image));
      }
    });
  }
};

template <class M>
ONEFOLD_KERNEL void number_keys(M m, const KeyNumbers<M>& input) {
  const ByKey<M> by(m, input);
  const SortImages<M> sort{m, input.images, input.padded, input.run, input.apart};
  switch (input.step) {
    case KeyStep::clear:
      return by.clear();
    case KeyStep::find:
      return by.find();
    case KeyStep::list:
      return by.list();
    case KeyStep::sort_tiles:
      return sort.tiles(2);
    case KeyStep::sort_apart:
      if (input.steps == 3) return sort.template places<3>();
      if (input.steps == 2) return sort.template places<2>();
      return sort.template places<1>();
    case KeyStep::merge_tiles:
      return sort.tiles(input.run);
    case KeyStep::number:
      return by.number();
    case KeyStep::apply:
      return by.apply();
    case KeyStep::name:
      return by.name();
  }
}

}  // namespace onefold::kernel
