#include "stdlib/interpolation/interpolation_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

std::vector<double> numbersArgument(Arguments arguments, size_t i, std::string_view name) {
    if (!arguments[i].isVector() || arguments[i].isTuple() || !isNumeric(arguments[i].type()))
        refuseArgument(i, name, "a vector of numbers", arguments[i]);
    const Ref<Vector> numbers = realsArgument(arguments, i, name);
    if (numbers->hasNull()) refuseArgument(i, name, "without NULL", arguments[i]);
    return {numbers->data<double>(), numbers->data<double>() + numbers->size()};
}

std::vector<double> valuesArgument(Arguments arguments, size_t i, std::string_view name, const std::vector<double>& x) {
    std::vector<double> values = numbersArgument(arguments, i, name);
    if (values.size() != x.size())
        throw UserError(static_cast<int>(i),
                        fmt::format("{} has {} elements for {} points.", name, values.size(), x.size()));
    return values;
}

void requireAscending(const std::vector<double>& x, size_t i, std::string_view name, size_t least, bool strictly) {
    if (x.size() < least)
        throw UserError(static_cast<int>(i),
                        fmt::format("{} needs {} points or more, but has {}.", name, least, x.size()));
    const auto stays = [&](double a, double b) { return strictly ? !(a < b) : !(a <= b); };
    if (std::ranges::adjacent_find(x, stays) != x.end())
        throw UserError(static_cast<int>(i),
                        fmt::format("{} must ascend{}.", name, strictly ? ", without equal points" : ""),
                        "Sort the points by it first.");
}

Ref<Dictionary> makeModel(std::string_view name, std::string_view predict) {
    const BuiltinFunction* function = FunctionRegistry::instance().find(predict);
    CHECK(function) << "a model predicts by a function of the library";
    auto model = makeRef<Dictionary>(Type::String, Type::Any, false);
    model->set(Value::ofString("modelName"), Value::ofString(name));
    model->set(Value::ofString("predict"), Value::of(Ref<Function>(const_cast<BuiltinFunction*>(function))));
    return model;
}

Value modelMember(Arguments arguments, std::string_view member) {
    if (!arguments[0].isDictionary()) refuseArgument(0, "model", "a model, which is a dictionary", arguments[0]);
    const Value key = Value::ofString(member);
    const Dictionary& model = arguments[0].dictionary();
    if (model.keyType() != Type::String || !model.contains(key))
        throw UserError(0, fmt::format("The model has no member {}.", member),
                        "Give what the function that fits it returned.");
    return model.get(key);
}

std::vector<double> modelNumbers(Arguments arguments, std::string_view member) {
    Value held = modelMember(arguments, member);
    if (held.isMatrix()) held = Value::of(held.matrix().cells);
    std::vector<Value> one = {held};
    return numbersArgument(one, 0, member);
}

}  // namespace pelorus
