#include "postgres/steps/standard_names.h"

#include <chrono>

#include "runtime/table/table.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

void setStandardNames(StepScope& scope) {
    static const Value oneRow = Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"one"}, std::vector<Value>{Value::of(Vector::of<int32_t>(Type::Int, {1}))})));
    const int64_t micros =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    scope.set(kNowName, Value::scalar(Type::NanoTimestamp, micros * 1'000));
    scope.set(kOneRowName, oneRow);
}

void setParameters(StepScope& scope, std::span<const Value> parameters, const std::vector<Oid>& types) {
    for (size_t i = 0; i < parameters.size(); ++i) {
        const OidFacts* facts = i < types.size() ? oidFacts(types[i]) : nullptr;
        scope.set(parameterName(static_cast<int>(i) + 1),
                  parameters[i].isVoid() && facts != nullptr ? Value::nullOf(facts->kept) : parameters[i]);
    }
}

}  // namespace pelorus::postgres
