#include "runtime/partition/partition_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/check.h"
#include "common/error.h"
#include "runtime/function/context.h"
#include "runtime/function/portable.h"
#include "runtime/function/principal.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/value/vector.h"

namespace pelorus {

static std::string savedCall(const std::string& string, const Ref<Function>& function, std::vector<Value> arguments,
                             size_t columnAt) {
    CHECK(columnAt < arguments.size()) << "the partition column is an argument of its function";
    arguments[columnAt] = Value::ofString("");
    std::string bytes;
    encodeValue(Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofString(string), Value::of(function),
                                                            Value::of(makeRef<Tuple>(std::move(arguments))),
                                                            Value::ofLong(static_cast<int64_t>(columnAt))})),
                Peer::Node, bytes);
    return bytes;
}

PartitionFunction::PartitionFunction(const std::string& string, const Ref<Function>& function,
                                     std::vector<Value> arguments, size_t columnAt)
    : saved_(savedCall(string, function, std::move(arguments), columnAt)) {}

const PartitionFunction::Call& PartitionFunction::call() const {
    loaded_.call([this] {
        StringSource source(saved_);
        const Value value = decodeValue(source, Peer::Node);
        const std::vector<Value>& parts = savedParts(value, 4);
        const bool fits = parts[0].isString() && parts[1].isFunction() && parts[2].isTuple() && parts[3].isNumber();
        if (!fits || parts[3].asLong() < 0 || parts[3].asLong() >= parts[2].size())
            throw UserError("A partition function is kept in another shape.");
        call_ = {std::string(parts[0].string()), Ref<Function>(&parts[1].function()), parts[2].tuple().elements,
                 static_cast<size_t>(parts[3].asLong())};
    });
    return call_;
}

std::string PartitionFunction::string() const {
    return call().string;
}

Value PartitionFunction::keys(const Value& column) const {
    static const Services none;
    Request request(Principal::guest());
    Context context(none, request);
    std::vector<Value> arguments = call().arguments;
    arguments[call().columnAt] = column;
    Value keys = call().function->call(context, arguments);
    const bool fits = column.isVector() ? keys.isTypedVector() && keys.size() == column.size() : keys.isScalar();
    if (fits) return keys;
    throw UserError(fmt::format("The function specified in partitionColumns must return a vector/scalar when the input "
                                "is a vector/scalar, but {} does not. RefId: S01067",
                                call().string),
                    "Return one key for each element of the column.");
}

bool PartitionFunction::isMonotone(Type column) const {
    // Functions that fall back to 0 again and again, such as hour, are not listed.
    static constexpr std::array kOfTime{"date",    "month",      "year",      "datetime",     "datehour",   "weekBegin",
                                        "weekEnd", "monthBegin", "monthEnd",  "quarterBegin", "quarterEnd", "yearBegin",
                                        "yearEnd", "bar",        "timestamp", "nanotimestamp"};
    static constexpr std::array kOfNumbers{"bar", "floor", "ceil", "int", "long", "short"};
    const bool hasDate = isTemporal(column) && column != Type::Time && column != Type::Minute &&
                         column != Type::Second && column != Type::NanoTime;
    const auto isIn = [&](const auto& names) {
        return std::any_of(names.begin(), names.end(),
                           [&](std::string_view n) { return n == call().function->name(); });
    };
    if (call().function->kind() != Function::Kind::Native || call().columnAt != 0) return false;
    return (hasDate && isIn(kOfTime)) || (isIntegral(column) && isIn(kOfNumbers));
}

}  // namespace pelorus
