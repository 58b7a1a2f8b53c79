#include "onefold/io/zarr/metadata.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "onefold/io/number.hpp"
#include "onefold/io/zarr/attributes.hpp"

namespace onefold::io::zarr {

#if __has_include(<nlohmann/json.hpp>)
namespace {

class Parser {
 public:
  Parser(const File& file, const Json& document, const Json& attributes)
      : file_(file), j_(document), attributes_(attributes) {}

  Metadata run() {
    const Json& version = field(j_, "zarr_format");
    if (version == 3) {
      if (field(j_, "node_type") == "group") return {.group = true};
      parse_3();
      if (j_.contains("attributes"))
        m_.attributes = attributes_of(file_, j_["attributes"], m_.dtype);
      if (j_.contains("dimension_names")) set_dimensions(j_["dimension_names"]);
    } else if (version == 2) {
      if (!j_.contains("shape")) return {.group = true};
      parse_2();
      m_.attributes = attributes_of(file_, attributes_, m_.dtype);
      const bool named = attributes_.contains("_ARRAY_DIMENSIONS");
      if (named) set_dimensions(attributes_["_ARRAY_DIMENSIONS"]);
      if (named && m_.has_fill) fill_is_missing();
    } else {
      refuse("Zarr version " + shown(version) + " is not supported; only 2 and 3 are supported");
    }
    return std::move(m_);
  }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    file_.fail(ErrorCode::bad_header, "its metadata are invalid: " + what);
  }
  [[noreturn]] void refuse(const std::string& what) const {
    file_.fail(ErrorCode::unsupported, what);
  }

  const Json& field(const Json& of, const char* name) const {
    if (!of.is_object() || !of.contains(name))
      damaged(std::string("the key ") + name + " is missing");
    return of[name];
  }
  std::string word(const Json& of, const char* name) const {
    const Json& j = field(of, name);
    if (!j.is_string()) damaged(std::string(name) + " is not text");
    return j.get<std::string>();
  }
  // Returns the name of a codec or similar object, and keeps its configuration.
  std::string named(const Json& j) const {
    return j.is_string() ? j.get<std::string>() : word(j, "name");
  }
  static const Json& configuration(const Json& j) {
    static const Json none = Json::object();
    const bool has = j.is_object() && j.contains("configuration");
    return has && j["configuration"].is_object() ? j["configuration"] : none;
  }

  Dims extents(const Json& j, const char* what, int64_t least) const {
    if (!j.is_array()) damaged(std::string(what) + " is not a list");
    if (j.size() > static_cast<std::size_t>(max_rank)) {
      refuse("the array has " + std::to_string(j.size()) + " dimensions; at most 16 are possible");
    }
    Dims list;
    for (const Json& n : j) {
      const bool whole = n.is_number_unsigned() || n.is_number_integer();
      const bool large =
          n.is_number_unsigned() && n.get<uint64_t>() > static_cast<uint64_t>(int64_max);
      if (!whole || large || n.get<int64_t>() < least) {
        damaged(std::string(what) + " has " + shown(n));
      }
      list.push_back(n.get<int64_t>());
    }
    return list;
  }

  void set_shape(const Json& shape, const Json& chunk) {
    m_.shape = extents(shape, "the shape", 0);
    m_.chunk = extents(chunk, "the shape of chunks", 1);
    if (m_.shape.rank() != m_.chunk.rank()) {
      damaged("the shapes of array and chunks have " + std::to_string(m_.shape.rank()) + " and " +
              std::to_string(m_.chunk.rank()) + " dimensions");
    }
    for (int d = 0; d < m_.shape.rank(); ++d) m_.order.push_back(d);
  }

  void parse_2() {
    set_shape(field(j_, "shape"), field(j_, "chunks"));
    const Json& type = field(j_, "dtype");
    if (!type.is_string()) refuse("elements of a structured type cannot be folded");
    const auto text = type.get<std::string>();
    const auto dtype = dtype_2(text);
    if (!dtype) refuse("elements of type " + shown(text) + " cannot be folded");
    m_.dtype = *dtype;
    m_.swapped = text[0] == '>' && bytes_of(m_.dtype) > 1;
    const std::string order = word(j_, "order");
    if (order == "F") {
      std::reverse(m_.order.begin(), m_.order.end());
    } else if (order != "C") {
      damaged("the order is " + shown(order));
    }
    m_.separator = j_.contains("dimension_separator") ? word(j_, "dimension_separator") : ".";
    check_separator();
    if (j_.contains("filters") && !j_["filters"].is_null() && !j_["filters"].empty()) {
      if (!j_["filters"].is_array()) damaged("filters is not a list");
      for (const Json& filter : j_["filters"]) {
        add_filter(filter.is_object() ? word(filter, "id") : "of no name", filter);
      }
    }
    const Json& compressor = field(j_, "compressor");
    if (!compressor.is_null()) {
      add_codec(word(compressor, "id"));
      // numcodecs' other lzma formats have no checksum and no end mark.
      if (m_.codecs.back() == "lzma" && compressor.value("format", 1) != 1) {
        refuse("lzma formats other than .xz (format 1) are not supported; recompress it");
      }
    }
    set_fill(field(j_, "fill_value"));
  }

