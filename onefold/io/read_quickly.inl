// How parsers of text and tables read a number quickly; parse_number reads numbers that these
// refuse. Each parser's loop is compiled in both namespaces, since one loop with both ways is
// slower than either. Included inside a namespace of one file, so without an include guard.

namespace any_number {
template <class F>
[[gnu::always_inline]] inline bool read_quickly(const char* p, F& value, const char*& stop,
                                                Spelt& spelt) {
  return quick_number(p, value, stop, &spelt);
}
}  // namespace any_number

#ifdef ONEFOLD_QUICK_TOKEN
template <class F>
[[gnu::noinline]] bool read_longer(const char* p, F& value, const char*& stop, Spelt& spelt) {
  return quick_number(p, value, stop, &spelt);
}

ONEFOLD_QUICK_TOKEN_BEGIN
namespace short_numbers {
template <class F>
[[gnu::always_inline]] inline bool read_quickly(const char* p, F& value, const char*& stop,
                                                Spelt& spelt) {
  return quick_token(p, value, stop) || read_longer(p, value, stop, spelt);
}
}  // namespace short_numbers
ONEFOLD_QUICK_TOKEN_END
#endif
