#include <cstring>

#include "file.hpp"

namespace onefold_arrow {

std::optional<Kind> kind_of(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return Kind{"bool", 1};
    case arrow::Type::INT8:
      return Kind{"i8", 1};
    case arrow::Type::INT16:
      return Kind{"i16", 2};
    case arrow::Type::INT32:
      return Kind{"i32", 4};
    case arrow::Type::INT64:
      return Kind{"i64", 8};
    case arrow::Type::UINT8:
      return Kind{"u8", 1};
    case arrow::Type::UINT16:
      return Kind{"u16", 2};
    case arrow::Type::UINT32:
      return Kind{"u32", 4};
    case arrow::Type::UINT64:
      return Kind{"u64", 8};
    case arrow::Type::HALF_FLOAT:
      return Kind{"f16", 2};
    case arrow::Type::FLOAT:
      return Kind{"f32", 4};
    case arrow::Type::DOUBLE:
      return Kind{"f64", 8};
    case arrow::Type::DICTIONARY: {
      const auto& value = *static_cast<const arrow::DictionaryType&>(type).value_type();
      return value.id() == arrow::Type::DICTIONARY ? std::nullopt : kind_of(value);
    }
    default:
      return {};
  }
}

namespace {

// Types whose values Arrow itself converts to text; and durations, which are 250us.
bool is_spelled(arrow::Type::type id) {
  switch (id) {
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return true;
    default:
      return false;
  }
}

bool is_text(arrow::Type::type id) {
  return id == arrow::Type::STRING || id == arrow::Type::LARGE_STRING ||
         id == arrow::Type::STRING_VIEW;
}

template <class A>
void views(const arrow::Array& array, plugin::Text* to) {
  const auto& all = static_cast<const A&>(array);
  for (int64_t i = 0; i < all.length(); ++i) {
    to[i] = {nullptr, -1};
    if (all.IsNull(i)) continue;
    const std::string_view text = all.GetView(i);
    to[i] = {text.data(), static_cast<int64_t>(text.size())};
  }
}

arrow::Status texts_of(const arrow::Array& array, std::deque<std::string>& made, plugin::Text* to) {
  switch (array.type_id()) {
    case arrow::Type::STRING:
      views<arrow::StringArray>(array, to);
      return arrow::Status::OK();
    case arrow::Type::LARGE_STRING:
      views<arrow::LargeStringArray>(array, to);
      return arrow::Status::OK();
    case arrow::Type::STRING_VIEW:
      views<arrow::StringViewArray>(array, to);
      return arrow::Status::OK();
    case arrow::Type::DICTIONARY: {
      const auto& all = static_cast<const arrow::DictionaryArray&>(array);
      if (all.dictionary()->type_id() == arrow::Type::STRING) {
        const auto& values = static_cast<const arrow::StringArray&>(*all.dictionary());
        for (int64_t i = 0; i < all.length(); ++i) {
          to[i] = {nullptr, -1};
          if (all.IsNull(i) || values.IsNull(all.GetValueIndex(i))) continue;
          const std::string_view text = values.GetView(all.GetValueIndex(i));
          to[i] = {text.data(), static_cast<int64_t>(text.size())};
        }
        return arrow::Status::OK();
      }
      std::vector<plugin::Text> known(static_cast<std::size_t>(all.dictionary()->length()));
      ARROW_RETURN_NOT_OK(texts_of(*all.dictionary(), made, known.data()));
      for (int64_t i = 0; i < all.length(); ++i) {
        to[i] = {nullptr, -1};
        if (!all.IsNull(i)) to[i] = known[static_cast<std::size_t>(all.GetValueIndex(i))];
      }
      return arrow::Status::OK();
    }
    case arrow::Type::DECIMAL128: {
      const auto& all = static_cast<const arrow::Decimal128Array&>(array);
      for (int64_t i = 0; i < all.length(); ++i) {
        to[i] = {nullptr, -1};
        if (all.IsNull(i)) continue;
        const std::string& text = made.emplace_back(all.FormatValue(i));
        to[i] = {text.data(), static_cast<int64_t>(text.size())};
      }
      return arrow::Status::OK();
    }
    case arrow::Type::DURATION: {
      const auto& all = static_cast<const arrow::DurationArray&>(array);
      constexpr const char* units[] = {"s", "ms", "us", "ns"};
      const auto unit = static_cast<const arrow::DurationType&>(*array.type()).unit();
      for (int64_t i = 0; i < all.length(); ++i) {
        to[i] = {nullptr, -1};
        if (all.IsNull(i)) continue;
        const std::string& text = made.emplace_back(std::to_string(all.Value(i)) + units[unit]);
        to[i] = {text.data(), static_cast<int64_t>(text.size())};
      }
      return arrow::Status::OK();
    }
    default:
      break;
  }
  for (int64_t i = 0; i < array.length(); ++i) {
    to[i] = {nullptr, -1};
    if (array.IsNull(i)) continue;
    ARROW_ASSIGN_OR_RAISE(const auto scalar, array.GetScalar(i));
    const std::string& text = made.emplace_back(scalar->ToString());
    to[i] = {text.data(), static_cast<int64_t>(text.size())};
  }
  return arrow::Status::OK();
}

}  // namespace

