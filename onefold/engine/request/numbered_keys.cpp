#include "onefold/numbered_keys.hpp"

#include "onefold/cuda/key_table.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/query.hpp"
#include "onefold/error.hpp"

namespace onefold {
namespace {

Plan key_plan(std::string_view ops, const ArrayRef& keys, const Options& options) {
  const std::string where(ops);
  if (keys.shape.rank() != 1) {
    throw Error(ErrorCode::shape_mismatch, where + ": the keys have shape " +
                                               to_string(keys.shape) +
                                               "; they must have one dimension");
  }
  Query query("count", {.device = options.device, .stream = options.stream});
  Plan plan = query.plan(keys);
  plan.ops = Query(ops).ops;
  if (plan.device.type != Device::Type::cuda || plan.device.several != 0) {
    throw Error(ErrorCode::bad_option,
                where + ": keys can be numbered only on one CUDA device; choose cuda, or cuda:1");
  }
  return backend::checked(plan);
}

}  // namespace

struct NumberedKeys::Table {
  Plan plan;
  Size n;
  cuda_backend::KeyTable keys;
};

NumberedKeys::NumberedKeys(std::string_view ops, const ArrayRef& keys, const Options& options,
                           int32_t* labels) {
  const Plan plan = key_plan(ops, keys, options);
  table_.reset(new Table{
      plan, static_cast<Size>(keys.shape[0]), {plan, keys, reinterpret_cast<uint64_t>(labels)}});
}
NumberedKeys::~NumberedKeys() = default;
NumberedKeys::NumberedKeys(NumberedKeys&&) noexcept = default;
NumberedKeys& NumberedKeys::operator=(NumberedKeys&&) noexcept = default;

Size NumberedKeys::size() const { return table_->keys.size(); }
bool NumberedKeys::has_nan() const { return table_->keys.has_nan(); }
ArrayRef NumberedKeys::labels() const {
  ArrayRef labels(reinterpret_cast<const void*>(table_->keys.numbers()), DType::i32,
                  Dims(static_cast<int64_t>(table_->n)));
  labels.device = table_->plan.device;
  return labels;
}
void NumberedKeys::copy_labels(int32_t* host) const { table_->keys.copy_numbers(host); }
void NumberedKeys::write_keys(void* to) const { table_->keys.write_keys(to); }

}  // namespace onefold