  void add_filter(const std::string& id, const Json& j) {
    const std::optional<Filter> filter = filter_of(file_, id, j);
    if (!filter) return;
    if (m_.filters.size() == 8) refuse("there are more than 8 filters");
    m_.filters.push_back(*filter);
  }

  void parse_3() {
    const Json& grid = field(j_, "chunk_grid");
    if (named(grid) != "regular")
      refuse("the chunk grid is " + shown(named(grid)) + "; only regular is supported");
    set_shape(field(j_, "shape"), field(configuration(grid), "chunk_shape"));
    const std::string type = named(field(j_, "data_type"));
    bool found = false;
    constexpr std::pair<std::string_view, DType> types[] = {
        {"bool", DType::boolean}, {"int8", DType::i8},       {"int16", DType::i16},
        {"int32", DType::i32},    {"int64", DType::i64},     {"uint8", DType::u8},
        {"uint16", DType::u16},   {"uint32", DType::u32},    {"uint64", DType::u64},
        {"float16", DType::f16},  {"bfloat16", DType::bf16}, {"float32", DType::f32},
        {"float64", DType::f64}};
    for (const auto& [name, t] : types) {
      if (type != name) continue;
      m_.dtype = t;
      found = true;
    }
    if (!found) refuse("elements of type " + shown(type) + " cannot be folded");
    const Json& keys = field(j_, "chunk_key_encoding");
    const std::string encoding = named(keys);
    if (encoding != "default" && encoding != "v2") refuse("chunk keys are " + shown(encoding));
    m_.prefix = encoding == "default" ? "c" : "";
    const Json& c = configuration(keys);
    for (const auto& [name, value] : c.items()) {
      if (name != "separator")
        refuse("chunk keys have " + shown(name) + ", which is not supported");
    }
    m_.separator = c.contains("separator") ? word(c, "separator") : encoding == "v2" ? "." : "/";
    check_separator();
    if (j_.contains("storage_transformers") && !j_["storage_transformers"].empty()) {
      refuse("storage transformers are not supported");
    }
    set_codecs_3(field(j_, "codecs"));
    set_fill(field(j_, "fill_value"));
  }

  void set_codecs_3(const Json& codecs) {
    if (!codecs.is_array()) damaged("codecs is not a list");
    bool in_bytes = false;
    for (const Json& codec : codecs) {
      const std::string name = named(codec);
      const Json& c = configuration(codec);
      if (name == "sharding_indexed") return set_shards(codecs, c);
      if (name == "transpose" && !in_bytes) {
        transpose(field(c, "order"));
      } else if (name == "bytes" && !in_bytes) {
        in_bytes = true;
        const std::string endian = c.contains("endian") && c["endian"].is_string()
                                       ? c["endian"].get<std::string>()
                                       : "little";
        if (endian != "little" && endian != "big") damaged("endian is " + shown(endian));
        m_.swapped = endian == "big" && bytes_of(m_.dtype) > 1;
      } else if (!in_bytes || (is_shuffle(name) && m_.codecs.empty())) {
        add_filter(without_numcodecs(name), c);
      } else {
        add_codec(name);
      }
    }
    if (!in_bytes) damaged("there is no codec bytes");
    const bool turned = !std::is_sorted(m_.order.begin(), m_.order.end());
    for (const Filter& f : m_.filters) {
      if (m_.swapped && f.kind != Filter::Kind::shuffle) {
        refuse("filters are not supported for big-endian elements");
      }
      if (turned && f.kind == Filter::Kind::delta)
        refuse("delta together with transpose is not supported");
    }
  }
  static bool is_shuffle(const std::string& name) { return without_numcodecs(name) == "shuffle"; }

  void set_shards(const Json& codecs, const Json& c) {
    if (codecs.size() != 1 || m_.shard.rank() > 0) {
      refuse("sharding_indexed together with other codecs, or nested, is not supported");
    }
    m_.shard = m_.chunk;
    m_.chunk = extents(field(c, "chunk_shape"), "the shape of chunks", 1);
    if (m_.chunk.rank() != m_.shard.rank() || m_.shard.rank() == 0) {
      damaged("its shards have " + std::to_string(m_.shard.rank()) +
              " dimensions, and the chunks in them have " + std::to_string(m_.chunk.rank()));
    }
    for (int d = 0; d < m_.chunk.rank(); ++d) {
      if (m_.shard[d] % m_.chunk[d] != 0) damaged("a shard is not a whole number of chunks");
    }
    const std::string place = c.contains("index_location") ? word(c, "index_location") : "end";
    if (place != "start" && place != "end") damaged("the index is at " + shown(place));
    m_.index_first = place == "start";
    const Json& index = field(c, "index_codecs");
    const bool list = index.is_array() && !index.empty() && index.size() <= 2;
    const bool plain = list && named(index[0]) == "bytes" &&
                       configuration(index[0]).value("endian", "little") == "little";
    m_.index_checked = list && index.size() == 2;
    if (!plain || (m_.index_checked && named(index[1]) != "crc32c")) {
      refuse("an index of shards must use the codecs bytes and crc32c only");
    }
    set_codecs_3(field(c, "codecs"));
  }

