#include <cstring>

#include "onefold/io/zarr/attributes.hpp"
#include "onefold/io/zarr/filters.hpp"

#if __has_include(<nlohmann/json.hpp>)
namespace onefold::io::zarr {
namespace {

std::string letter(DType t) {
  return kind_of(t) == Kind::boolean            ? "b"
         : kind_of(t) == Kind::signed_integer   ? "i"
         : kind_of(t) == Kind::unsigned_integer ? "u"
                                                : "f";
}

[[noreturn]] void damaged(const File& file, const std::string& what) {
  file.fail(ErrorCode::bad_header, "its metadata are invalid: " + what);
}

// Returns the type that a filter's dtype or astype names.
DType type_of(const File& file, const std::string& id, const Json& j, const char* name) {
  const char* const key = j.contains(name) ? name : "dtype";
  if (!j.contains(key) || !j[key].is_string())
    damaged(file, "the key " + std::string(key) + " is missing");
  const auto text = j[key].get<std::string>();
  const auto found = dtype_2(text);
  const bool known = found && text[0] != '>' && *found != DType::f16 && *found != DType::boolean;
  if (!known) {
    file.fail(ErrorCode::unsupported, "filter " + id + " of " + shown(text) + " is not supported");
  }
  return *found;
}

}  // namespace

std::optional<DType> dtype_2(const std::string& text) {
  if (text.size() != 3 || std::strchr("<>|", text[0]) == nullptr) return {};
  const std::string kind = text.substr(1);
#define ONEFOLD_DTYPE(id, spelling, type, group, bytes)                                \
  if (DType::id != DType::bf16 && kind == letter(DType::id) + std::to_string(bytes)) { \
    return DType::id;                                                                  \
  }
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  return {};
}

std::optional<Filter> filter_of(const File& file, const std::string& id, const Json& j) {
  const auto refuse = [&](const std::string& what) { file.fail(ErrorCode::unsupported, what); };
  // These rounded when they packed.
  if (id == "bitround") return {};
  if (id == "quantize") {
    if (type_of(file, id, j, "astype") == type_of(file, id, j, "dtype")) return {};
    refuse("a quantize filter that changes the type is not supported");
  }
  if (id == "shuffle") {
    const Json& each = j.contains("elementsize") ? j["elementsize"] : Json(4);
    if (!each.is_number_unsigned() || each.get<uint64_t>() < 1 || each.get<uint64_t>() > 64) {
      damaged(file, "elementsize is " + shown(each));
    }
    return Filter{.kind = Filter::Kind::shuffle, .each = each.get<unsigned>()};
  }
  if (id != "delta" && id != "fixedscaleoffset") {
    refuse("unsupported filter: " + shown(id) +
           "; delta, shuffle, fixedscaleoffset, quantize and bitround are supported");
  }
  Filter f{.packed = type_of(file, id, j, "astype"), .made = type_of(file, id, j, "dtype")};
  f.kind = id == "delta" ? Filter::Kind::delta : Filter::Kind::fixed;
  if (f.kind == Filter::Kind::delta) {
    if (f.packed != f.made) refuse("a delta filter that changes the type is not supported");
    return f;
  }
  const bool has = j.contains("scale") && j.contains("offset");
  if (!has || !j["scale"].is_number() || !j["offset"].is_number()) {
    damaged(file, "scale or offset is not a number");
  }
  f.scale = j["scale"].get<double>();
  f.offset = j["offset"].get<double>();
  if (is_floating(f.packed) || !is_floating(f.made)) {
    refuse("filter fixedscaleoffset is supported only for floats stored as integers");
  }
  return f;
}

}  // namespace onefold::io::zarr
#endif
