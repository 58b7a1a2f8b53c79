// ExactSum<double> of single/onefold_exact.hpp, as functions that JavaScript calls: build.sh.
#include "onefold_exact.hpp"

namespace {

using Sum = onefold::ExactSum<double>;

constexpr unsigned elements = 1024;
// Elements that JavaScript writes, and bytes of states.
alignas(8) unsigned char buffer[8 * elements];

static_assert(Sum::saved_bytes() <= sizeof buffer, "the buffer holds a saved state");

}  // namespace

#define ONEFOLD_EXPORT(name) extern "C" __attribute__((export_name(#name)))

ONEFOLD_EXPORT(buffer_at) unsigned char* buffer_at() { return buffer; }
ONEFOLD_EXPORT(state_bytes) unsigned state_bytes() { return sizeof(Sum); }
ONEFOLD_EXPORT(saved_bytes) unsigned saved_bytes() { return Sum::saved_bytes(); }

ONEFOLD_EXPORT(clear) void clear(Sum* s) { *s = Sum(); }
ONEFOLD_EXPORT(add) void add(Sum* s, double x) { s->add(x); }
ONEFOLD_EXPORT(add_f64) void add_f64(Sum* s, unsigned n) {
  s->add(reinterpret_cast<const double*>(buffer), n);
}
ONEFOLD_EXPORT(merge) void merge(Sum* s, const Sum* other) { s->merge(*other); }
ONEFOLD_EXPORT(remove) bool remove_elements(Sum* s, const Sum* other) { return s->remove(*other); }
ONEFOLD_EXPORT(value) double value(const Sum* s) { return s->value(); }
ONEFOLD_EXPORT(mean) double mean(const Sum* s) { return s->mean(); }
ONEFOLD_EXPORT(count) double count(const Sum* s) { return static_cast<double>(s->count()); }
ONEFOLD_EXPORT(save) void save(const Sum* s) { s->save(buffer); }
ONEFOLD_EXPORT(load) bool load(Sum* s, unsigned n) { return s->load(buffer, n); }