bool has_texts(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) {
    const auto& values = *static_cast<const arrow::DictionaryType&>(type).value_type();
    const bool integers = kind_of(values).has_value() && !arrow::is_floating(values.id());
    return is_text(values.id()) || is_spelled(values.id()) || integers;
  }
  return is_text(type.id()) || is_spelled(type.id());
}

namespace {

// Reads the numbers that a dictionary array means.
void values_of(const arrow::DictionaryArray& all, int bytes, int64_t first, int64_t n, char* to,
               unsigned char* present, int64_t* nulls) {
  const auto& dictionary = *all.dictionary();
  const bool flags = dictionary.type_id() == arrow::Type::BOOL;
  for (int64_t i = 0; i < n; ++i, to += bytes) {
    std::memset(to, 0, static_cast<std::size_t>(bytes));
    const int64_t at = all.IsNull(first + i) ? -1 : all.GetValueIndex(first + i);
    const bool is = at >= 0 && dictionary.IsValid(at);
    if (!is) {
      // Earlier rows have values: no byte was written for them.
      if (*nulls == 0) std::memset(present, 1, static_cast<std::size_t>(n));
      present[i] = 0;
      ++*nulls;
    } else if (flags) {
      *to = static_cast<const arrow::BooleanArray&>(dictionary).Value(at) ? 1 : 0;
    } else {
      const arrow::ArrayData& data = *dictionary.data();
      std::memcpy(to, data.buffers[1]->data() + (data.offset + at) * bytes,
                  static_cast<std::size_t>(bytes));
    }
  }
}

}  // namespace

arrow::Status values(const Batch& batch, int k, int64_t first, int64_t n, char* to,
                     unsigned char* present, int64_t* nulls) {
  const auto array = batch.rows->column(k);
  const arrow::ArrayData& data = *array->data();
  const std::optional<Kind> kind = kind_of(*data.type);
  if (!kind) return arrow::Status::Invalid("its type is another than its schema says");
  const auto bytes = static_cast<std::size_t>(kind->bytes);
  *nulls = 0;
  if (data.type->id() == arrow::Type::DICTIONARY) {
    values_of(static_cast<const arrow::DictionaryArray&>(*array), kind->bytes, first, n, to,
              present, nulls);
    return arrow::Status::OK();
  }
  if (data.type->id() == arrow::Type::BOOL) {
    const auto& flags = static_cast<const arrow::BooleanArray&>(*array);
    for (int64_t i = 0; i < n; ++i) to[i] = flags.Value(first + i) ? 1 : 0;
  } else if (n > 0) {
    std::memcpy(to, data.buffers[1]->data() + (data.offset + first) * kind->bytes,
                static_cast<std::size_t>(n) * bytes);
  }
  if (array->null_count() == 0) return arrow::Status::OK();
  for (int64_t i = 0; i < n; ++i) {
    present[i] = array->IsValid(first + i) ? 1 : 0;
    if (present[i] != 0) continue;
    ++*nulls;
    std::memset(to + static_cast<std::size_t>(i) * bytes, 0, bytes);
  }
  return arrow::Status::OK();
}

arrow::Status texts(Batch& batch, int k, plugin::Text* to) {
  const auto array = batch.rows->column(k);
  if (!has_texts(*array->type())) {
    return arrow::Status::Invalid("its type is another than its schema says");
  }
  return texts_of(*array, batch.made, to);
}

}  // namespace onefold_arrow