  void transpose(const Json& order) {
    const std::size_t rank = m_.order.size();
    std::vector<int> next;
    std::vector<bool> seen(rank, false);
    if (order.is_array() && order.size() == rank) {
      for (const Json& n : order) {
        if (!n.is_number_unsigned() || n.get<uint64_t>() >= rank) break;
        const auto d = n.get<std::size_t>();
        if (seen[d]) break;
        seen[d] = true;
        next.push_back(m_.order[d]);
      }
    }
    if (next.size() != rank) damaged("the order of transpose is " + shown(order));
    m_.order = next;
  }

  // In version 3 what numcodecs packs has its name before that of version 2.
  static std::string without_numcodecs(const std::string& name) {
    constexpr std::string_view numcodecs = "numcodecs.";
    return name.starts_with(numcodecs) ? name.substr(numcodecs.size()) : name;
  }
  void add_codec(const std::string& given) {
    const std::string name = without_numcodecs(given);
    constexpr std::string_view known[] = {"gzip", "zlib", "zstd", "bz2", "lzma", "blosc", "crc32c"};
    if (std::find(std::begin(known), std::end(known), name) == std::end(known)) {
      refuse("codec " + shown(name) + " is not supported");
    }
    if (m_.codecs.size() == 8) refuse("there are more than 8 codecs");
    m_.codecs.push_back(name);
  }

  void check_separator() const {
    if (m_.separator != "." && m_.separator != "/") {
      damaged("chunks are separated by " + shown(m_.separator));
    }
  }

  void set_fill(const Json& value) {
    // In version 2 the fill value may be null, if no element needs it.
    if (value.is_null()) return;
    std::string text;
    if (value.is_boolean()) {
      text = value.get<bool>() ? "1" : "0";
    } else if (value.is_string()) {
      text = value.get<std::string>();
      if (text.starts_with("0x") && kind_of(m_.dtype) == Kind::floating) {
        const auto [end, error] =
            std::from_chars(text.data() + 2, text.data() + text.size(), m_.fill, 16);
        if (error != std::errc() || end != text.data() + text.size() ||
            text.size() != 2 + 2 * bytes_of(m_.dtype)) {
          damaged("the fill value is " + shown(text));
        }
        m_.has_fill = true;
        return;
      }
    } else if (value.is_number()) {
      text = value.dump();
      if (text.ends_with(".0")) text.resize(text.size() - 2);
    }
    const char* stop = nullptr;
    const auto parse = [&]<class T>(T) {
      T element{};
      const NumberError error =
          parse_number<T>(text.data(), text.data() + text.size(), false, element, stop);
      std::memcpy(&m_.fill, &element, sizeof element);
      return error == NumberError::none && stop == text.data() + text.size();
    };
    bool ok = false;
    switch (m_.dtype) {
#define ONEFOLD_DTYPE(id, spelling, type, kind, bytes) \
  case DType::id:                                      \
    ok = !text.empty() && parse(type{});               \
    break;
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
    }
    if (!ok) damaged("the fill value is " + shown(value));
    m_.has_fill = true;
  }

  void set_dimensions(const Json& names) {
    if (!names.is_array() || names.size() != m_.order.size()) return;
    for (const Json& name : names) {
      m_.dimensions.push_back(name.is_string() ? name.get<std::string>() : "");
    }
  }

  void fill_is_missing() {
    CfAttribute a{.dtype = m_.dtype};
    const auto* const bytes = reinterpret_cast<const std::byte*>(&m_.fill);
    a.numbers.assign(bytes, bytes + bytes_of(m_.dtype));
    m_.attributes.emplace("_FillValue", std::move(a));
  }

  const File& file_;
  const Json &j_, &attributes_;
  Metadata m_;
};

}  // namespace

Metadata parse(const File& file, const std::string& text, const std::string& attributes) {
  const Json document = Json::parse(text, nullptr, false),
             others = attributes.empty() ? Json::object() : Json::parse(attributes, nullptr, false);
  if (document.is_discarded() || others.is_discarded()) {
    file.fail(ErrorCode::bad_header, "its metadata are invalid: they are not JSON");
  }
  try {
    return Parser(file, document, others).run();
  } catch (const Json::exception&) {
    file.fail(ErrorCode::bad_header, "its metadata are invalid");
  }
}

#else
Metadata parse(const File& file, const std::string&, const std::string&) {
  file.fail(ErrorCode::unsupported,
            "it is a Zarr array, which this build cannot read (nlohmann-json was missing)");
}
#endif

}  // namespace onefold::io::zarr
